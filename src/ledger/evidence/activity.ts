// Use of awake time: the idle tail, and the observer overhead that readings add.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { AwakeInterval, Edge, Evidence, OwnSession } from '../../model/ledger/evidence.ts'
import type { Instant, Millis, Seconds, Interval } from '../../model/units.ts'
import { earliest, instant, millis, SECOND } from '../../model/units.ts'

/** Longest time after a session's end at which its activity shows, 1 s: statistics are written then, and the service looks every 500 ms. */
const MAX_TRACE_DELAY = SECOND

/** Whether own sessions explain activity dated to the second `at`. */
export const isObserverActivity = (at: Instant, ownSessions: readonly OwnSession[]): boolean =>
  ownSessions.some((session) => isOurs(at, session))

/** Whether activity dated to the second `at` may be the start that a warm-up asked for: records may show it as activity. */
export const isWarmUpActivity = (at: Instant, warmUps: readonly Interval[] = []): boolean =>
  warmUps.some(({ from, to }) => at + SECOND > from && at <= to)

/** Whether activity dated to the second `at` may be the daemon's own session. */
const isOurs = (at: Instant, session: OwnSession) =>
  !session.sawClients &&
  at !== session.activeBefore &&
  at + SECOND > session.connectedAt &&
  at <= session.disconnectedAt + MAX_TRACE_DELAY

/** Client activity, ascending: recorded activity that no own session explains, and what readings observed. */
export const clientActivities = (evidence: Evidence): readonly Instant[] =>
  [...new Set([...recordedActivities(evidence).clients, ...clientActivitiesOfReadings(evidence)])].toSorted(
    (a, b) => a - b,
  )

/** Recorded activity that own sessions may explain, and the rest. Both inputs are ascending: one walk suffices. */
function recordedActivities({ activities, ownSessions, warmUps }: Evidence) {
  const [ours, clients]: [Instant[], Instant[]] = [[], []]
  let first = 0
  for (const at of activities) {
    if (isWarmUpActivity(at, warmUps)) continue
    while ((ownSessions[first]?.disconnectedAt ?? Infinity) + MAX_TRACE_DELAY < at) first += 1
    let isExplained = false
    for (let index = first; !isExplained; index += 1) {
      const session = ownSessions[index]
      if (!session || session.connectedAt >= at + SECOND) break
      isExplained = isOurs(at, session)
    }
    if (isExplained) ours.push(at)
    else clients.push(at)
  }
  return { ours, clients }
}

/** From readings, exact. */
const clientActivitiesOfReadings = ({ ownSessions }: Evidence): readonly Instant[] =>
  ownSessions.flatMap(({ lastClientActivity }) => lastClientActivity ?? [])

/** Observer activity, ascending: recorded activity of own sessions, and own sessions that the service certainly noticed. */
export const observerActivities = (evidence: Evidence): readonly Instant[] =>
  withSessions(recordedActivities(evidence).ours, evidence)

function withSessions(recorded: readonly Instant[], { ownSessions }: Evidence): readonly Instant[] {
  const fromSessions = ownSessions.flatMap(({ counts, sawClients, disconnectedAt }) =>
    counts && !sawClients ? [disconnectedAt] : [],
  )
  return [...recorded, ...fromSessions].toSorted((a, b) => a - b)
}

/** Time after the last activity of a closed interval: one delay where none is dated, all of it where later looks show none inside. */
export function idleTailOf(interval: AwakeInterval, evidence: Evidence, delay: AutosuspendDelay): Millis {
  const { from, to } = interval
  if (!to) return millis(0)
  const lastActivity = [...evidence.activities, ...clientActivities(evidence)]
    .filter((at) => at >= from.earliest - SECOND && at <= to.likely)
    .reduce<number | undefined>((newest, at) => Math.max(newest ?? at, at), undefined)
  if (lastActivity !== undefined)
    return millis(Math.max(0, to.likely - Math.max(from.likely, lastActivity + SECOND / 2)))
  const { activities } = evidence
  const wasQuiet = activities.length > 0 && !activities.some((at) => at > to.likely)
  if (wasQuiet) return millis(to.likely - from.likely)
  // Suspended by hand: the last activity is unknown.
  if (delay === 'never') return millis(0)
  return millis(Math.min(to.likely - from.likely, delay * 1000))
}

/**
 * Awake time that readings added to an interval, once its end is known:
 * 1. Where our session woke it, all time until the first client, or the end.
 * 2. For each client activity followed by own activity and no later client, the time by which the suspension moved: at most that between the two.
 * 3. With a later client, the hidden sleep: from the expected suspension to the return of clients.
 */
export function observerOverhead(awake: AwakeInterval, evidence: Evidence, delay: AutosuspendDelay): Millis {
  // only a reading adds time, and each has a session
  if (evidence.ownSessions.length === 0) return millis(0)
  const isInside = (at: Instant) => at >= awake.from.earliest - SECOND && at <= awake.knownUntil
  const recorded = recordedActivities(evidence)
  const clients = [
    ...recorded.clients.filter(isInside).map(middleOfSecond),
    ...clientActivitiesOfReadings(evidence).filter(isInside),
  ].toSorted((a, b) => a - b)
  const isCaused = !awake.restart && isWokenByObserver(awake, evidence.ownSessions)
  const firstUse = isCaused ? (clients[0] ?? awake.to?.likely) : undefined
  const caused = Math.max(0, (firstUse ?? 0) - awake.from.likely)
  if (delay === 'never') return millis(caused)
  const ours = withSessions(recorded.ours, evidence).filter(isInside)
  const starts = isCaused ? clients : [awake.from.likely, ...clients]
  let added = caused
  starts.forEach((start, index) => {
    const returned = starts[index + 1]
    const lastOfOurs = ours.findLast((at) => at > start && at < (returned ?? awake.to?.likely ?? 0))
    if (lastOfOurs === undefined) return
    const session = sessionAt(start, lastOfOurs, evidence.ownSessions)
    const since = lastClientBefore(start, session)
    if (returned !== undefined)
      added += hiddenSleepOf(since, returnBounds(lastOfOurs, returned, { evidence, session }), delay)
    else if (awake.to) added += extensionOf({ start, since, ours: lastOfOurs }, awake.to, delay)
  })
  return millis(added)
}

/** Expected instant of an activity dated to a whole second. */
const middleOfSecond = (at: Instant) => instant(at + SECOND / 2)

/** Last client activity as recorded, and as expected; last own activity after it. */
type Used = Readonly<{ start: Instant; since: Instant; ours: Instant }>

/**
 * The distance between own and client activity where the suspend timer ran from ours, else 0. A suspension before the delay was over, even
 * since the client, is by hand or shows that the real delay is shorter: ours may have moved it.
 */
function extensionOf({ start, since, ours }: Used, end: Edge, delay: Seconds): number {
  const timerStart = end.likely - delay * 1000
  const ranFromOurs = Math.abs(timerStart - ours) < Math.abs(timerStart - since)
  const isEarly = end.latest - delay * 1000 < start - SECOND
  return ranFromOurs || isEarly ? ours - since : 0
}

/** Mean delay until the service notices inactivity, 250 ms: it looks every 500 ms. Source: service-facts.md, "What keeps a compute awake". */
const MEAN_NOTICE_DELAY = 250

/** Mean of a first return of clients at the end of `returned`, and uniform inside it. */
function hiddenSleepOf(since: Instant, { from, to }: Interval, delay: Seconds): number {
  const asleepAt = since + delay * 1000 + MEAN_NOTICE_DELAY
  const [least, most] = [from - asleepAt, to - asleepAt]
  if (most <= 0) return 0
  const anywhere = least >= 0 ? (least + most) / 2 : most ** 2 / (2 * (most - least))
  return (most + anywhere) / 2
}

/** Looks show only the newest activity: clients may have returned any time since the look before. */
function returnBounds(
  ours: Instant,
  returned: Instant,
  { evidence, session }: { evidence: Evidence; session: OwnSession | undefined },
): Interval {
  const lag = session ? session.connectedAt - session.hiddenFrom : 0
  const before = evidence.states.findLast(({ answeredAt }) => answeredAt < returned)
  const from = Math.max(ours, (before?.askedAt ?? returned) - lag)
  return { from: earliest(returned, instant(from)), to: returned }
}

/** Own session that explains the activity at `ours`. */
const sessionAt = (start: Instant, ours: Instant, ownSessions: readonly OwnSession[]) =>
  ownSessions.findLast(
    ({ connectedAt, disconnectedAt }) =>
      connectedAt > start &&
      connectedAt <= ours + SECOND &&
      disconnectedAt + MAX_TRACE_DELAY + SECOND >= ours,
  )

/** Expected last client activity before an own session: `start`, unless arrivals that the records do not show yet are likely. */
function lastClientBefore(start: Instant, session: OwnSession | undefined): Instant {
  const rate = (session?.arrivalRate ?? 0) / 1000
  if (!session || rate === 0) return start
  const end = session.connectedAt
  const hidden = Math.max(0, end - Math.max(start, session.hiddenFrom))
  const noArrival = Math.exp(-rate * hidden)
  const sinceLast = (1 - noArrival) / rate - hidden * noArrival + (end - start) * noArrival
  return instant(Math.max(start, end - sinceLast))
}

export const lastClientActivity = (evidence: Evidence): Instant | undefined =>
  clientActivities(evidence).at(-1)

/** Whether a wake falls inside a change or a warm-up of Dormouse. A client that comes in that second is taken for it. */
export const isWokenDuring = ({ from }: AwakeInterval, spans: readonly Interval[] = []): boolean =>
  spans.some((span) => from.latest + SECOND > span.from && from.earliest <= span.to)

/** Whether a wake falls inside an own session that neither a look nor its start time proves to be older than the session. */
export function isWokenByObserver({ from }: AwakeInterval, ownSessions: readonly OwnSession[]): boolean {
  return ownSessions.some(({ connectedAt, disconnectedAt, postmasterStartedAt, shownAwakeAt }) => {
    if (shownAwakeAt !== undefined && from.latest <= shownAwakeAt) return false
    const isInside = from.latest >= connectedAt && from.earliest <= disconnectedAt
    return isInside && (postmasterStartedAt === undefined || postmasterStartedAt >= connectedAt - SECOND)
  })
}
