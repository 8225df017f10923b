// The service's time: as its answers tell it, else as the wall clock showed it when the process began; carried on by the monotonic clock.
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Clock, ServiceClock } from '../../model/ports/clock.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { likelyOffset, offsetBoundsAt, type ServiceTimeEstimate } from '../../model/service/service-time.ts'
import {
  earliest,
  instant,
  latest,
  millis,
  type Instant,
  type Millis,
  type Seconds,
} from '../../model/units.ts'

/** Service time `at` when the monotonic clock showed `on`. */
type ClockAnchor = Readonly<{ at: Instant; on: Seconds }>

/** At the end of a sweep. */
export type ClockReading = Readonly<{
  /** Service time. */
  now: Instant
  /** The latest that `now` can be. */
  upperBound: Instant
  /** By which all displayed times are. */
  wallClock: Instant
  anchor: ClockAnchor
}>

export type ClockState = Readonly<{
  /** Undefined before the first pass. */
  anchor: ClockAnchor | undefined
  /** Service time minus the wall clock, at the end of the last sweep. */
  offset: Millis
  /** By how much service time may be later. */
  uncertainty: Millis
}>

export const newClock = (): ClockState => ({ anchor: undefined, offset: millis(0), uncertainty: millis(0) })

export const nextClock = ({ anchor, now, upperBound, wallClock }: ClockReading): ClockState => ({
  anchor,
  offset: millis(now - wallClock),
  uncertainty: millis(upperBound - now),
})

/** Difference between wall clock and monotonic clock since the last sweep from which neither is believed, ms: more than corrections by NTP. */
const MAX_STEP = 2000

/** Whether both clocks of the machine went on alike since the last sweep: nobody set the one, and the machine did not sleep. */
export const isSteady = ({ anchor, offset }: ClockState, clock: Pick<Clock, 'now' | 'monotonic'>): boolean =>
  anchor === undefined ||
  Math.abs(clock.now() + offset - (anchor.at + 1000 * (clock.monotonic() - anchor.on))) <= MAX_STEP

/** The service's time by the clock of the machine that shows less: what ends by it has ended also where the wall clock was set forward. */
export function earliestNow(
  { anchor, offset }: ClockState,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Instant {
  const byWall = instant(clock.now() + offset)
  return anchor === undefined
    ? byWall
    : earliest(byWall, instant(Math.round(anchor.at + 1000 * (clock.monotonic() - anchor.on))))
}

/** Error allowed for the wall clock where no response dates the service's time, ms: more would blur every edge. */
export const ASSUMED_SKEW = 3000

/** The wall clock, unless the ledger has seen later times: one set back while nothing ran must not count anything twice. */
export function initialAnchor({ computes, projects }: Ledger, clock: Clock): ClockAnchor {
  let seen = instant(0)
  for (const { appliedAt, observedAt } of computes.values()) seen = latest(seen, appliedAt, observedAt)
  for (const { listed } of projects.values()) seen = latest(seen, listed?.at ?? seen)
  // what was seen is dated by the latest that it can be
  return { at: latest(clock.now(), instant(seen - ASSUMED_SKEW)), on: clock.monotonic() }
}

/** A clock that nobody moves by setting the machine's. What answers tell while it is used, it tells at once. */
export function createServiceClock(
  { clock, serviceTime }: Pick<Ports, 'clock' | 'serviceTime'>,
  base: ClockAnchor,
): ServiceClock {
  const begun = base.at - base.on * 1000
  return {
    ...clock,
    now: () => {
      const on = clock.monotonic()
      return instant(Math.round(on * 1000 + likely(begun, serviceTime.estimate(), on)))
    },
    between: (from, to) => {
      const told = serviceTime.estimate()
      if (told?.doubted) return undefined
      const low = told ? offsetBoundsAt(told.known, from).low : begun - ASSUMED_SKEW
      const high = told ? offsetBoundsAt(told.known, to).high : begun + ASSUMED_SKEW
      return { from: instant(Math.floor(from * 1000 + low)), to: instant(Math.ceil(to * 1000 + high)) }
    },
  }
}

/** Bounds of what goes on reach this far. */
export function upperBoundOfNow(clock: ServiceClock): Instant {
  const on = clock.monotonic()
  return clock.between(on, on)?.to ?? clock.now()
}

/** What was believed before, until an answer contradicts it: time runs evenly while its bounds narrow. */
function likely(begun: number, told: ServiceTimeEstimate | undefined, on: Seconds) {
  if (!told) return begun
  const { low, high } = likelyOffset(offsetBoundsAt(told.known, on))
  return low <= begun && begun <= high ? begun : (low + high) / 2
}
