// The apply loop while the wall clock of the machine is set, until the next pass.
import { expect, test } from 'vitest'
import type { Hold } from '../../../src/model/policy/hold.ts'
import { after, seconds } from '../../../src/model/units.ts'
import { applyingOf } from '../../apply/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import {
  addChangeNow,
  loopOf,
  loopPorts,
  loopPortsWithChange,
  runUntilTestEnds,
  changeMadeAt,
} from './loop-of.ts'

/** Of `fakeClock`, ms. */
const BEGAN = fakeClock().now()

test('where somebody sets the wall clock forward, a request without an answer is not settled before the time of the service is known again', async () => {
  const { clock, memory, service, sent } = loopPorts()
  const state = applyingOf({ sentAt: clock.now(), uncertainAt: clock.now(), epoch: memory.epoch })
  await memory
    .account('main')
    .commit([{ kind: 'change', change: changeMadeAt(clock.now(), { state }), replaces: undefined }])
  let offset = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    clockOffset: () => offset,
    isClockSteady: () => clock.now() + offset === clock.monotonic() * 1000 + BEGAN,
  })
  runUntilTestEnds(loop)
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
  const { clock, memory, service, sent } = await loopPortsWithChange()
  let [offset, hold]: [number, Hold | undefined] = [0, { because: 'policy', until: undefined }]
  const loop = loopOf({ memory, clock, service, clockOffset: () => offset, policyHold: () => hold })
  runUntilTestEnds(loop)
  clock.step(3600)
  await clock.advance(seconds(30))
  // the next pass
  offset = -3_600_000
  hold = undefined
  await clock.advance(seconds(60))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})

test('where somebody sets the wall clock forward over its deadline, what a person asked for does not expire', async () => {
  const { clock, memory, service, sent } = loopPorts()
  await addChangeNow({ clock, memory }, { deadline: after(clock.now(), seconds(1800)) })
  let offset = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    clockOffset: () => offset,
    isClockSteady: () => clock.now() + offset === clock.monotonic() * 1000 + BEGAN,
  })
  clock.step(3600)
  runUntilTestEnds(loop)
  await clock.advance(seconds(30))
  expect([sent, loop.holdOf('ch-one')?.because]).toEqual([[], 'clock'])
  // the next pass
  offset = -3_600_000
  await clock.advance(seconds(30))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})
