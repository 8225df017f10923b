// Budgets: what was planned, and what a pass shows of them. How they are counted is in account/budgets.
import type { Bounds, CuTimeByPrice } from '../ledger/quantities.ts'
import type { Selector } from './selector.ts'
import type { Interval } from '../time.ts'
import type { CuMillis, Instant, Micros, Millis, Ratio, Seconds } from '../units.ts'

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
  /** As configured; else it is that of its computes, where all have one. */
  readonly team: string | undefined
  readonly mode: 'soft' | 'hard'
  readonly per: 'day' | 'week' | 'month' | 'window'
  /** What is counted, as text: another text is another budget, and its counting begins anew. */
  readonly definition: string
  /** Undefined when no period holds `at`: a window that does not come again. */
  readonly periodAt: (at: Instant) => Interval | undefined
  /** What the clock of its zone shows, milliseconds since 1970 on that clock. */
  readonly wallAt: (at: Instant) => number
  /** The parts of `[from, to)` in which spend counts, in order. */
  readonly countedIn: (from: Instant, to: Instant) => readonly Interval[]
}

/** Percent of the limit at which something happens, once per period. */
export const RUNGS = [50, 80, 100, 110] as const
export type Rung = (typeof RUNGS)[number]

/** What was spent. Plain data. */
export type UsageAmounts = { readonly awake: Bounds<Millis>; readonly cuTime: CuTimeByPrice }

/** All of it, and the part of it that rests on no fact. */
export type BudgetAmounts = { readonly all: UsageAmounts; readonly assumed: UsageAmounts }

/** One period of a budget. Plain data. */
export type PeriodRecord = Interval & {
  readonly settled: BudgetAmounts
  /** Those reached so far, of a limit of `rungsOf`: of another limit none is. */
  readonly rungs: readonly Rung[]
  readonly rungsOf: number
}

/** Likely spend of settled slices by five minutes, in the unit of the limit: number of the bucket since 1970 → amount. Plain data. */
export type SpendBuckets = Readonly<Record<string, number>>

/**
 * Spend and time by hour of the week, 168 each: what `SpendBuckets` reaches no more. Both fade from week to week alike. Plain data.
 */
export type Seasonality = {
  /** From here on all that was spent is known. */
  readonly from: Instant
  /** What was spent before is here, as soon as it is known. */
  readonly until: Instant
  /** Number of a week of the wall clock since 1970: what was in it counts whole. */
  readonly week: number
  /** In the unit of the limit. */
  readonly spent: readonly number[]
  /** Milliseconds. */
  readonly time: readonly number[]
}

/**
 * What must survive of a budget; plain data. To be stored in the transaction that stores the accounts whose settled slices are
 * in it: those are given once, so one without the other would count them twice or never.
 */
export type BudgetState = {
  readonly definition: string
  /** From here on everything was counted. */
  readonly since: Instant
  /** All that was settled since, over all periods: it never falls. */
  readonly total: UsageAmounts
  readonly records: readonly PeriodRecord[]
  readonly spendBuckets: SpendBuckets
  /** Absent in what an earlier version wrote. */
  readonly seasonality?: Seasonality
}

/** Name of a budget → its state. Plain data. */
export type BudgetStates = Readonly<Record<string, BudgetState>>

/** Whether a hard budget may be acted upon now, and if not, why. */
export type BudgetEnforcement =
  | { readonly kind: 'acts' }
  | { readonly kind: 'tells'; readonly because: 'soft' | 'whole-account' }
  /** More of what was counted rests on no fact than may be. */
  | { readonly kind: 'held'; readonly because: 'assumed'; readonly share: Ratio }

/** How fast money goes: 1 spends exactly the limit in one period. */
export type BurnRate = {
  readonly window: Seconds
  /** Undefined until that much time has been counted. */
  readonly burn: number | undefined
  /** As usual in this window of the week; undefined until that is learned. */
  readonly usual: number | undefined
  /** From which burn on to alert; undefined when the tier is off. */
  readonly threshold: number | undefined
  /** `out-of-reach`: all computes at their largest could not burn fast enough. `left-to-forecast`: a burn of 1 is normal. */
  readonly off: 'out-of-reach' | 'left-to-forecast' | undefined
}

/** How a period may end, in the unit of the limit. */
export type SpendForecast = {
  readonly p10: number
  readonly p50: number
  readonly p90: number
  /** Under 60 known days: its error is larger and its width mostly assumed. */
  readonly learning: boolean
  /** Finished days that it was made from. */
  readonly days: number
}

export type BudgetForecast = SpendForecast & {
  readonly probabilityOver: Ratio
  /** When the limit is reached if spend runs as expected; undefined once it is reached, and when it is not within this period. */
  readonly exhaustedAt: Instant | undefined
  /** How such forecasts held on own finished windows, as long as the days that are left; undefined before one has finished. */
  readonly held: { readonly inside: Ratio; readonly error: Ratio } | undefined
}

/** Amounts are in the unit of the limit: micros, CU·ms, or awake ms. */
export type BudgetView = {
  readonly account: string
  readonly name: string
  readonly mode: Budget['mode']
  readonly scope: Selector
  readonly per: Budget['per']
  readonly period: Interval
  /** Spend is known from here on: the start of the period, or later in the first one. */
  readonly knownFrom: Instant
  readonly limit: BudgetLimit
  readonly spent: Bounds<number>
  /** Over all periods, with what is not settled yet: it never falls. */
  readonly total: number
  /** Likely spend by limit. */
  readonly share: Ratio
  /** Negative when overspent. */
  readonly remaining: number
  /** Those reached in this period, also when the spend was restated below them since. */
  readonly rungs: readonly Rung[]
  /** The part of the likely spend that rests on no fact. */
  readonly assumed: Ratio
  readonly enforcement: BudgetEnforcement
  /** The burn with every compute of the scope awake at its largest. */
  readonly maxBurn: number
  readonly burns: readonly BurnRate[]
}

/** A budget with who answers for it, and how its period may end. */
export type BudgetWithForecast = BudgetView & {
  /** Its own, else that of its computes where all have the same; empty where there is none, as `tier`. */
  readonly team: string
  readonly tier: string
  /** Undefined before there is anything to go by. */
  readonly forecast: BudgetForecast | undefined
}

/** The unit that people plan a limit in, as labels and texts have it: a currency, `cu_hours` or `awake_hours`. */
export const budgetUnit = (limit: BudgetLimit): string =>
  limit.unit === 'money' ? limit.currency : limit.unit

/** An amount in that unit. */
export const amountInUnit = (amount: number, { unit }: BudgetLimit): number =>
  amount / (unit === 'money' ? 1_000_000 : 3_600_000)

/** `project=preview-*,type=read_only`; `all` for a whole account. */
export function scopeText({ project, branch, compute, type }: Selector): string {
  const parts = Object.entries({ project, branch, compute, type: type && [type] }).flatMap(
    ([key, patterns]) => (patterns ? [`${key}=${patterns.join('|')}`] : []),
  )
  return parts.length === 0 ? 'all' : parts.join(',')
}
