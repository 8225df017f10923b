// Published counters over several computes. They never fall.
import { millis, type Micros, type Millis } from '../units.ts'

export type BudgetCounter = Readonly<{
  /** When it changes, the budget's total restarts and this counter continues. */
  definition: string
  /** A change of unit starts a new counter. */
  unit: string
  value: number
  /** Published value minus the budget's total at the start of this definition. */
  excess: number
}>

/** Finished operations. Plain data. */
export type OperationCounter = Readonly<{
  action: string
  status: string
  count: number
  /** Failed attempts. */
  failures: number
}>

/** Most regions with series of their own: the service has about ten, invalid records must not create series. */
export const MAX_REGIONS = 100

/** Durations of compute starts. Plain data. */
type WakeLatencyCounter = { readonly regionId: string } & DurationHistogram

/** Counters of an account. Plain data, committed before they are published. */
export type AccountCounters = Readonly<{
  /** By name. */
  budgets: Readonly<Record<string, BudgetCounter>>
  /** Team → spend of its computes while it owned them. */
  teams: Readonly<Record<string, Unproductive>>
  /** By initiator. */
  wakes: Readonly<{ dormouse: number; unknown: number; change?: number; 'warm-up'?: number }>
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

/** As metric labels. Disabled autosuspend is no cause: it does not show what was unused. */
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

/** Absent: 0. Plain data. */
export type Unproductive = { readonly [cause in UnproductiveCause]?: Micros }

/** Plain data. Counts stay correct when the bounds change. */
type DurationHistogram = Readonly<{
  count: number
  sum: Millis
  /** Bound in ms → durations within it and above the next smaller one. Those above the largest are in `count` alone. */
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

export const countUpTo = ({ upTo }: DurationHistogram, bound: Millis): number =>
  Object.entries(upTo).reduce((sum, [limit, count]) => (Number(limit) <= bound ? sum + count : sum), 0)
