// Ledger of an account: entries of its computes and projects, budgets, and counters.
import type { BudgetStates } from '../policy/budget.ts'
import type { Compute, ComputeRef } from '../service/compute.ts'
import type { AwakeInterval, Attribution, Evidence } from './evidence.ts'
import type { ArchivedTotals, ProjectEntry } from './project-entry.ts'
import type { Bounds, CuTimeByPrice, DayRow, AwakeSlice } from './quantities.ts'
import type { ReadingState } from './reading-state.ts'
import type { RollupState } from './rollup.ts'
import type { AccountCounters, Unproductive } from './counters.ts'
import type { CuMillis, Instant, Micros, Millis, Interval } from '../units.ts'

export type Totals = Readonly<{
  awake: Bounds<Millis>
  cuTime: CuTimeByPrice
  /** Likely CU-time of intervals with an end that no fact dates; undefined where there are none. */
  assumed?: CuMillis | undefined
  /** Awake time after the last activity, of closed intervals. */
  idleTail: Millis
  /** Awake time added by our own readings. */
  observerOverhead: Millis
  attribution: Attribution
  wakes: number
  suspends: number
  restarts: number
  wakesCaused: number
}>

/** Likely values as published: a counter never falls, also when a total is restated. */
export type PublishedCounters = Omit<Totals, 'awake' | 'cuTime' | 'assumed' | 'attribution'> &
  Readonly<{
    awake: Millis
    cuTime: CuMillis
    spend: Micros
    /** Spend on the time that our readings added. */
    observerSpend: Micros
    /** Absent in what an earlier version wrote. */
    unproductive?: Unproductive
  }>

/** Ledger entry of one compute. */
export type ComputeEntry = Readonly<{
  ref: ComputeRef
  compute: Compute
  observedAt: Instant
  /** First of the latest looks that all show a transition; undefined when the last look shows none. */
  inTransitionSince?: Instant | undefined
  /** Undefined while the compute exists. */
  deletedAt: Instant | undefined
  /** Nothing at or before this instant is counted again. */
  settledUntil: Instant
  /** Totals of the time before `settledUntil`, and of the intervals that ended in it. */
  settled: Totals
  /** Interval in progress at `settledUntil`; undefined when the compute was asleep then. */
  partlySettled: PartlySettledInterval | undefined
  /** Slices after `settledUntil`, as of `appliedAt`: they may still be restated. */
  provisional: readonly AwakeSlice[]
  /** Days that are not fully settled, in order. */
  days: readonly OpenDay[]
  evidence: Evidence
  /** `settled` plus the usage derived from evidence, as of `appliedAt`. */
  totals: Totals
  counters: PublishedCounters
  /** Awake interval in progress; undefined while the compute is asleep. */
  current: AwakeInterval | undefined
  /** When the entry next changes without new facts, because a finished interval can be settled. */
  settlesAt: Instant | undefined
  /** Instant that `totals` are true of: usage of an awake compute accrues after it. */
  appliedAt: Instant
  /** Start of the last look that showed a transition which only operations can date. */
  transitionAt: Instant | undefined
  /** When the project's operations were last read without a gap since the reading before. */
  operationsReadAt: Instant | undefined
  reading: ReadingState
  /** Set in the store alone, after the totals were moved to the project: the row stays because history refers to it. */
  isRetired?: true
  rollups: RollupState
}>

/** Interval with a settled part. */
export type PartlySettledInterval = Readonly<{
  interval: AwakeInterval
  /** CU-time of the settled part. */
  cuTime: CuTimeByPrice
}>

/** Day that may still change. */
export type OpenDay = Readonly<{
  /** Settled part of the day. */
  settled: DayRow
  /** Day as last published; undefined before that. */
  lastRestated: DayRow | undefined
}>

export type Ledger = Readonly<{
  account: string
  /** `computeKey` → entry. */
  computes: ReadonlyMap<string, ComputeEntry>
  /** Project id → entry. */
  projects: ReadonlyMap<string, ProjectEntry>
  /** Undefined while no project is archived. */
  archived?: ArchivedTotals | undefined
  /** Readings and refusals by result, since the ledger began. */
  readings: ReadingCounts
  /** Settled usage by budget. */
  budgets: BudgetStates
  /** Published counters over several computes. */
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

/** Closed awake interval as stored, with the CU-time of the whole interval. */
export type SettledInterval = Readonly<{
  ref: ComputeRef
  interval: AwakeInterval
  cuTime: CuTimeByPrice
  idleTail: Millis
  attribution: Attribution
}>

/** Likely edges of an awake interval; `tail` is its part after the last activity. */
export type LikelyAwakeInterval = Interval & Readonly<{ tail: Millis; restart: boolean }>
