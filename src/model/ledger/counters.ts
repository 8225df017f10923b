// What counters over several computes came to, as they were shown: nothing that is found out later lowers them.
import type { Durations } from './duration-histogram.ts'
import type { Unproductive } from './unproductive.ts'

/** The counter of one budget, in the unit of its limit. Plain data. */
export type BudgetTally = {
  /** What was counted: of another definition the counting began anew, and this goes on. */
  readonly definition: string
  /** A counter in another unit is another counter. */
  readonly unit: string
  readonly shown: number
  /** What was shown when the counting of this definition began, without what it began with. */
  readonly ahead: number
}

/** Operations of the service that ended so. Plain data. */
export type OperationTally = {
  readonly action: string
  readonly status: string
  readonly count: number
  /** Attempts of theirs that failed. */
  readonly failures: number
}

/** Regions that are counted apart; the service has some ten. Doubled, one that makes up regions has twice as many series. */
export const MOST_REGIONS = 100

/** How long the starts of computes in one region took. Plain data. */
export type WakeTally = { readonly regionId: string } & Durations

/** Plain data; in the store before anybody is told. */
export type Tallies = {
  /** Name of a budget → its counter. */
  readonly budgets: Readonly<Record<string, BudgetTally>>
  /** Team → what its computes cost for nothing while they were its. */
  readonly teams: Readonly<Record<string, Unproductive>>
  /** By who caused them. */
  readonly wakes: { readonly dormouse: number; readonly unknown: number }
  /** One for each action and status. */
  readonly operations: readonly OperationTally[]
  /** One for each region. */
  readonly wakeLatency: readonly WakeTally[]
}

export const NO_TALLIES: Tallies = {
  budgets: {},
  teams: {},
  wakes: { dormouse: 0, unknown: 0 },
  operations: [],
  wakeLatency: [],
}
