// Readers of settled history.
import type { DayRow } from '../ledger/quantities.ts'
import type { LikelyAwakeInterval, SettledInterval } from '../ledger/ledger.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { ComputeStatistics } from '../ledger/statistics.ts'
import type { ComputeRef } from '../service/compute.ts'
import type { Seconds, Interval } from '../units.ts'

/** Rows that overlap `[from, to)`, of the named computes or of all. */
export type HistorySpan = Interval & { readonly computes?: readonly ComputeRef[] }

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
}
