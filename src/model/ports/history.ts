// Readers of settled history.
import type { Gap, ObservedSetting } from '../ledger/gap.ts'
import type { DayRow } from '../ledger/quantities.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../ledger/ledger.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { ComputeStatistics } from '../ledger/statistics.ts'
import type { ComputeAdvice, Recommendation, RecommendationState } from '../policy/recommendation.ts'
import type { ComputeRef, TargetRef } from '../service/compute.ts'
import type { Instant, Interval, Seconds } from '../units.ts'

/** Rows that overlap `[from, to)`, of the named computes or of all. */
export type HistorySpan = Interval & { readonly computes?: readonly ComputeRef[] }

/** Recommendations in any of `states`, without those that ended before `since`, of the named computes and projects or of all. */
export type RecommendationQuery = Readonly<{
  states?: readonly RecommendationState[]
  since?: Instant
  targets?: readonly TargetRef[]
}>

/** Awake intervals of one compute, in order of time. */
export type ComputeAwakeIntervals = Readonly<{ ref: ComputeRef; times: readonly LikelyAwakeInterval[] }>

/** Settled, compute by compute, each in order of time. Streamed in bounded memory. */
export type History = {
  /** By compute key, of those computes that have any. */
  statistics(refs: readonly ComputeRef[]): Promise<ReadonlyMap<string, ComputeStatistics>>
  /** Newest version of each day of the account's zone. */
  days(account: string, span: HistorySpan): AsyncIterable<DayRow>
  intervals(account: string, span: HistorySpan): AsyncIterable<SettledInterval>
  /** Without sums, several of one compute at a time: ten times as fast. */
  awakeTimes(account: string, span: HistorySpan): AsyncIterable<ComputeAwakeIntervals>
  /** Rollups of one length. */
  rollups(account: string, span: HistorySpan & { readonly length: Seconds }): AsyncIterable<Rollup>
  gaps(account: string, span: HistorySpan): AsyncIterable<Gap>
  /** Settings observed in the span, and the one in force when it begins. */
  settings(account: string, span: HistorySpan): AsyncIterable<ObservedSetting>
  /** By the time they were opened. */
  recommendations(account: string, query: RecommendationQuery): AsyncIterable<Recommendation>
  /** Last evaluations, one a compute, and one a project whose defaults were judged. */
  advice(account: string, query: Pick<RecommendationQuery, 'targets'>): AsyncIterable<ComputeAdvice>
}
