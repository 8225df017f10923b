// Published counters over several computes. They never fall.
import type { DurationHistogram } from './duration-histogram.ts'
import type { Unproductive } from './unproductive.ts'

/** Counter of one budget, in the unit of its limit. */
export type BudgetCounter = Readonly<{
  /** Definition of the budget. When it changes, the budget's total restarts and this counter continues. */
  definition: string
  /** Unit of `value`; a change of unit starts a new counter. */
  unit: string
  value: number
  /** Published value minus the budget's total at the start of this definition. */
  excess: number
}>

/** Finished operations of one action with one status. Plain data. */
export type OperationCounter = Readonly<{
  action: string
  status: string
  count: number
  /** Failed attempts of these operations. */
  failures: number
}>

/** Most regions with series of their own, 100: the service has about ten, the bound keeps invalid records from creating series. */
export const MAX_REGIONS = 100

/** Durations of compute starts in one region. Plain data. */
export type WakeLatencyCounter = { readonly regionId: string } & DurationHistogram

/** Counters of an account. Plain data, committed before they are published. */
export type AccountCounters = Readonly<{
  /** Name of a budget → its counter. */
  budgets: Readonly<Record<string, BudgetCounter>>
  /** Team → unproductive spend of its computes while it owned them. */
  teams: Readonly<Record<string, Unproductive>>
  /** Wakes by initiator. */
  wakes: { readonly dormouse: number; readonly unknown: number }
  operations: readonly OperationCounter[]
  wakeLatency: readonly WakeLatencyCounter[]
}>

export const NO_ACCOUNT_COUNTERS: AccountCounters = {
  budgets: {},
  teams: {},
  wakes: { dormouse: 0, unknown: 0 },
  operations: [],
  wakeLatency: [],
}
