import { isOperationTracked } from '../../model/service/operation.ts'
import type { AwakeInterval, Edge, Evidence } from '../../model/ledger/evidence.ts'
import type { Totals } from '../../model/ledger/ledger.ts'
import { SECOND, millis, type Instant, type Interval } from '../../model/units.ts'
import { observerOverhead, clientActivities, observerActivities } from '../evidence/activity.ts'
import { updateBehaviourOf } from '../evidence/certainty.ts'
import { deletionIn } from '../evidence/evidence.ts'
import { mergeAttribution } from '../attribution/attribution.ts'
import { NO_TOTALS, type TotalsContext } from './totals.ts'

/** Longest time from the end of an own session to its activity, ms, in whole seconds. */
const MAX_SESSION_TRACE = 2 * SECOND

/** Evidence after `at`, with the facts that explain it, or all of the interval in progress. */
export function pruneEvidence(evidence: Evidence, at: Instant, open: AwakeInterval | undefined): Evidence {
  const { operations, sizes, measured, ownSessions, covered, readSince } = evidence
  const isAfter = (item: Instant) => item > at
  const isNotBefore = (item: Instant) => item + SECOND > at
  const before = sizes.findLastIndex(({ firstSeenAt }) => firstSeenAt <= at)
  return {
    operations: operations.filter(
      (operation) =>
        isNotBefore(operation.updatedAt) ||
        isOperationTracked(operation, at) ||
        (open !== undefined && operation.action === 'check_availability'),
    ),
    states: statesAfter(evidence, at),
    starts: evidence.starts.filter(isNotBefore),
    ends: evidence.ends.filter(isNotBefore),
    // Activity inside the interval in progress is dropped by pruneOpenInterval.
    activities: evidence.activities.filter((item) =>
      open ? item + SECOND >= open.from.earliest : isAfter(item),
    ),
    sizes: sizes.filter((_, index) => index >= before - 1),
    measured: measured.filter((one, index, all) => isAfter(all[index + 1]?.at ?? one.at) || isAfter(one.at)),
    ownSessions: ownSessions.filter(({ disconnectedAt }) =>
      open ? disconnectedAt + MAX_SESSION_TRACE >= open.from.earliest : isAfter(disconnectedAt),
    ),
    ...ownActionsAfter(evidence, at, open),
    covered,
    readSince,
    updates: updateBehaviourOf(evidence),
    attributed: open
      ? mergeAttribution(evidence.attributed, open.from.earliest, at)
      : evidence.attributed.filter(({ to }) => isAfter(to)),
  }
}

/** Changes and warm-ups of the interval in progress stay, as long as it may be restated. */
function ownActionsAfter(
  { changes = [], warmUps = [] }: Evidence,
  at: Instant,
  open: AwakeInterval | undefined,
): Pick<Evidence, 'changes' | 'warmUps'> {
  const isKept = ({ to }: Interval) => to + SECOND > (open?.from.earliest ?? at)
  const kept = { changes: changes.filter(isKept), warmUps: warmUps.filter(isKept) }
  return {
    ...(kept.changes.length > 0 && { changes: kept.changes }),
    ...(kept.warmUps.length > 0 && { warmUps: kept.warmUps }),
  }
}

/** Without observations older than the last start or suspension before the watermark, served from a stale record. */
function statesAfter({ states: observations, starts, ends }: Evidence, at: Instant): Evidence['states'] {
  const isPast = (item: Instant) => item <= at
  const [started, ended] = [starts.findLast(isPast) ?? 0, ends.findLast(isPast) ?? 0]
  const deletion = deletionIn({ states: observations })
  return observations.filter((item) => {
    const { answeredAt, record } = item
    const isOutdated = record && ((record.startedAt ?? 0) < started || (record.suspendedAt ?? 0) < ended)
    return item === deletion || (answeredAt >= at && !isOutdated)
  })
}

/**
 * Evidence of an interval in progress, until `until`. Activity at its start stays, and:
 * 1. Activity before the last client's becomes overhead, as does a wake by an own session; without clients, activity before the last own one.
 * 2. After the last client's, only the last own activity stays: what readings added depends on no other.
 */
export function pruneOpenInterval(
  { evidence, delay }: TotalsContext,
  interval: AwakeInterval | undefined,
  until: Instant,
): Readonly<{ evidence: Evidence; totals: Totals }> {
  const isPast = (at: Instant) => at <= until
  const clients = clientActivities(evidence)
  const own = observerActivities(evidence).findLast(isPast) ?? until
  const pivot = clients.findLast(isPast) ?? (clients.length === 0 ? own : undefined)
  if (!interval || interval.to || pivot === undefined) return { evidence, totals: NO_TOTALS }
  const isOverhead = pivot > interval.from.latest
  const past = { ...interval, to: undefined, knownUntil: pivot }
  const before = { ...evidence, activities: evidence.activities.filter((at) => at <= pivot) }
  const overhead = isOverhead ? observerOverhead(past, before, delay) : millis(0)
  return {
    totals: { ...NO_TOTALS, observerOverhead: overhead },
    evidence: keepActivity(evidence, {
      pivot,
      lastOwn: own >= pivot ? own : until,
      start: interval.from,
      mayBeWoken: !isOverhead || clients.length === 0,
    }),
  }
}

type KeptActivity = Readonly<{
  pivot: Instant
  /** From here on own activity stays. */
  lastOwn: Instant
  start: Edge
  /** A session at the start may have caused the wake, which is not overhead yet. */
  mayBeWoken: boolean
}>

function keepActivity(evidence: Evidence, { pivot, lastOwn, start, mayBeWoken }: KeptActivity): Evidence {
  const { activities, ownSessions } = evidence
  const ownFrom = lastOwn - MAX_SESSION_TRACE
  const isAtStart = (from: Instant, to: Instant) =>
    from <= start.latest && to >= start.earliest - MAX_SESSION_TRACE
  const reported = ownSessions.find(({ lastClientActivity }) => lastClientActivity === pivot)
  return {
    ...evidence,
    activities: activities.filter((at) => at >= ownFrom || isAtStart(at, at) || at === pivot),
    ownSessions: ownSessions.filter((item) => {
      const { connectedAt, disconnectedAt } = item
      if (disconnectedAt >= ownFrom || item === reported) return true
      return mayBeWoken && isAtStart(connectedAt, disconnectedAt)
    }),
  }
}
