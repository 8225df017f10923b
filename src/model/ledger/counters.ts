// What counters over several computes came to, as they were shown: nothing that is found out later lowers them.
import type { DurationHistogram } from './duration-histogram.ts'
import type { Unproductive } from './unproductive.ts'

/** The counter of one budget, in the unit of its limit. Plain data. */
export type BudgetCounter = {
  /** What was counted: of another definition the counting began anew, and this goes on. */
  readonly definition: string
  /** A counter in another unit is another counter. */
  readonly unit: string
  readonly value: number
  /** What was shown when the counting of this definition began, without what it began with. */
  readonly excess: number
}

/** Operations of the service that ended so. Plain data. */
export type OperationCounter = {
  readonly action: string
  readonly status: string
  readonly count: number
  /** Attempts of theirs that failed. */
  readonly failures: number
}

/** Regions that are counted apart; the service has some ten. Doubled, one that makes up regions has twice as many series. */
export const MAX_REGIONS = 100

/** How long the starts of computes in one region took. Plain data. */
export type WakeLatencyCounter = { readonly regionId: string } & DurationHistogram

/** Plain data; in the store before anybody is told. */
export type AccountCounters = {
  /** Name of a budget → its counter. */
  readonly budgets: Readonly<Record<string, BudgetCounter>>
  /** Team → what its computes cost for nothing while they were its. */
  readonly teams: Readonly<Record<string, Unproductive>>
  /** By who caused them. */
  readonly wakes: { readonly dormouse: number; readonly unknown: number }
  /** One for each action and status. */
  readonly operations: readonly OperationCounter[]
  /** One for each region. */
  readonly wakeLatency: readonly WakeLatencyCounter[]
}

export const NO_ACCOUNT_COUNTERS: AccountCounters = {
  budgets: {},
  teams: {},
  wakes: { dormouse: 0, unknown: 0 },
  operations: [],
  wakeLatency: [],
}
