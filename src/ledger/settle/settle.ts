// Keeps the evidence small: what is long over is summed up for good, and only what may still be restated is kept.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type {
  ComputeEntry,
  PartlySettledInterval,
  SettledInterval,
  Totals,
} from '../../model/ledger/ledger.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { instant, type Instant, type Millis } from '../../model/units.ts'
import { idleTailOf } from '../evidence/activity.ts'
import { addCuTime, cuTimeOf } from './cu-time.ts'
import { endPostings, overheadPostings, startPostings, type DayPosting } from './day-postings.ts'
import { advanceWatermark } from './watermark.ts'
import { deriveTimeline, type Watermark, type Timeline } from '../evidence/intervals.ts'
import { pruneEvidence, pruneOpenInterval } from './prune.ts'
import type { MeteredSizes } from './sizing.ts'
import { cutSlices } from './slices.ts'
import { endTotals, addTotals, startTotals, timeTotals, type TotalsContext } from './totals.ts'

export type SettleInput = {
  readonly ref: ComputeRef
  readonly history: Timeline
  readonly evidence: Evidence
  readonly frontier: Watermark
  readonly settled: Totals
  /** Whether something happened of which the operations were not read yet. */
  readonly awaiting: boolean
  readonly counted: MeteredSizes
}

export type SettleContext = TotalsContext & { readonly prices: Prices; readonly now: Instant }

export type SettleResult = {
  readonly frontier: Watermark
  readonly evidence: Evidence
  readonly settled: Totals
  /** Intervals that are summed up now and never again. */
  readonly closed: readonly SettledInterval[]
  /** The same of awake time, each stretch of it once. */
  readonly slices: readonly AwakeSlice[]
  readonly entries: readonly DayPosting[]
  /** What is left, and what it comes to with all that is settled. */
  readonly unsettled: readonly AwakeSlice[]
  readonly unsettledEntries: readonly DayPosting[]
  readonly totals: Totals
  /** Intervals that are not final. */
  readonly left: readonly AwakeInterval[]
  /** The one the compute is in. */
  readonly open: AwakeInterval | undefined
}

/** All time, as a span. */
const EVER = instant(Number.MAX_SAFE_INTEGER)

/** Sums up the intervals that ended long ago, the part of the next one that lies far back, and the sleep between them. */
export function settle(account: SettleInput, context: SettleContext): SettleResult {
  const { history, ref, frontier: before, counted } = account
  const { count, carried, until } = advanceWatermark(account, context.now)
  const cutting = { ref, counted, evidence: account.evidence, prices: context.prices, now: context.now }
  const slices = cutSlices(history, [before.settledUntil, until], cutting)
  const finals = history.intervals.slice(0, count)
  const left = history.intervals.slice(count)
  const isStarted = ({ from }: AwakeInterval): boolean =>
    from.likely === before.partlySettled?.interval.from.likely
  const begun = [...finals, ...(carried ? [carried] : [])].filter((interval) => !isStarted(interval))
  const pruned = pruneOpenInterval(account.evidence, carried, { context, until })
  const kept = pruneEvidence(pruned.evidence, until, carried)
  const settled = [
    timeTotals(slices),
    ...begun.map((interval) => startTotals(interval, context)),
    ...finals.map((interval) => endTotals(interval, context)),
    pruned.totals,
  ].reduce(addTotals, account.settled)
  const rest = cutSlices(history, [until, EVER], cutting)
  const after = { ...context, evidence: pruned.evidence }
  const unbegun = left.filter((interval) => interval !== carried && !isStarted(interval))
  const totals = [
    timeTotals(rest),
    ...unbegun.map((interval) => startTotals(interval, after)),
    ...left.map((interval) => endTotals(interval, after)),
  ].reduce(addTotals, settled)
  const last = left.at(-1)
  return {
    frontier: {
      settledUntil: until,
      partlySettled: carried && {
        interval: { ...carried, to: undefined, knownUntil: until },
        cuTime: cuTimeWithin(carried, before.partlySettled, slices),
      },
    },
    evidence: kept,
    settled,
    closed: finals.map((interval) => closedInterval(interval, { account, slices, context })),
    slices,
    entries: [
      ...begun.flatMap(startPostings),
      ...finals.flatMap((interval) => endPostings(interval, context, before.settledUntil)),
      ...overheadPostings(pruned.totals.observerOverhead, until),
    ],
    unsettled: rest,
    unsettledEntries: [
      ...unbegun.flatMap(startPostings),
      ...left.flatMap((interval) => endPostings(interval, after, until)),
    ],
    totals,
    left,
    open: last?.to ? undefined : last,
  }
}

/** Of what is settled now the slices of one interval, and what was settled of it before. */
function cuTimeWithin(
  interval: AwakeInterval,
  before: PartlySettledInterval | undefined,
  slices: readonly AwakeSlice[],
): SettledInterval['cuTime'] {
  const to = interval.to?.latest ?? EVER
  const its = slices.filter(({ high }) => high[0] >= interval.from.earliest && high[1] <= to)
  const sum = cuTimeOf(its)
  return before?.interval.from.likely === interval.from.likely ? addCuTime(before.cuTime, sum) : sum
}

function closedInterval(
  interval: AwakeInterval,
  {
    account,
    slices,
    context,
  }: {
    readonly account: SettleInput
    readonly slices: readonly AwakeSlice[]
    readonly context: TotalsContext
  },
): SettledInterval {
  const cuTime = cuTimeWithin(interval, account.frontier.partlySettled, slices)
  const { idleTail, attribution } = endTotals(interval, context)
  return { ref: account.ref, interval, cuTime, idleTail, attribution }
}

/** Awake intervals that may still be restated, in order of time; the last may be in progress. */
export function provisionalIntervals(
  { evidence, settledUntil, partlySettled, deletedAt }: ComputeEntry,
  delay: AutosuspendDelay,
  now: Instant,
): readonly { readonly interval: AwakeInterval; readonly idleTail: Millis }[] {
  const { intervals } = deriveTimeline(
    evidence,
    { settledUntil, partlySettled },
    deletedAt === undefined ? now : undefined,
  )
  return intervals.map((interval) => ({ interval, idleTail: idleTailOf(interval, evidence, delay) }))
}
