// What of the evidence is no longer needed.
import { isOperationTracked } from '../../model/service/operation.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type { Totals } from '../../model/ledger/ledger.ts'
import type { Instant } from '../../model/units.ts'
import { observerOverhead, clientActivities, observerActivities } from '../evidence/activity.ts'
import { updateBehaviourOf } from '../evidence/continuity.ts'
import { deletionIn } from '../evidence/evidence.ts'
import { mergeAttribution } from '../attribution/attribution.ts'
import { NO_TOTALS, type TotalsContext } from './totals.ts'

/** Instants of the interface are in whole seconds: the edge that one dates may lie this much after it. */
const SECOND = 1000

/**
 * The evidence without what only tells of the time before `at`.
 *
 * @param carried the interval that goes on then: what explains it as a whole is kept until it ends
 */
export function pruneEvidence(evidence: Evidence, at: Instant, carried: AwakeInterval | undefined): Evidence {
  const later = (one: Instant): boolean => one > at
  const reaches = (one: Instant): boolean => one + SECOND > at
  const before = evidence.sizes.findLastIndex(({ firstSeenAt }) => firstSeenAt <= at)
  return {
    operations: evidence.operations.filter(
      (operation) =>
        reaches(operation.updatedAt) ||
        isOperationTracked(operation, at) ||
        (carried !== undefined && operation.action === 'check_availability'),
    ),
    states: sightingsAfter(evidence, at),
    starts: evidence.starts.filter(reaches),
    ends: evidence.ends.filter(reaches),
    // Inside an interval activity is pruned as its share of the extension is summed up.
    activities: carried ? evidence.activities : evidence.activities.filter(later),
    sizes: evidence.sizes.filter((_, index) => index >= before - 1),
    measured: evidence.measured.filter(
      (one, index, all) => later(all[index + 1]?.at ?? one.at) || later(one.at),
    ),
    ownSessions: carried
      ? evidence.ownSessions
      : evidence.ownSessions.filter(({ disconnectedAt }) => later(disconnectedAt)),
    covered: evidence.covered,
    readSince: evidence.readSince,
    updates: updateBehaviourOf(evidence),
    attributed: carried
      ? mergeAttribution(evidence.attributed, carried.from.earliest, at)
      : evidence.attributed.filter(({ to }) => later(to)),
  }
}

/**
 * A look whose record does not know yet of what is settled tells of the time before it, whatever our clock showed. That the compute
 * is gone stays true: a start that is listed late was before it.
 */
function sightingsAfter({ states: sightings, starts, ends }: Evidence, at: Instant): Evidence['states'] {
  const isPast = (one: Instant): boolean => one <= at
  const [started, ended] = [starts.findLast(isPast) ?? 0, ends.findLast(isPast) ?? 0]
  const departure = deletionIn({ states: sightings })
  return sightings.filter((one) => {
    const { answeredAt, record } = one
    const isOutdated = record && ((record.startedAt ?? 0) < started || (record.suspendedAt ?? 0) < ended)
    return one === departure || (answeredAt >= at && !isOutdated)
  })
}

/** Of an interval that goes on at `until`: activity before it, once its share of the extension is summed up. */
export function pruneOpenInterval(
  evidence: Evidence,
  interval: AwakeInterval | undefined,
  { context, until }: { readonly context: TotalsContext; readonly until: Instant },
): { readonly evidence: Evidence; readonly totals: Totals } {
  const isPast = (at: Instant): boolean => at <= until
  // Where nobody else was active, or nothing can be prolonged, our own last trace will do.
  const foreign = context.delay === 'never' ? [] : clientActivities(evidence)
  const pivot =
    foreign.findLast(isPast) ??
    (foreign.length === 0 ? observerActivities(evidence).findLast(isPast) : undefined)
  if (!interval || interval.to || pivot === undefined || pivot <= interval.from.latest)
    return { evidence, totals: NO_TOTALS }
  const past = { ...interval, knownUntil: pivot }
  const before = { ...evidence, activities: evidence.activities.filter((at) => at <= pivot) }
  return {
    totals: {
      ...NO_TOTALS,
      observerOverhead: observerOverhead({ ...past, to: undefined }, before, context.delay),
    },
    evidence: {
      ...evidence,
      activities: evidence.activities.filter((at) => at >= pivot || at <= interval.from.latest),
      ownSessions: evidence.ownSessions.filter(
        (one) => one.disconnectedAt >= pivot || one.connectedAt <= interval.from.latest,
      ),
    },
  }
}
