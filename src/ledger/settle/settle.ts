// Makes old results of one entry final, so that the evidence stays small.
//
// 1. Watermark (watermark.ts): the instant to settle up to, and how many intervals end before it.
// 2. Final part: what lies before the watermark joins the settled totals; the interval in progress keeps its settled CU-time.
// 3. Pruning (prune.ts): evidence of settled time goes.
// 4. Provisional part: what lies after the watermark is summed up anew at every application.
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import type {
  ComputeEntry,
  PartlySettledInterval,
  SettledInterval,
  Totals,
} from '../../model/ledger/ledger.ts'
import type { AwakeSlice } from '../../model/ledger/quantities.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { instant, type Instant, type Millis } from '../../model/units.ts'
import { idleTailOf } from '../evidence/activity.ts'
import { addCuTime, cuTimeOf } from './cu-time.ts'
import { endPostings, overheadPostings, startPostings, type DayInput } from './days.ts'
import { advanceWatermark } from './watermark.ts'
import { deriveTimeline, type Watermark, type Timeline } from '../evidence/intervals.ts'
import { pruneEvidence, pruneOpenInterval } from './prune.ts'
import { cutSlices, type SliceContext } from './slices.ts'
import { endTotals, addTotals, startTotals, timeTotals, type TotalsContext } from './totals.ts'

type SettleInput = TotalsContext &
  SliceContext &
  Readonly<{
    timeline: Timeline
    watermark: Watermark
    settled: Totals
    /** A transition waits for operations that are not read yet. */
    awaiting: boolean
  }>

type SettleResult = Readonly<{
  watermark: Watermark
  evidence: Evidence
  settled: Totals
  /** Became final now; each interval is settled once. */
  closed: readonly SettledInterval[]
  /** Became final now; each part of awake time is settled once. */
  final: DayInput
  /** May still be restated. */
  provisional: DayInput
  /** Settled and provisional together. */
  totals: Totals
  /** Not final. */
  remaining: readonly AwakeInterval[]
  current: AwakeInterval | undefined
}>

/** Later than every instant. */
const EVER = instant(Number.MAX_SAFE_INTEGER)

export function settle(input: SettleInput): SettleResult {
  const { timeline, watermark: before } = input
  const { finalCount, partlySettled, until } = advanceWatermark(input)
  const slices = cutSlices(timeline, { from: before.settledUntil, to: until }, input)
  const final = timeline.intervals.slice(0, finalCount)
  const remaining = timeline.intervals.slice(finalCount)
  const isNew = ({ from }: AwakeInterval) => from.likely !== before.partlySettled?.interval.from.likely
  const started = [...final, ...(partlySettled ? [partlySettled] : [])].filter(isNew)
  const ended = final.map((interval) => ({ interval, totals: endTotals(interval, input) }))
  const pruned = pruneOpenInterval(input, partlySettled, until)
  const settled = [
    timeTotals(slices),
    ...started.map((interval) => startTotals(interval, input)),
    ...ended.map(({ totals }) => totals),
    pruned.totals,
  ].reduce(addTotals, input.settled)
  const provisional = cutSlices(timeline, { from: until, to: EVER }, input)
  const after = { ...input, evidence: pruned.evidence }
  const notYetStarted = remaining.filter((interval) => interval !== partlySettled && isNew(interval))
  const open = remaining.map((interval) => ({ interval, totals: endTotals(interval, after) }))
  const totals = [
    timeTotals(provisional),
    ...notYetStarted.map((interval) => startTotals(interval, after)),
    ...open.map((one) => one.totals),
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
    evidence: pruneEvidence(pruned.evidence, until, partlySettled),
    settled,
    closed: ended.map(({ interval, totals: { idleTail, attribution } }): SettledInterval => {
      const cuTime = cuTimeWithin(interval, before.partlySettled, slices)
      return { ref: input.ref, interval, cuTime, idleTail, attribution }
    }),
    final: {
      slices,
      postings: [
        ...started.flatMap(startPostings),
        ...ended.flatMap((one) => endPostings(one, before.settledUntil)),
        ...overheadPostings(pruned.totals.observerOverhead, until),
      ],
    },
    provisional: {
      slices: provisional,
      postings: [...notYetStarted.flatMap(startPostings), ...open.flatMap((one) => endPostings(one, until))],
    },
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
) {
  const to = interval.to?.latest ?? EVER
  const own = slices.filter(({ high }) => high.from >= interval.from.earliest && high.to <= to)
  const sum = cuTimeOf(own)
  return before?.interval.from.likely === interval.from.likely ? addCuTime(before.cuTime, sum) : sum
}

/** In order of time; the last may be in progress. */
export function provisionalIntervals(
  { evidence, settledUntil, partlySettled, deletedAt }: ComputeEntry,
  delay: AutosuspendDelay,
  now: Instant,
): readonly Readonly<{ interval: AwakeInterval; idleTail: Millis }>[] {
  const until = deletedAt === undefined ? now : undefined
  const { intervals } = deriveTimeline(evidence, { settledUntil, partlySettled }, until)
  return intervals.map((interval) => ({ interval, idleTail: idleTailOf(interval, evidence, delay) }))
}
