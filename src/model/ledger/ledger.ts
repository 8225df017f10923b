// Ledger of an account: entries of its computes and projects, budgets, and counters.
import type { BudgetStates } from '../policy/budget.ts'
import type { Compute, ComputeRef } from '../service/compute.ts'
import type { DayRow } from './day.ts'
import type { AwakeInterval, Attribution, Evidence } from './evidence.ts'
import type { ArchivedTotals, ProjectEntry } from './project-entry.ts'
import type { Bounds, CuTimeByPrice } from './quantities.ts'
import type { ReadingState } from './reading-state.ts'
import type { RollupState } from './rollup.ts'
import type { AwakeSlice } from './slice.ts'
import type { AccountCounters } from './counters.ts'
import type { Interval } from '../time.ts'
import type { Unproductive } from './unproductive.ts'
import type { CuMillis, Instant, Micros, Millis } from '../units.ts'

export type Totals = {
  readonly awake: Bounds<Millis>
  readonly cuTime: CuTimeByPrice
  /** The likely CU-time of intervals of which no fact dates an end; undefined where there is none. */
  readonly assumed?: CuMillis | undefined
  /** Awake after the last activity, of closed intervals. */
  readonly idleTail: Millis
  /** Awake time that our own readings added. */
  readonly observerOverhead: Millis
  readonly attribution: Attribution
  readonly wakes: number
  readonly suspends: number
  readonly restarts: number
  readonly wakesCaused: number
}

/** The likely values as they are published: a counter must never fall, also when a total is restated. */
export type PublishedCounters = {
  readonly awake: Millis
  readonly cuTime: CuMillis
  readonly spend: Micros
  /** What the time that our readings added cost. */
  readonly observerSpend: Micros
  readonly idleTail: Millis
  readonly observerOverhead: Millis
  readonly wakes: number
  readonly suspends: number
  readonly restarts: number
  readonly wakesCaused: number
  /** Absent in what an earlier version wrote. */
  readonly unproductive?: Unproductive
}

/** The account of one compute. */
export type ComputeEntry = {
  readonly ref: ComputeRef
  readonly compute: Compute
  readonly observedAt: Instant
  /** Since when every look has shown it on its way to another state; undefined when the last one did not. */
  readonly inTransitionSince?: Instant | undefined
  /** Undefined while the compute is there. */
  readonly deletedAt: Instant | undefined
  /** Nothing at or before this instant is counted again. */
  readonly settledUntil: Instant
  /** The sum over the time before `settledUntil`, and over the intervals that ended in it. */
  readonly settled: Totals
  /** The interval that goes on at `settledUntil`; undefined when the compute was not awake then. */
  readonly partlySettled: PartlySettledInterval | undefined
  /** What may still be restated, as of the last fold; the slices before `settledUntil` were handed out for good. */
  readonly provisional: readonly AwakeSlice[]
  /** The days of which not everything is settled, in order. */
  readonly days: readonly OpenDay[]
  readonly evidence: Evidence
  /** `settled` and what the evidence gives, as of the last fold. */
  readonly totals: Totals
  readonly counters: PublishedCounters
  /** The interval the compute is in; undefined when it is not awake. */
  readonly current: AwakeInterval | undefined
  /** When time alone next changes the account: an interval has been over for long enough to be settled. */
  readonly settlesAt: Instant | undefined
  /** As of when `totals` are: those of a compute that is awake go on. */
  readonly appliedAt: Instant
  /** When the last look was begun that showed that something had happened which only the operations can date. */
  readonly transitionAt: Instant | undefined
  /** When the project's operations were last read without a failure, back to the time before. */
  readonly operationsReadAt: Instant | undefined
  readonly reading: ReadingState
  /** It is gone for so long that its sums were moved to its project: it is kept for its history, and no longer known. */
  readonly isRetired?: true
  readonly rollups: RollupState
}

/** An interval of which a part is settled. */
export type PartlySettledInterval = {
  readonly interval: AwakeInterval
  /** Of the settled part. */
  readonly cuTime: CuTimeByPrice
}

/** A day that may still change. */
export type OpenDay = {
  /** What is settled of it. */
  readonly settled: DayRow
  /** As it was last told; undefined before that. */
  readonly lastRestated: DayRow | undefined
}

export type Ledger = {
  readonly account: string
  /** `computeKey` → account. */
  readonly computes: ReadonlyMap<string, ComputeEntry>
  /** Project id → account. */
  readonly projects: ReadonlyMap<string, ProjectEntry>
  /** Undefined while all projects are known. */
  readonly archived?: ArchivedTotals | undefined
  /** What a pass refused and read, by result, since the ledger began. */
  readonly readings: ReadingCounts
  /** What was settled of what is planned. */
  readonly budgets: BudgetStates
  /** What was shown of counters over several computes. */
  readonly counters: AccountCounters
}

export type ReadingCounts = Readonly<Record<ReadingOutcome, number>>

/** The values of the label `result` of `dormouse_readings_total`. */
export type ReadingOutcome =
  | 'ok'
  | 'partial'
  | 'at_limit'
  | 'error'
  | 'timeout'
  | 'skipped_idle'
  | 'skipped_quiet'
  | 'skipped_tail'
  | 'skipped_credit'

export const NO_READING_COUNTS: ReadingCounts = {
  ok: 0,
  partial: 0,
  at_limit: 0,
  error: 0,
  timeout: 0,
  skipped_idle: 0,
  skipped_quiet: 0,
  skipped_tail: 0,
  skipped_credit: 0,
}

/** A closed awake interval as it is kept for good; its CU-time is all of it. */
export type SettledInterval = {
  readonly ref: ComputeRef
  readonly interval: AwakeInterval
  readonly cuTime: CuTimeByPrice
  readonly idleTail: Millis
  readonly attribution: Attribution
}

/** When a compute was awake, likely, and for how long of that after its last activity. */
export type LikelyAwakeInterval = Interval & { readonly tail: Millis; readonly restart: boolean }
