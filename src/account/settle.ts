// Keeps the evidence small: what is long over is summed up, and only what may still be restated is kept.
import { LATENESS } from '../model/transition.ts'
import type { AwakeInterval, Evidence, SettledInterval, Sighting, Totals } from '../model/ledger.ts'
import type { ComputeRef } from '../model/compute.ts'
import { instant, millis, seconds, type Instant, type Seconds } from '../model/units.ts'
import { extensionOf, foreignActivities, ownActivities } from './activity.ts'
import { mergedHeld } from './held.ts'
import { plus, totalsOf, NO_TOTALS, type TotalsContext } from './totals.ts'

/** How long settling waits for operations that cannot be read, seconds. Doubled, that much more evidence is kept while the service fails. */
const PATIENCE = seconds(6 * 3600)
/** Facts of one edge differ by no more than this; edges nearer to each other may still be told apart by a later fact. */
const APART = 2000

export type Unsettled = {
  readonly ref: ComputeRef
  readonly intervals: readonly AwakeInterval[]
  readonly evidence: Evidence
  readonly settledUntil: Instant
  readonly settled: Totals
  /** Whether something happened of which the operations were not read yet. */
  readonly awaiting: boolean
}

export type Settled = Pick<Unsettled, 'evidence' | 'settledUntil' | 'settled'> & {
  readonly closed: readonly SettledInterval[]
}

/** How long after its end an interval may still be restated. */
export const patience = (awaiting: boolean): Seconds => (awaiting ? PATIENCE : LATENESS)

/** Sums up the intervals that ended long ago, then what lies far back in the open one. */
export function settle(account: Unsettled, context: TotalsContext): Settled {
  const horizon = instant(context.now - patience(account.awaiting) * 1000)
  const count =
    account.intervals.findLastIndex((interval, index) =>
      isFinal(interval, account.intervals[index + 1], horizon),
    ) + 1
  const finals = account.intervals.slice(0, count)
  const last = finals.at(-1)?.to
  const settledUntil = last ? instant(last.latest + APART) : account.settledUntil
  const closed = finals.map((interval) => ({ interval, totals: totalsOf(interval, context) }))
  const settled = closed.reduce((sum, { totals }) => plus(sum, totals), account.settled)
  const evidence = evidenceAfter(account.evidence, settledUntil)
  const pruned = prunedOpen(evidence, horizon, { context, open: account.intervals.slice(count) })
  return {
    settledUntil,
    settled: plus(settled, { ...NO_TOTALS, extension: pruned.extension }),
    evidence: pruned.evidence,
    closed: closed.map(({ interval, totals }) => ({
      ref: account.ref,
      interval,
      cuTime: totals.cuTime,
      idleTail: totals.idleTail,
      held: totals.held,
    })),
  }
}

const isFinal = ({ to }: AwakeInterval, next: AwakeInterval | undefined, horizon: Instant): boolean =>
  to !== undefined && to.latest < horizon && (!next || next.from.earliest > to.latest + APART)

function evidenceAfter(evidence: Evidence, at: Instant): Evidence {
  const later = (one: Instant): boolean => one > at
  return {
    operations: evidence.operations.filter(({ updatedAt }) => later(updatedAt)),
    sightings: evidence.sightings.filter(({ answeredAt }) => answeredAt > at),
    starts: evidence.starts.filter(later),
    ends: evidence.ends.filter(later),
    activities: evidence.activities.filter(later),
    sizes: evidence.sizes.filter(
      ({ lastSeenAt }, index) => later(lastSeenAt) || index === evidence.sizes.length - 1,
    ),
    footprints: evidence.footprints.filter(({ disconnectedAt }) => later(disconnectedAt)),
    held: evidence.held.filter(({ to }) => later(to)),
  }
}

/** Sightings far back that only repeat their neighbours, and activity far back once its share of the extension is summed up. */
function prunedOpen(
  evidence: Evidence,
  horizon: Instant,
  { context, open }: { readonly context: TotalsContext; readonly open: readonly AwakeInterval[] },
): { readonly evidence: Evidence; readonly extension: Totals['extension'] } {
  const interval = open.at(-1)
  const sightings = withoutRepeats(evidence.sightings, horizon)
  const held = interval ? mergedHeld(evidence.held, interval.from.earliest, horizon) : evidence.held
  const isPast = (at: Instant): boolean => at < horizon
  // Where nobody else was active, or nothing can be prolonged, our own last trace will do.
  const foreign = context.delay === 'never' ? [] : foreignActivities(evidence)
  const pivot =
    foreign.findLast(isPast) ?? (foreign.length === 0 ? ownActivities(evidence).findLast(isPast) : undefined)
  if (!interval || interval.to || pivot === undefined || pivot <= interval.from.latest) {
    return { evidence: { ...evidence, sightings, held }, extension: millis(0) }
  }
  const past = { ...interval, knownUntil: pivot }
  const before = { ...evidence, activities: evidence.activities.filter((at) => at <= pivot) }
  return {
    extension: extensionOf({ ...past, to: undefined }, before, context.delay),
    evidence: {
      ...evidence,
      sightings,
      held,
      activities: evidence.activities.filter((at) => at >= pivot || at <= interval.from.latest),
      footprints: evidence.footprints.filter(
        (one) => one.disconnectedAt >= pivot || one.connectedAt <= interval.from.latest,
      ),
    },
  }
}

function withoutRepeats(sightings: readonly Sighting[], horizon: Instant): readonly Sighting[] {
  return sightings.filter((sighting, index) => {
    const repeats =
      sightings[index - 1]?.state === sighting.state && sightings[index + 1]?.state === sighting.state
    return !repeats || sighting.answeredAt >= horizon
  })
}
