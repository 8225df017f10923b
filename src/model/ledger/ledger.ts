import type { BudgetStates } from '../policy/budget.ts'
import type { AutosuspendDelay, Compute, ComputeRef } from '../service/compute.ts'
import type { AwakeInterval, Attribution, Evidence } from './evidence.ts'
import type { ActivityState } from './gap.ts'
import type { ProjectEntry } from './project-entry.ts'
import type { Bounds, CuTimeByPrice, DayRow, AwakeSlice, Spend } from './quantities.ts'
import type { ReadingState } from './reading-state.ts'
import type { RollupState } from './rollup.ts'
import type { AccountCounters, Unproductive } from './counters.ts'
import type { CuMillis, Instant, Micros, Millis, Interval } from '../units.ts'

export type Totals = Readonly<{
  awake: Bounds<Millis>
  cuTime: CuTimeByPrice
  /** Likely CU-time of intervals with an end that no fact dates; undefined where there are none. */
  assumed?: CuMillis | undefined
  /** After the last activity, of closed intervals. */
  idleTail: Millis
  /** Added by our readings. */
  observerOverhead: Millis
  attribution: Attribution
  wakes: number
  suspends: number
  restarts: number
  /** By readings. */
  wakesCaused: number
  /** By changes; absent where there were none. */
  wakesByChange?: number | undefined
  /** By warm-ups; absent where there were none. */
  wakesByWarmUp?: number | undefined
}>

/** Likely values: a counter never falls, also when a total is restated. */
export type PublishedCounters = Omit<Totals, 'awake' | 'cuTime' | 'assumed' | 'attribution'> &
  Readonly<{
    awake: Millis
    cuTime: CuMillis
    spend: Micros
    /** On the time that our readings added. */
    observerSpend: Micros
    /** Absent in what an earlier version wrote. */
    unproductive?: Unproductive
  }>

export type ComputeEntry = Readonly<{
  ref: ComputeRef
  compute: Compute
  observedAt: Instant
  /** First of the latest looks that all show a transition. */
  inTransitionSince?: Instant | undefined
  deletedAt: Instant | undefined
  /** Nothing at or before this instant is counted again. */
  settledUntil: Instant
  /** Before `settledUntil`, and of the intervals that ended in it. */
  settled: Totals
  /** In progress at `settledUntil`. */
  partlySettled: PartlySettledInterval | undefined
  /** After `settledUntil`, as of `appliedAt`: may be restated. */
  provisional: readonly AwakeSlice[]
  /** Not fully settled, in order. */
  days: readonly OpenDay[]
  evidence: Evidence
  /** `settled` plus the usage derived from evidence, as of `appliedAt`. */
  totals: Totals
  counters: PublishedCounters
  /** In progress; undefined while asleep. */
  current: AwakeInterval | undefined
  /** Next change without new facts: a finished interval can be settled. */
  settlesAt: Instant | undefined
  /** `totals` are true of it: an awake compute accrues after it. */
  appliedAt: Instant
  /** Last look with a transition that only operations can date. */
  transitionAt: Instant | undefined
  /** Last read of operations without a gap since the one before. */
  operationsReadAt: Instant | undefined
  reading: ReadingState
  rollups: RollupState
  /** Absent while there is none. */
  activity?: ActivityState | undefined
  /** Delay in force at the last look, as its setting was recorded; absent while not known. */
  delay?: AutosuspendDelay | undefined
  /** In order; absent where there are none. */
  branchMoves?: readonly BranchMove[] | undefined
}>

/** The compute moved from one branch to another at some instant in `[earliest, latest]`. */
export type BranchMove = Readonly<{ from: string; to: string; earliest: Instant; latest: Instant }>

/** Sums of one compute, as accounts add them up. */
export type ComputeSums = Readonly<{
  awake: Bounds<Millis>
  spend: Spend
  observerOverhead: Millis
  observerSpend: Micros
  wakes: number
  suspends: number
  wakesCaused: number
}>

/** Replaces the entry of a deleted compute for good: history, budgets and reports refer to it. */
export type DeletedCompute = ComputeSums &
  Pick<Compute, 'name' | 'branchId' | 'type'> &
  Pick<ComputeEntry, 'ref' | 'branchMoves'> &
  Readonly<{ deletedAt: Instant }>

export type PartlySettledInterval = Readonly<{
  interval: AwakeInterval
  /** CU-time of the settled part. */
  cuTime: CuTimeByPrice
}>

/** May still change. */
export type OpenDay = Readonly<{
  settled: DayRow
  /** As last published. */
  lastRestated: DayRow | undefined
}>

export type Ledger = Readonly<{
  account: string
  /** `computeKey` → entry. */
  computes: ReadonlyMap<string, ComputeEntry>
  /** `computeKey` → row. A compute that was recovered has an entry, too: the row has its sums from before. */
  deleted: ReadonlyMap<string, DeletedCompute>
  /** Project id → entry. */
  projects: ReadonlyMap<string, ProjectEntry>
  /** Since the ledger began. */
  readings: ReadingCounts
  budgets: BudgetStates
  counters: AccountCounters
}>

export type ReadingCounts = Readonly<Record<ReadingOutcome, number>>

/** Values of the label `result` of `dormouse_readings_total`. */
export type ReadingOutcome = keyof typeof NO_READING_COUNTS

export const NO_READING_COUNTS = {
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

/** Closed, as stored. */
export type SettledInterval = Readonly<{
  ref: ComputeRef
  interval: AwakeInterval
  cuTime: CuTimeByPrice
  idleTail: Millis
  attribution: Attribution
}>

/** Likely edges; `tail`: the part after the last activity. */
export type LikelyAwakeInterval = Interval & Readonly<{ tail: Millis; restart: boolean }>
