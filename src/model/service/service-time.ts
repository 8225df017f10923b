// What answers tell of the service's time: each was written between its sending and its arrival, in the second that it names or soon after.
import { instant, type Instant, type Seconds } from '../units.ts'

/** The service's time less the monotonic clock, ms: inside `[low, high]` when the latter showed `on`. */
export type ClockOffsetBounds = { readonly low: number; readonly high: number; readonly on: Seconds }

/** An answer that names the second it was written in, or one shortly before; sending and arrival are by the monotonic clock. */
export type DatedResponse = {
  readonly date: Instant
  readonly sentOn: Seconds
  readonly answeredOn: Seconds
}

export type ServiceTimeEstimate = {
  /** What the answers have in common. */
  readonly known: ClockOffsetBounds
  /** What the last answer says where it fits no other: one alone moves nothing. Undefined while all agree. */
  readonly doubted: ClockOffsetBounds | undefined
}

const SECOND = 1000
/** How far the machines that answer may be from those that write records, ms. Doubled, an edge between two looks is that much wider on either side. */
const AGREED = 100
/** How long servers, and machines on the way, may use a `Date` that they once made, ms: then it is late, and never early. Doubled, what a look dates may be a second later. */
const KEPT = SECOND
/** How much the service's clock may gain or lose on ours, ms in a second: two that are steered run truer. Doubled, what is known is forgotten twice as fast. */
const DRIFT = 0.2

/**
 * Bounds are narrowed by each answer that fits them. A machine that slept stopped its monotonic clock: then no answer fits, and
 * two that agree begin them anew.
 */
export function addDatedResponse(
  told: ServiceTimeEstimate | undefined,
  answer: DatedResponse,
): ServiceTimeEstimate {
  const fresh = offsetOf(answer)
  if (!told) return { known: fresh, doubted: undefined }
  const known = common(told.known, fresh)
  if (known) return { known, doubted: undefined }
  const begun = told.doubted && common(told.doubted, fresh)
  return begun ? { known: begun, doubted: undefined } : { known: told.known, doubted: fresh }
}

const offsetOf = ({ date, sentOn, answeredOn }: DatedResponse): ClockOffsetBounds => ({
  low: date - answeredOn * 1000 - AGREED,
  high: date + SECOND + KEPT - sentOn * 1000 + AGREED,
  on: answeredOn,
})

/** `offset` when the monotonic clock shows `on`. */
export function offsetBoundsAt({ low, high, on: told }: ClockOffsetBounds, on: Seconds): ClockOffsetBounds {
  const drift = Math.abs(on - told) * DRIFT
  return { low: low - drift, high: high + drift, on }
}

/**
 * Where in its bounds an offset most likely is: most servers write the time anew into each answer, and the bounds of answers that were all
 * dated so have something in common. Where they have not, the one that was late the least tells best.
 */
export const likelyOffset = ({ low, high, on }: ClockOffsetBounds): ClockOffsetBounds => ({
  low,
  high: Math.max(high - KEPT, low + 2 * AGREED),
  on,
})

function common(known: ClockOffsetBounds, fresh: ClockOffsetBounds): ClockOffsetBounds | undefined {
  const here = offsetBoundsAt(known, fresh.on)
  const both = { low: Math.max(here.low, fresh.low), high: Math.min(here.high, fresh.high), on: fresh.on }
  return both.low <= both.high ? both : undefined
}

/** The time at which the monotonic clock showed `on`, by what is known of the time now: the first response may have corrected it. */
export const instantOf = (
  on: Seconds,
  clock: { readonly now: () => Instant; readonly monotonic: () => Seconds },
): Instant => instant(Math.round(clock.now() - (clock.monotonic() - on) * 1000))
