// What awake time was for: the idle tail, and the part that our own readings added.
import type { AutosuspendDelay } from '../model/compute.ts'
import type { AwakeInterval, Evidence, Footprint } from '../model/ledger.ts'
import { instant, millis, type Instant, type Millis } from '../model/units.ts'

/** `last_active` is written in whole seconds. */
const SECOND = 1000
/** A session's traces show at the service's next look for activity, 500 ms later, and once more when its statistics are written at its end. */
const TRACE = 2 * SECOND

/** Whether activity that the service dated to the second `at` may be a session of ours. */
const isOurs = (at: Instant, { connectedAt, disconnectedAt, activeBefore, sawForeign }: Footprint): boolean =>
  !sawForeign && at !== activeBefore && at + SECOND > connectedAt && at <= disconnectedAt + TRACE

/** Activities that are not explained by sessions of ours, ascending. */
export const foreignActivities = ({ activities, footprints }: Evidence): readonly Instant[] =>
  activities.filter((at) => !footprints.some((footprint) => isOurs(at, footprint)))

/**
 * The time of a closed interval after the last activity in it. Where no look dated an activity inside the interval, the
 * delay that let the compute sleep tells when it was; all of an interval in which nothing can have happened is idle.
 */
export function idleTailOf(interval: AwakeInterval, evidence: Evidence, delay: AutosuspendDelay): Millis {
  const { from, to } = interval
  if (!to) return millis(0)
  const inside = evidence.activities.findLast((at) => at >= from.earliest - SECOND && at <= to.likely)
  if (inside !== undefined) return millis(Math.max(0, to.likely - Math.max(from.likely, inside + SECOND / 2)))
  const sawLater = evidence.activities.some((at) => at > to.likely)
  if (!sawLater || delay === 'never') return millis(to.likely - from.likely)
  return millis(Math.min(to.likely - from.likely, delay * 1000))
}

/**
 * Awake time that our readings added to an interval: after foreign activity `f` the compute would have slept at
 * `f + delay`; where activity of ours came in between, what is awake beyond that and before foreign activity returned is
 * ours, and no more than our activity moved the timer. Counted once its end is known, also when it hid a suspension.
 */
export function extensionOf(interval: AwakeInterval, evidence: Evidence, delay: AutosuspendDelay): Millis {
  if (delay === 'never') return millis(0)
  const inside = (at: Instant): boolean => at >= interval.from.earliest - SECOND && at <= interval.knownUntil
  const foreign = foreignActivities(evidence).filter(inside)
  const ours = evidence.activities.filter((at) => inside(at) && !foreign.includes(at))
  const starts = [interval.from.likely, ...foreign]
  let added = 0
  starts.forEach((start, index) => {
    const next = starts[index + 1] ?? interval.to?.likely
    if (next === undefined) return
    const lastOfOurs = ours.findLast((at) => at > start && at < next)
    if (lastOfOurs !== undefined)
      added += Math.max(0, Math.min(next - (start + delay * 1000), lastOfOurs - start))
  })
  return millis(added)
}

/** The last activity known that is not ours; undefined when none is. */
export const lastForeignActivity = (evidence: Evidence): Instant | undefined =>
  foreignActivities(evidence).at(-1)

/** Whether a wake lies inside a session of ours that cannot prove that the server ran before it. */
export function isCausedByUs({ from }: AwakeInterval, footprints: readonly Footprint[]): boolean {
  return footprints.some(({ connectedAt, disconnectedAt, postmasterStartedAt }) => {
    const overlaps = from.latest >= connectedAt && from.earliest <= disconnectedAt
    return (
      overlaps && (postmasterStartedAt === undefined || postmasterStartedAt >= instant(connectedAt - SECOND))
    )
  })
}
