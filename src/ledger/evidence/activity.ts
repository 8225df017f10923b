// What awake time was for: the idle tail, and the part that our own readings added.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence, OwnSession } from '../../model/ledger/evidence.ts'
import { instant, millis, type Instant, type Millis, type Seconds } from '../../model/units.ts'

/** `last_active` is written in whole seconds. */
const SECOND = 1000
/** A session's traces show at the service's next look for activity, 500 ms after its statistics are written at its end. Doubled, a client who comes right after us is taken for us. */
const TRACE = SECOND

/** Whether activity that the service dated to the second `at` may be a session of ours. */
const isOurs = (
  at: Instant,
  { connectedAt, disconnectedAt, activeBefore, sawClients }: OwnSession,
): boolean => !sawClients && at !== activeBefore && at + SECOND > connectedAt && at <= disconnectedAt + TRACE

/** Activities that are not explained by sessions of ours, and those that readings saw themselves, ascending. */
export function clientActivities(evidence: Evidence): readonly Instant[] {
  return [...new Set([...shownForeign(evidence), ...seenForeign(evidence)])].toSorted((a, b) => a - b)
}

/** In the records, to the second. */
const shownForeign = ({ activities, ownSessions }: Evidence): readonly Instant[] =>
  activities.filter((at) => !ownSessions.some((footprint) => isOurs(at, footprint)))

/** By readings, exact. */
const seenForeign = ({ ownSessions }: Evidence): readonly Instant[] =>
  ownSessions.flatMap(({ lastClientActivity }) => lastClientActivity ?? [])

/** Our own: what the records show of it, and the sessions that the service cannot have missed, ascending. */
export function observerActivities({ activities, ownSessions }: Evidence): readonly Instant[] {
  const shown = activities.filter((at) => ownSessions.some((footprint) => isOurs(at, footprint)))
  const counted = ownSessions.flatMap(({ counts, sawClients, disconnectedAt }) =>
    counts && !sawClients ? [disconnectedAt] : [],
  )
  return [...shown, ...counted].toSorted((a, b) => a - b)
}

/**
 * The time of a closed interval after the last activity in it. Where no look dated an activity inside the interval, the
 * delay that let the compute sleep tells when it was; all of an interval in which nothing happened, as later looks tell, is
 * idle.
 */
export function idleTailOf(interval: AwakeInterval, evidence: Evidence, delay: AutosuspendDelay): Millis {
  const { from, to } = interval
  if (!to) return millis(0)
  const inside = [...evidence.activities, ...clientActivities(evidence)]
    .filter((at) => at >= from.earliest - SECOND && at <= to.likely)
    .reduce<number | undefined>((newest, at) => Math.max(newest ?? at, at), undefined)
  if (inside !== undefined) return millis(Math.max(0, to.likely - Math.max(from.likely, inside + SECOND / 2)))
  const { activities } = evidence
  const wasQuiet = activities.length > 0 && !activities.some((at) => at > to.likely)
  if (wasQuiet) return millis(to.likely - from.likely)
  // Somebody suspended it by hand: what went on inside nobody told.
  if (delay === 'never') return millis(0)
  return millis(Math.min(to.likely - from.likely, delay * 1000))
}

/**
 * Awake time that our readings added to an interval: after foreign activity `f` the compute would have slept at
 * `f + delay`; where activity of ours came in between, what is awake beyond that and before foreign activity returned is
 * ours, and no more than our activity moved the timer. Counted once its end is known, also when it hid a suspension.
 */
export function observerOverhead(
  interval: AwakeInterval,
  evidence: Evidence,
  delay: AutosuspendDelay,
): Millis {
  if (delay === 'never') return millis(0)
  const inside = (at: Instant): boolean => at >= interval.from.earliest - SECOND && at <= interval.knownUntil
  const ours = observerActivities(evidence).filter(inside)
  const foreign = [
    ...shownForeign(evidence).filter(inside).map(middle),
    ...seenForeign(evidence).filter(inside),
  ]
  const starts = [interval.from.likely, ...foreign.toSorted((a, b) => a - b)]
  let added = 0
  starts.forEach((start, index) => {
    const next = starts[index + 1] ?? interval.to?.likely
    if (next === undefined) return
    const lastOfOurs = ours.findLast((at) => at > start && at < next)
    if (lastOfOurs === undefined) return
    const session = sessionAt(start, lastOfOurs, evidence.ownSessions)
    const since = lastBefore(start, session)
    const returned = starts[index + 1]
    if (returned === undefined) added += movedBy({ since, ours: lastOfOurs, end: next }, delay)
    else added += hidBy({ since, returned: returnedIn(lastOfOurs, returned, { evidence, session }) }, delay)
  })
  return millis(added)
}

/** Of a whole second, as likely as any other instant of it. */
const middle = (at: Instant): Instant => instant(at + SECOND / 2)

/** It fell asleep at `end`: a delay after our session, if that was noticed, else a delay after the activity before. */
function movedBy(
  { since, ours, end }: { readonly since: Instant; readonly ours: Instant; readonly end: Instant },
  delay: Seconds,
): number {
  const fell = end - delay * 1000
  return Math.abs(fell - ours) < Math.abs(fell - since) ? ours - since : 0
}

/** The service looks for activity every 500 ms, so it falls asleep that much after the delay on average. Source: service-facts.md, "What keeps a compute awake". */
const NOTICED = 250

/**
 * Somebody returned in `returned`: what is awake before that and after it would have slept is what we hid. As likely as not
 * the activity shown at its end was the first; else the first was anywhere in it.
 */
function hidBy(
  {
    since,
    returned: [from, to],
  }: { readonly since: Instant; readonly returned: readonly [Instant, Instant] },
  delay: Seconds,
): number {
  const asleepAt = since + delay * 1000 + NOTICED
  const [least, most] = [from - asleepAt, to - asleepAt]
  if (most <= 0) return 0
  const anywhere = least >= 0 ? (least + most) / 2 : most ** 2 / (2 * (most - least))
  return (most + anywhere) / 2
}

/** When others may have come back: looks show only the newest activity, so it may have been any time since the look before. */
function returnedIn(
  ours: Instant,
  returned: Instant,
  { evidence, session }: { readonly evidence: Evidence; readonly session: OwnSession | undefined },
): readonly [Instant, Instant] {
  const lag = session ? session.connectedAt - session.hiddenFrom : 0
  const before = evidence.states.findLast(({ answeredAt }) => answeredAt < returned)
  return [instant(Math.min(returned, Math.max(ours, (before?.askedAt ?? returned) - lag))), returned]
}

/** The session of ours whose trace `ours` is. */
const sessionAt = (
  start: Instant,
  ours: Instant,
  footprints: readonly OwnSession[],
): OwnSession | undefined =>
  footprints.findLast(
    ({ connectedAt, disconnectedAt }) =>
      connectedAt > start && connectedAt <= ours + SECOND && disconnectedAt + TRACE + SECOND >= ours,
  )

/**
 * When somebody else was last active before a session of ours: at `start`, unless somebody came whom neither record nor
 * reading shows. Where sessions arrive at some rate, those of the last moments are hidden, because the record lags; then
 * it is the expected time of the last of them.
 */
function lastBefore(start: Instant, session: OwnSession | undefined): Instant {
  const rate = (session?.arrivalRate ?? 0) / 1000
  if (!session || rate === 0) return start
  const end = session.connectedAt
  const hidden = Math.max(0, end - Math.max(start, session.hiddenFrom))
  const nobody = Math.exp(-rate * hidden)
  const ago = (1 - nobody) / rate - hidden * nobody + (end - start) * nobody
  return instant(Math.max(start, end - ago))
}

/** The last activity known that is not ours; undefined when none is. */
export const lastClientActivity = (evidence: Evidence): Instant | undefined =>
  clientActivities(evidence).at(-1)

/** Whether a wake lies inside a session of ours that cannot prove that the server ran before it, by a look or by its own account. */
export function isWokenByObserver({ from }: AwakeInterval, footprints: readonly OwnSession[]): boolean {
  return footprints.some(({ connectedAt, disconnectedAt, postmasterStartedAt, shownAwakeAt }) => {
    if (shownAwakeAt !== undefined && from.latest <= shownAwakeAt) return false
    const overlaps = from.latest >= connectedAt && from.earliest <= disconnectedAt
    return (
      overlaps && (postmasterStartedAt === undefined || postmasterStartedAt >= instant(connectedAt - SECOND))
    )
  })
}
