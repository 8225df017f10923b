// Settles one entry: makes old results final, so that the evidence stays small.
//
// 1. Watermark (watermark.ts): the instant to settle up to, and how many intervals end before it.
// 2. Final part: slices, starts and ends before the watermark join the settled totals; the interval in progress keeps its settled CU-time.
// 3. Pruning (prune.ts): evidence of settled time goes.
// 4. Provisional part: slices, starts and ends after the watermark are summed up anew at every application.
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type {
  ComputeEntry,
  PartlySettledInterval,
  SettledInterval,
  Totals,
} from '../../model/ledger/ledger.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { AutosuspendDelay, ComputeRef } from '../../model/service/compute.ts'
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
  readonly timeline: Timeline
  readonly evidence: Evidence
  readonly watermark: Watermark
  readonly settled: Totals
  /** Whether a transition waits for operations that are not read yet. */
  readonly awaiting: boolean
  readonly metered: MeteredSizes
}

export type SettleContext = TotalsContext & { readonly prices: Prices; readonly now: Instant }

export type SettleResult = {
  readonly watermark: Watermark
  readonly evidence: Evidence
  readonly settled: Totals
  /** Intervals that became final now. Each is settled once. */
  readonly closed: readonly SettledInterval[]
  /** Slices that became final now. Each part of awake time is settled once. */
  readonly slices: readonly AwakeSlice[]
  readonly postings: readonly DayPosting[]
  /** Slices that may still be restated. */
  readonly provisional: readonly AwakeSlice[]
  readonly provisionalPostings: readonly DayPosting[]
  /** Settled and provisional together. */
  readonly totals: Totals
  /** Intervals that are not final. */
  readonly remaining: readonly AwakeInterval[]
  /** The interval in progress. */
  readonly current: AwakeInterval | undefined
}

/** Later than every instant. */
const EVER = instant(Number.MAX_SAFE_INTEGER)

export function settle(input: SettleInput, context: SettleContext): SettleResult {
  const { timeline, ref, watermark: before, metered } = input
  const { finalCount, partlySettled, until } = advanceWatermark(input, context.now)
  const cutting = { ref, metered, evidence: input.evidence, prices: context.prices, now: context.now }
  const slices = cutSlices(timeline, { from: before.settledUntil, to: until }, cutting)
  const final = timeline.intervals.slice(0, finalCount)
  const remaining = timeline.intervals.slice(finalCount)
  const isStarted = ({ from }: AwakeInterval): boolean =>
    from.likely === before.partlySettled?.interval.from.likely
  const started = [...final, ...(partlySettled ? [partlySettled] : [])].filter(
    (interval) => !isStarted(interval),
  )
  const pruned = pruneOpenInterval(input.evidence, partlySettled, { context, until })
  const remainingEvidence = pruneEvidence(pruned.evidence, until, partlySettled)
  const settled = [
    timeTotals(slices),
    ...started.map((interval) => startTotals(interval, context)),
    ...final.map((interval) => endTotals(interval, context)),
    pruned.totals,
  ].reduce(addTotals, input.settled)
  const provisional = cutSlices(timeline, { from: until, to: EVER }, cutting)
  const after = { ...context, evidence: pruned.evidence }
  const notYetStarted = remaining.filter((interval) => interval !== partlySettled && !isStarted(interval))
  const totals = [
    timeTotals(provisional),
    ...notYetStarted.map((interval) => startTotals(interval, after)),
    ...remaining.map((interval) => endTotals(interval, after)),
  ].reduce(addTotals, settled)
  const last = remaining.at(-1)
  return {
    watermark: {
      settledUntil: until,
      partlySettled: partlySettled && {
        interval: { ...partlySettled, to: undefined, knownUntil: until },
        cuTime: cuTimeWithin(partlySettled, before.partlySettled, slices),
      },
    },
    evidence: remainingEvidence,
    settled,
    closed: final.map((interval) => closedInterval(interval, { input, slices, context })),
    slices,
    postings: [
      ...started.flatMap(startPostings),
      ...final.flatMap((interval) => endPostings(interval, context, before.settledUntil)),
      ...overheadPostings(pruned.totals.observerOverhead, until),
    ],
    provisional: provisional,
    provisionalPostings: [
      ...notYetStarted.flatMap(startPostings),
      ...remaining.flatMap((interval) => endPostings(interval, after, until)),
    ],
    totals,
    remaining,
    current: last?.to ? undefined : last,
  }
}

/** Settled CU-time of one interval, now and before. */
function cuTimeWithin(
  interval: AwakeInterval,
  before: PartlySettledInterval | undefined,
  slices: readonly AwakeSlice[],
): SettledInterval['cuTime'] {
  const to = interval.to?.latest ?? EVER
  const own = slices.filter(({ high }) => high.from >= interval.from.earliest && high.to <= to)
  const sum = cuTimeOf(own)
  return before?.interval.from.likely === interval.from.likely ? addCuTime(before.cuTime, sum) : sum
}

function closedInterval(
  interval: AwakeInterval,
  {
    input,
    slices,
    context,
  }: {
    readonly input: SettleInput
    readonly slices: readonly AwakeSlice[]
    readonly context: TotalsContext
  },
): SettledInterval {
  const cuTime = cuTimeWithin(interval, input.watermark.partlySettled, slices)
  const { idleTail, attribution } = endTotals(interval, context)
  return { ref: input.ref, interval, cuTime, idleTail, attribution }
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
