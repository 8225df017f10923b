// Budgets: what was planned, and what a pass shows of them. How they are counted is in account/budgets.
import type { Bounds } from './ledger.ts'
import type { Selector } from './selector.ts'
import type { Interval } from './time.ts'
import type { CuMillis, Instant, Micros, Millis, Ratio, Seconds } from './units.ts'

/** What may be spent in one period. */
export type BudgetLimit =
  | { readonly unit: 'money'; readonly amount: Micros; readonly currency: string }
  | { readonly unit: 'cu_hours'; readonly amount: CuMillis }
  | { readonly unit: 'awake_hours'; readonly amount: Millis }

export type Budget = {
  readonly name: string
  readonly account: string
  readonly scope: Selector
  /** Counted like the others, and never acted upon. */
  readonly exempt: readonly Selector[]
  readonly limit: BudgetLimit
  readonly mode: 'soft' | 'hard'
  /** What is counted, as text: another text is another budget, and its counting begins anew. */
  readonly definition: string
  /** Undefined when no period holds `at`: a window that does not come again. */
  readonly periodAt: (at: Instant) => Interval | undefined
  /** The parts of `[from, to)` in which spend counts, in order. */
  readonly countedIn: (from: Instant, to: Instant) => readonly Interval[]
}

/** Percent of the limit at which something happens, once per period. */
export const RUNGS = [50, 80, 100, 110] as const
export type Rung = (typeof RUNGS)[number]

/** Whether a hard budget may be acted upon now, and if not, why. */
export type BudgetActing =
  | { readonly kind: 'acts' }
  | { readonly kind: 'tells'; readonly because: 'soft' | 'whole-account' }
  /** More of what was counted rests on no fact than may be. */
  | { readonly kind: 'held'; readonly because: 'assumed'; readonly share: Ratio }

/** How fast money goes: 1 spends exactly the limit in one period. */
export type Burn = {
  readonly window: Seconds
  /** Undefined until that much time has been counted. */
  readonly burn: number | undefined
  /** From which burn on to alert; undefined when the tier is off. */
  readonly threshold: number | undefined
  /** `out-of-reach`: all computes at their largest could not burn fast enough. `left-to-forecast`: a burn of 1 is normal. */
  readonly off: 'out-of-reach' | 'left-to-forecast' | undefined
}

/** How a period may end, in the unit of the limit. */
export type BudgetForecast = {
  readonly p10: number
  readonly p50: number
  readonly p90: number
  readonly probabilityOver: Ratio
}

/** Amounts are in the unit of the limit: micros, CU·ms, or awake ms. */
export type BudgetView = {
  readonly account: string
  readonly name: string
  readonly mode: Budget['mode']
  readonly period: Interval
  /** Spend is known from here on: the start of the period, or later in the first one. */
  readonly countedFrom: Instant
  readonly limit: BudgetLimit
  readonly spent: Bounds<number>
  /** Likely spend by limit. */
  readonly share: Ratio
  /** Negative when overspent. */
  readonly remaining: number
  /** Those reached in this period, also when the spend was restated below them since. */
  readonly rungs: readonly Rung[]
  /** The part of the likely spend that rests on no fact. */
  readonly assumed: Ratio
  readonly acting: BudgetActing
  /** The burn with every compute of the scope awake at its largest. */
  readonly maxBurn: number
  readonly burns: readonly Burn[]
  readonly forecast: BudgetForecast | undefined
}
