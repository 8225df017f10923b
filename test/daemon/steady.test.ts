import { expect, test } from 'vitest'
import { retold, steadied, timebaseOf } from '../../src/daemon/steady.ts'
import { seconds } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { judged, type History } from '../account/truth.ts'

test.each([3600, -3600])('a wall clock that is set by %d s does not move it', async (by) => {
  const clock = fakeClock()
  const steady = steadied(clock, timebaseOf(ledger(), clock))
  await clock.advance(seconds(60))
  clock.step(by)
  await clock.advance(seconds(60))
  expect(steady.now()).toBe(at(120))
})

test('a record from the future puts it forward, and what was seen with it', () => {
  const clock = fakeClock()
  const begun = timebaseOf(ledger(), clock)
  const told = retold(sweep(0, { looks: [look(0, { updatedAt: at(600) })] }), begun)
  expect(told.sweep.looks[0]?.answeredAt).toBe(at(600))
  expect(steadied(clock, told.timebase).now()).toBe(at(600))
})

test('a process begins no earlier than its ledger has seen', () => {
  const clock = fakeClock()
  const seen = sweep(3600, { looks: [look(3600, {})] })
  const { ledger: known } = accounted(ledger(), seen, { prices, overhead: 0.01, now: at(3600) })
  expect(timebaseOf(known, clock).at).toBe(at(3600))
})

const HOUR = 3_600_000
const two: History = [
  { from: 130_300, to: 730_300 },
  { from: 1_500_700, to: 2_100_200 },
]

test.each([HOUR, -HOUR])('a wall clock that is set by %d ms in the middle moves no account', async (by) => {
  const stepped = await judged(two, 2 * HOUR, { step: { at: 400_000, by } })
  expect(stepped).toMatchObject({ contains: true, wakes: 2, suspends: 2, settled: 2 })
})
