// Readers of settled history.
import type { DayRow } from '../ledger/day.ts'
import type { LikelyAwakeInterval, ProjectEntry, SettledInterval } from '../ledger/ledger.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { ComputeRef } from '../service/compute.ts'
import type { Instant, Seconds } from '../units.ts'

/** A part of the history: what overlaps `[from, to)`, of some computes or, where none are named, of all. */
export type HistorySpan = {
  readonly from: Instant
  readonly to: Instant
  readonly computes?: readonly ComputeRef[]
}

/** Of one compute, one after the other in order of time. */
export type ComputeAwakeIntervals = {
  readonly ref: ComputeRef
  readonly times: readonly LikelyAwakeInterval[]
}

/** What was settled, a compute after the other and for each in order of time; read as it is asked for, in bounded memory. */
export type History = {
  /** As they are stored, those of the ids that are; also of projects that the ledger knows no more. */
  projects(account: string, projectIds: readonly string[]): Promise<readonly ProjectEntry[]>
  /** The newest version of each day of the account's zone. */
  days(account: string, span: HistorySpan): AsyncIterable<DayRow>
  intervals(account: string, span: HistorySpan): AsyncIterable<SettledInterval>
  /** The same without what was summed up over them, several of a compute at a time: ten times as fast. */
  awakeTimes(account: string, span: HistorySpan): AsyncIterable<ComputeAwakeIntervals>
  /** The newest `count` of one compute, in order of time. */
  lastIntervals(ref: ComputeRef, count: number): Promise<readonly SettledInterval[]>
  /** Those of one length. */
  rollups(account: string, span: HistorySpan & { readonly length: Seconds }): AsyncIterable<Rollup>
}
