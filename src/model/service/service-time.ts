// A response is written between request and arrival, in the second of its `Date` header or shortly after.
import { SECOND, instant, type Instant, type Seconds } from '../units.ts'

/** Service time minus monotonic clock, ms, when the latter showed `on`. */
type ClockOffsetBounds = Readonly<{ low: number; high: number; on: Seconds }>

/** `sentOn` and `answeredOn` are on the monotonic clock. */
type DatedResponse = Readonly<{ date: Instant; sentOn: Seconds; answeredOn: Seconds }>

export type ServiceTimeEstimate = Readonly<{
  /** Intersection of all consistent responses. */
  known: ClockOffsetBounds
  /** The last response when it contradicts `known`: a single one changes nothing. */
  doubted: ClockOffsetBounds | undefined
}>

/** Largest difference between clocks of the service, 100 ms: NTP keeps them well within it. */
const MACHINE_SKEW = 100
/** Longest reuse of a `Date` value by servers and proxies: the header may be late by it, never early. */
const DATE_REUSE = SECOND
/** Largest drift of the service's clock against ours, 0.2 ms per second: about twice that of an unsteered clock. */
const DRIFT = 0.2

/**
 * After a suspension of this machine, which stops the monotonic clock, no response is consistent: then two that agree start new
 * bounds.
 */
export function addDatedResponse(
  before: ServiceTimeEstimate | undefined,
  response: DatedResponse,
): ServiceTimeEstimate {
  const bounds = offsetOf(response)
  if (!before) return { known: bounds, doubted: undefined }
  const narrowed = intersect(before.known, bounds)
  if (narrowed) return { known: narrowed, doubted: undefined }
  const restarted = before.doubted && intersect(before.doubted, bounds)
  return restarted ? { known: restarted, doubted: undefined } : { known: before.known, doubted: bounds }
}

const offsetOf = ({ date, sentOn, answeredOn }: DatedResponse): ClockOffsetBounds => ({
  low: date - answeredOn * 1000 - MACHINE_SKEW,
  high: date + SECOND + DATE_REUSE - sentOn * 1000 + MACHINE_SKEW,
  on: answeredOn,
})

/** Widened by drift to the time when the monotonic clock shows `on`. */
export function offsetBoundsAt(bounds: ClockOffsetBounds, on: Seconds): ClockOffsetBounds {
  const drift = Math.abs(on - bounds.on) * DRIFT
  return { low: bounds.low - drift, high: bounds.high + drift, on }
}

/**
 * Most servers write a new `Date` into each response, so the allowance for reuse is taken off. Where that leaves nothing, the
 * response with the least lateness decides.
 */
export const likelyOffset = ({ low, high, on }: ClockOffsetBounds): ClockOffsetBounds => ({
  low,
  high: Math.max(high - DATE_REUSE, low + 2 * MACHINE_SKEW),
  on,
})

function intersect(before: ClockOffsetBounds, next: ClockOffsetBounds): ClockOffsetBounds | undefined {
  const drifted = offsetBoundsAt(before, next.on)
  const low = Math.max(drifted.low, next.low)
  const high = Math.min(drifted.high, next.high)
  return low <= high ? { low, high, on: next.on } : undefined
}

/** From the current time, which the first response may have corrected. */
export const instantOf = (
  on: Seconds,
  clock: Readonly<{ now: () => Instant; monotonic: () => Seconds }>,
): Instant => instant(Math.round(clock.now() - (clock.monotonic() - on) * 1000))
