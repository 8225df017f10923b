// The apply loop while the wall clock of the machine is set, until the next pass.
import { onTestFinished, test, expect } from 'vitest'
import type { Change, Hold } from '../../../src/model/policy/change.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { after, seconds, type Instant } from '../../../src/model/units.ts'
import { applyingOf } from '../../apply/build.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fakeService } from './fake-service.ts'
import { loopOf } from './loop-of.ts'

/** Of `fakeClock`, ms. */
const BEGAN = fakeClock().now()

/** Until the test ends. */
function run(loop: ReturnType<typeof loopOf>) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void loop.run(stop.signal)
}

const startingAt = (now: Instant, fields: Partial<Change> = {}) =>
  changeOf({ createdAt: now, deadline: after(now, seconds(86_400)), ...fields })

test('where somebody sets the wall clock forward, a request without an answer is not settled before the time of the service is known again', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService()
  const state = applyingOf({ sentAt: clock.now(), uncertainAt: clock.now(), epoch: memory.epoch })
  await memory
    .account('main')
    .commit([{ kind: 'change', change: startingAt(clock.now(), { state }), replaces: undefined }])
  let offset = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    clockOffset: () => offset,
    isClockSteady: () => clock.now() + offset === clock.monotonic() * 1000 + BEGAN,
  })
  run(loop)
  clock.step(3600)
  await clock.advance(seconds(60))
  expect([sent, loop.holdOf('ch-one')?.because]).toEqual([[], 'clock'])
  // the next pass
  offset = -3_600_000
  await clock.advance(seconds(50))
  expect([sent, loop.holdOf('ch-one')?.because]).toEqual([[], 'settle'])
  await clock.advance(seconds(30))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})

test('where somebody sets the wall clock forward, a change that waits is looked at again as soon as before', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService()
  await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
  let [offset, hold]: [number, Hold | undefined] = [0, { because: 'policy', until: undefined }]
  const loop = loopOf({ memory, clock, service, clockOffset: () => offset, policyHold: () => hold })
  run(loop)
  clock.step(3600)
  await clock.advance(seconds(30))
  // the next pass
  offset = -3_600_000
  hold = undefined
  await clock.advance(seconds(60))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})

test('where somebody sets the wall clock forward over its deadline, what a person asked for does not expire', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService()
  const deadline = after(clock.now(), seconds(1800))
  await addChange(memory.account('main'), startingAt(clock.now(), { deadline }), { at: clock.now() })
  let offset = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    clockOffset: () => offset,
    isClockSteady: () => clock.now() + offset === clock.monotonic() * 1000 + BEGAN,
  })
  clock.step(3600)
  run(loop)
  await clock.advance(seconds(30))
  expect([sent, loop.holdOf('ch-one')?.because]).toEqual([[], 'clock'])
  // the next pass
  offset = -3_600_000
  await clock.advance(seconds(30))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})
