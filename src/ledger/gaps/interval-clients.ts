// Clients of one awake interval: whether one started it, and when the first came.
import type { ActivityState } from '../../model/ledger/gap.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import { delayMillis } from '../../model/service/compute.ts'
import { mayStartCompute } from '../../model/service/operation.ts'
import { earliest, instant, latest, SECOND, type Instant, type Interval } from '../../model/units.ts'
import { isWokenByService } from '../attribution/attribution.ts'
import { clientActivities, isWokenByObserver, isWokenDuring } from '../evidence/activity.ts'
import { WAKE_TIME } from './gap-length.ts'
import { isExplainedBy, type EndedInterval } from './suspension-cause.ts'

/** By a restart, the service, a change or a warm-up: records may show such a start as activity. */
export const isStartedWithoutClient = (interval: AwakeInterval, evidence: Evidence): boolean =>
  interval.restart ||
  isWokenByService(interval, evidence) ||
  isWokenDuring(interval, evidence.changes) ||
  isWokenDuring(interval, evidence.warmUps)

/**
 * Known activity of clients, ascending.
 *
 * @param shown newest activity of a client that looks showed, which evidence of settled time does not hold any more
 */
export function clientsIn(
  interval: AwakeInterval,
  evidence: Evidence,
  shown: Instant | undefined,
): readonly Instant[] {
  const { from, to } = interval
  const since = isStartedWithoutClient(interval, evidence) ? from.latest + SECOND : from.earliest - SECOND
  const isInside = (at: Instant) => at >= since && at <= (to?.latest ?? Infinity)
  const recorded = clientActivities(evidence).filter(isInside)
  const isEarlier = shown !== undefined && isInside(shown) && shown < (recorded[0] ?? Infinity)
  return isEarlier ? [shown, ...recorded] : recorded
}

type LookedAt = Readonly<{ evidence: Evidence; unusedUntil: Instant | undefined }> &
  Pick<ActivityState, 'lag'>

/** Undefined where no client used the interval, or none is known to have. */
export function firstActivity(
  interval: AwakeInterval,
  clients: readonly Instant[],
  looked: LookedAt,
): Interval | undefined {
  const { from } = interval
  const { evidence } = looked
  const [client] = clients
  const isWokenByClient =
    !isStartedWithoutClient(interval, evidence) &&
    !isWokenByObserver(interval, evidence.ownSessions) &&
    !isShownUnused(interval, looked)
  if (!isWokenByClient) return client && { from: earliest(client, quietUntil(interval, looked)), to: client }
  return { from: instant(from.earliest - WAKE_TIME), to: from.latest }
}

/** A look after the start shows no activity since. */
const isShownUnused = (interval: AwakeInterval, { evidence: { states }, unusedUntil }: LookedAt) =>
  isInside(interval, unusedUntil) ||
  states.some(
    ({ askedAt, record }) =>
      record?.lastActive !== undefined &&
      record.lastActive < interval.from.earliest - SECOND &&
      askedAt > interval.from.latest + 60 * SECOND,
  )

/** Until when looks show that no client came after a start that none caused; the start where none shows it. */
function quietUntil(interval: AwakeInterval, { evidence, lag, unusedUntil }: LookedAt): Instant {
  const { from } = interval
  if (isInside(interval, unusedUntil)) return unusedUntil
  const quiet = evidence.states.findLast(
    ({ askedAt, record }) =>
      askedAt > from.latest && record?.lastActive !== undefined && record.lastActive <= from.latest,
  )
  const hidden = Math.max(lag.atLeast, lag.atMost) * SECOND
  return latest(from.earliest, instant((quiet?.askedAt ?? 0) - hidden))
}

const isInside = ({ from, to }: AwakeInterval, at: Instant | undefined): at is Instant =>
  at !== undefined && at > from.latest && at <= (to?.latest ?? Infinity)

/**
 * Where the first client came that no look showed: the suspension came later than the start, own activity and quiet looks explain, so that one
 * was active one delay before. Undefined where there was none.
 */
export function hiddenClient(interval: EndedInterval, looked: LookedAt): Interval | undefined {
  const from = quietUntil(interval, looked)
  if (isExplainedBy(latest(from, actedUntil(interval, looked.evidence)), interval)) return undefined
  return { from, to: instant(interval.to.latest - delayMillis(interval.cause.delay)) }
}

/** The start, or the end of the last action that may have started the delay anew. */
function actedUntil(
  { from, to }: EndedInterval,
  { operations, changes = [], warmUps = [] }: Evidence,
): Instant {
  const ends = [
    ...operations.filter(mayStartCompute).map(({ updatedAt }) => instant(updatedAt + SECOND)),
    ...[...changes, ...warmUps].map((span) => span.to),
  ]
  return latest(from.latest, ...ends.filter((at) => at <= to.latest))
}
