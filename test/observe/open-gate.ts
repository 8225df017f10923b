import type { Clock } from '../../src/model/ports/clock.ts'
import { seconds } from '../../src/model/units.ts'
import { createRequestGate, type RequestGate } from '../../src/observe/request-gate.ts'

/** Gate that has just opened. */
export const openGate = (clock: Clock, signal = new AbortController().signal): RequestGate =>
  createRequestGate(clock, { kind: 'readings', startedOn: clock.monotonic(), interval: seconds(60) }, signal)
