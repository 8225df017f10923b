// The brakes of a fleet: how many changes pass, and when.
import { describe, expect, test } from 'vitest'
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import { seconds, type Instant } from '../../../../src/model/units.ts'
import { COMPUTES, fleet } from './fleet.ts'
import { longTest } from '../../../support/tiers.ts'

const HOUR = seconds(3600)

const mostInAnHour = (times: readonly Instant[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + HOUR * 1000).length))

longTest(
  'recommendations that say to resize all of 1,000 computes make no change, with one event; after a release as many an hour as are allowed',
  async () => {
    const { clock, runner, sent, changes, kindsOf, pass, problems } = await fleet()
    await clock.advance(seconds(700))
    for (let passes = 0; passes < 3; passes += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await pass()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await clock.advance(seconds(60))
    }
    expect([sent, await changes(), kindsOf('brake-')]).toEqual([[], [], ['brake-engaged']])
    expect(runner.engagedBrakes()).toEqual(['fleet'])
    await runner.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
    await pass()
    expect((await changes()).length).toBe(COMPUTES)
    await clock.advance(seconds(HOUR - 1))
    expect(sent).toHaveLength(DEFAULT_BRAKES.fleetPerHour)
    await pass()
    await clock.advance(seconds(600))
    expect(sent.length).toBeGreaterThan(DEFAULT_BRAKES.fleetPerHour)
    expect(mostInAnHour(sent)).toBe(DEFAULT_BRAKES.fleetPerHour)
    expect(runner.engagedBrakes()).toEqual([])
    expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released'])
    expect(problems).toEqual([])
  },
)

longTest('an engaged fleet brake holds what waits already, and a release lets it go', async () => {
  const { clock, runner, sent, pass } = await fleet({ count: 5 })
  // before the hold-off is over
  await clock.advance(seconds(60))
  await pass()
  await runner.storedBrakes.engage({ name: 'fleet', because: 'too many', count: 7 })
  await clock.advance(seconds(900))
  const [open] = runner.open()
  expect([sent, open?.hold]).toMatchObject([[], { because: 'brake', detail: 'fleet, too many' }])
  await runner.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
  await clock.advance(seconds(60))
  expect(sent.length).toBe(5)
})

test('two failures engage the breaker, with one event; after a release two more are tried', async () => {
  const { clock, runner, sent, pass, kindsOf } = await fleet({ fails: true, count: 5 })
  await clock.advance(seconds(700))
  await pass()
  await clock.advance(seconds(600))
  await pass()
  expect([sent.length, runner.engagedBrakes(), kindsOf('brake-')]).toEqual([
    2,
    ['breaker'],
    ['brake-engaged'],
  ])
  await runner.storedBrakes.release('breaker', { by: 'ann', reason: 'the service is repaired' })
  expect(runner.engagedBrakes()).toEqual([])
  await clock.advance(seconds(60))
  expect([sent.length, runner.engagedBrakes()]).toEqual([4, ['breaker']])
  expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released', 'brake-engaged'])
})

/** Three changes wait, two were refused, and the hour is over; a pass each five minutes. */
async function tried({ isRepaired }: { readonly isRepaired: boolean }) {
  const world = await fleet({ fails: true, count: 5 })
  await world.clock.advance(seconds(700))
  await world.pass()
  await world.clock.advance(seconds(60))
  await world.pass()
  expect([world.sent.length, world.runner.engagedBrakes()]).toEqual([2, ['breaker']])
  if (isRepaired) world.repair()
  await world.clock.advance(seconds(HOUR - 300))
  await world.pass()
  expect(world.sent).toHaveLength(2)
  await world.clock.advance(seconds(300))
  await world.pass()
  await world.clock.advance(seconds(60))
  return world
}

describe('an hour after the failures', () => {
  test('one change is tried alone, and where it is done the others go on', async () => {
    const { clock, runner, sent, pass, kindsOf, keep } = await tried({ isRepaired: true })
    expect([sent.length, runner.engagedBrakes()]).toEqual([3, ['breaker']])
    const holds = runner.open().map(({ hold }) => [hold?.because, hold?.detail])
    expect(holds).toEqual([
      ['verdict', undefined],
      ...Array.from({ length: 2 }, () => ['breaker', expect.stringMatching(/^ch-\d+ is tried alone$/)]),
    ])
    expect(runner.storedBrakes.of('breaker')?.because).toBe(
      '2 changes failed within 3600 s; now the next one is tried alone',
    )
    keep()
    await clock.advance(seconds(60))
    await pass()
    expect(runner.engagedBrakes()).toEqual([])
    await clock.advance(seconds(60))
    expect(sent).toHaveLength(5)
    expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-released'])
  })

  longTest('one change is tried alone, and where it fails they wait for another hour', async () => {
    const { clock, runner, sent, pass, kindsOf } = await tried({ isRepaired: false })
    expect([sent.length, runner.engagedBrakes()]).toEqual([3, ['breaker']])
    expect(runner.storedBrakes.of('breaker')?.because).toBe('the change that was tried failed')
    expect(kindsOf('brake-')).toEqual(['brake-engaged', 'brake-engaged'])
    await clock.advance(seconds(HOUR - 120))
    await pass()
    expect(sent).toHaveLength(3)
    await clock.advance(seconds(120))
    await pass()
    await clock.advance(seconds(60))
    expect([sent.length, kindsOf('brake-').length]).toEqual([4, 3])
  })
})

longTest(
  'while requests to the service fail, policies restart nothing; one change is tried an hour later',
  async () => {
    const { clock, runner, sent, pass, failRequests, kindsOf } = await fleet({ count: 5 })
    failRequests(0.3)
    await clock.advance(seconds(700))
    await pass()
    await clock.advance(seconds(60))
    expect([sent, runner.open()[0]?.hold?.because]).toEqual([[], 'breaker'])
    await pass()
    expect([runner.engagedBrakes(), kindsOf('brake-')]).toEqual([['breaker'], ['brake-engaged']])
    failRequests(0.1)
    await clock.advance(HOUR)
    expect(sent).toEqual([])
    await pass()
    await clock.advance(seconds(60))
    expect(sent).toHaveLength(1)
  },
)

longTest('ten restarts of the daemon in an hour: nothing is sent in the ten minutes after each', async () => {
  const { clock, sent, pass, restart, changes } = await fleet({ count: 5 })
  const starts: Instant[] = []
  for (let number = 0; number < 10; number += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one process after the other
    await restart()
    starts.push(clock.now())
    for (let passes = 0; passes < 6; passes += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await pass()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await clock.advance(seconds(60))
    }
  }
  expect([sent, (await changes()).map(({ state }) => state.at)]).toEqual([
    [],
    Array.from({ length: 5 }, () => 'scheduled'),
  ])
  // so that the changes were held by the hold-off and by nothing else
  await clock.advance(seconds(DEFAULT_BRAKES.holdOff - 300))
  expect(sent.length).toBeGreaterThan(0)
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(
    (starts.at(-1) ?? Infinity) + 1000 * DEFAULT_BRAKES.holdOff,
  )
})

longTest(
  'at the pace of the fleet the smaller sizes of a hard budget that is nearly spent go first',
  async () => {
    const { clock, runner, order, spent, pass } = await fleet({ count: 20 })
    await clock.advance(seconds(700))
    await pass()
    await runner.storedBrakes.release('fleet', { by: 'ann', reason: 'meant so' })
    await pass()
    await clock.advance(seconds(600))
    expect(order).toHaveLength(DEFAULT_BRAKES.fleetPerHour)
    const last = runner.open().at(-1)?.change.ref
    spent.add(last?.endpointId ?? '')
    await clock.advance(HOUR)
    expect(order[DEFAULT_BRAKES.fleetPerHour]).toBe(last?.projectId)
    expect(order.length).toBeGreaterThan(DEFAULT_BRAKES.fleetPerHour + 5)
  },
)
