// Stage 1 of a pass: the sweep, dated by the service's time. No other stage sees a clock.
import type { Sweep } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { instant, millis, type Instant, type Seconds } from '../../model/units.ts'
import { adaptToThroughput } from '../../observe/polling/poll-plan.ts'
import { observe, type SweepPlan } from '../../observe/sweep.ts'
import { correctClockSkew } from './clock-skew.ts'
import type { PassInput } from './pass-input.ts'
import type { PassState } from './pass-state.ts'
import { createServiceClock, initialAnchor, upperBoundOfNow, type ClockAnchor } from './service-clock.ts'

export type Observed = {
  readonly sweep: Sweep
  /** Service time at the end of the sweep. */
  readonly now: Instant
  /** The latest that it can be then. */
  readonly upperBound: Instant
  /** The wall clock then: all displayed times are by it. */
  readonly wallClock: Instant
  readonly anchor: ClockAnchor
  /** Of the monotonic clock, at the start of the pass. */
  readonly startedOn: Seconds
}

export async function observeOnServiceTime(
  ports: Ports,
  { before, plan }: PassInput,
  signal: AbortSignal,
): Promise<Observed> {
  const startedOn = ports.clock.monotonic()
  const clock = createServiceClock(ports, before.anchor ?? initialAnchor(before.ledger, ports.clock))
  const observed = await observe(
    { ...ports, clock },
    {
      ledger: before.ledger,
      list: before.list,
      waiting: before.retries,
      plan: sweepPlan(before, plan.sweep),
    },
    signal,
  )
  const wallAhead = millis(ports.clock.now() - clock.now())
  const { sweep, late } = correctClockSkew(observed, { time: ports.time, wallAhead })
  const anchor = { at: instant(clock.now() + late), on: clock.monotonic() }
  const corrected = createServiceClock(ports, anchor)
  return {
    sweep,
    now: corrected.now(),
    upperBound: upperBoundOfNow(corrected),
    wallClock: ports.clock.now(),
    anchor,
    startedOn,
  }
}

/** Without readings while the ledger is not persisted: a reading that is not stored would be repeated, and each may keep a compute awake. */
function sweepPlan({ isPersisted, throughput }: PassState, plan: SweepPlan): SweepPlan {
  const adapted = { ...plan, requests: adaptToThroughput(plan, throughput) }
  return isPersisted ? adapted : { ...adapted, readings: { ...plan.readings, mode: 'off' } }
}
