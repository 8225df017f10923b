// Published counters over several computes. They never fall.
import type { DurationHistogram } from './duration-histogram.ts'
import type { Unproductive } from './unproductive.ts'

/** Counter of one budget, in the unit of its limit. */
export type BudgetCounter = {
  /** Definition of the budget. When it changes, the budget's total restarts and this counter continues. */
  readonly definition: string
  /** Unit of `value`; a change of unit starts a new counter. */
  readonly unit: string
  readonly value: number
  /** Published value minus the budget's total at the start of this definition. */
  readonly excess: number
}

/** Finished operations of one action with one status. Plain data. */
export type OperationCounter = {
  readonly action: string
  readonly status: string
  readonly count: number
  /** Failed attempts of these operations. */
  readonly failures: number
}

/** Most regions with series of their own, 100: the service has about ten, the bound keeps invalid records from creating series. */
export const MAX_REGIONS = 100

/** Durations of compute starts in one region. Plain data. */
export type WakeLatencyCounter = { readonly regionId: string } & DurationHistogram

/** Counters of an account. Plain data, committed before they are published. */
export type AccountCounters = {
  /** Name of a budget → its counter. */
  readonly budgets: Readonly<Record<string, BudgetCounter>>
  /** Team → unproductive spend of its computes while it owned them. */
  readonly teams: Readonly<Record<string, Unproductive>>
  /** Wakes by initiator. */
  readonly wakes: { readonly dormouse: number; readonly unknown: number }
  readonly operations: readonly OperationCounter[]
  readonly wakeLatency: readonly WakeLatencyCounter[]
}

export const NO_ACCOUNT_COUNTERS: AccountCounters = {
  budgets: {},
  teams: {},
  wakes: { dormouse: 0, unknown: 0 },
  operations: [],
  wakeLatency: [],
}
