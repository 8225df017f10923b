// Published counters over several computes. They never fall.
import { millis, type Micros, type Millis } from '../units.ts'

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
type WakeLatencyCounter = { readonly regionId: string } & DurationHistogram

/** Counters of an account. Plain data, committed before they are published. */
export type AccountCounters = Readonly<{
  /** Name of a budget → its counter. */
  budgets: Readonly<Record<string, BudgetCounter>>
  /** Team → unproductive spend of its computes while it owned them. */
  teams: Readonly<Record<string, Unproductive>>
  /** Wakes by initiator. */
  wakes: Readonly<{ dormouse: number; unknown: number }>
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

/** Causes, spelled as metric labels. Disabled autosuspend is no cause, because it does not show what was unused. */
export const UNPRODUCTIVE_CAUSES = [
  'idle_tail',
  'dormouse',
  'idle_in_transaction',
  'keep_alive',
  'replication',
  'subscription',
  'autovacuum',
  'availability_check',
] as const

export type UnproductiveCause = (typeof UNPRODUCTIVE_CAUSES)[number]

/** Cause → spend; an absent cause is 0. Plain data. */
export type Unproductive = { readonly [cause in UnproductiveCause]?: Micros }

/** Plain data. Counts stay correct when the bounds change: a duration within a bound is within every larger one. */
type DurationHistogram = Readonly<{
  count: number
  sum: Millis
  /** Bound in ms, as text → durations within it and above the next smaller bound. Durations above the largest are in `count` alone. */
  upTo: Readonly<Record<string, number>>
}>

export const EMPTY_DURATIONS: DurationHistogram = { count: 0, sum: millis(0), upTo: {} }

/** Upper bounds of wake latencies: dense around one second, where most starts end. */
export const WAKE_LATENCY_BUCKETS: readonly Millis[] = [250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000].map(
  millis,
)

export function addDuration(
  { count, sum, upTo }: DurationHistogram,
  duration: Millis,
  bounds: readonly Millis[],
): DurationHistogram {
  const bound = bounds.find((limit) => duration <= limit)
  return {
    count: count + 1,
    sum: millis(sum + duration),
    upTo: bound === undefined ? upTo : { ...upTo, [bound]: (upTo[bound] ?? 0) + 1 },
  }
}

/** Number of durations within `bound`. */
export const countUpTo = ({ upTo }: DurationHistogram, bound: Millis): number =>
  Object.entries(upTo).reduce((sum, [limit, count]) => (Number(limit) <= bound ? sum + count : sum), 0)
