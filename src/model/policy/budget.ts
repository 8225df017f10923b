// Budgets: definition, and what a pass publishes. Evaluation is in ledger/budgets.
import type { Shown } from '../ledger/counted-past.ts'
import type { Bounds, CuTimeByPrice } from '../ledger/quantities.ts'
import type { Selector } from './selector.ts'
import {
  HOUR,
  type CuMillis,
  type Instant,
  type Micros,
  type Millis,
  type Ratio,
  type Seconds,
  type Interval,
} from '../units.ts'

/** Limit for one period. */
export type BudgetLimit = Readonly<
  | { unit: 'money'; amount: Micros; currency: string }
  | { unit: 'cu_hours'; amount: CuMillis }
  | { unit: 'awake_hours'; amount: Millis }
>

export type LimitUnit = BudgetLimit['unit']

export type Budget = Readonly<{
  name: string
  account: string
  scope: Selector
  /** Counted, but never acted upon. */
  exempt: readonly Selector[]
  limit: BudgetLimit
  /** Undefined: the common team of the computes. */
  team: string | undefined
  mode: 'soft' | 'hard'
  per: 'day' | 'week' | 'month' | 'window'
  /** What is counted; another text starts a new state. */
  definition: string
  /** Undefined when no period contains `at`: the window does not recur. */
  periodAt: (at: Instant) => Interval | undefined
  /** Milliseconds since 1970 on the wall clock of the budget's zone. */
  wallAt: (at: Instant) => number
  /** Parts of `[from, to)` in which spend counts, in order. */
  countedIn: (from: Instant, to: Instant) => readonly Interval[]
}>

/** Percent of the limit; each raises an event once per period. */
export const RUNGS = [50, 80, 100, 110] as const
export type Rung = (typeof RUNGS)[number]

/**
 * Rungs that change settings: at 80 % delays go to their floor, which restarts nothing; at 100 % of a hard budget the largest sizes do.
 */
export const STEP_RUNGS = [80, 100] as const satisfies readonly Rung[]
export type StepRung = (typeof STEP_RUNGS)[number]

/** Usage. Plain data. */
export type UsageAmounts = Readonly<{ awake: Bounds<Millis>; cuTime: CuTimeByPrice }>

/** Whole usage, and its assumed part. */
export type BudgetAmounts = Readonly<{ all: UsageAmounts; assumed: UsageAmounts }>

/** Settled usage in one period, and the rungs reached. Plain data. */
export type PeriodRecord = Interval &
  Readonly<{
    settled: BudgetAmounts
    /** Reached for the limit `rungsOf`; not valid for another. */
    rungs: readonly Rung[]
    rungsOf: number
  }>

/** Number of the 5-minute bucket since 1970 → likely settled spend in the unit of the limit. Plain data. */
export type SpendBuckets = Readonly<Record<string, number>>

/** By hour of the week, 168 entries, for time older than `SpendBuckets`. Both decay equally from week to week. Plain data. */
export type Seasonality = Readonly<{
  /** Spend is completely known from here on. */
  from: Instant
  /** Spend before it is included, also when it becomes known later. */
  until: Instant
  /** Wall-clock week since 1970 with full weight. */
  week: number
  /** In the unit of the limit. */
  spent: readonly number[]
  /** Milliseconds. */
  time: readonly number[]
}>

/**
 * Plain data, committed together with the ledger entries whose settled slices it contains: one without the other would count
 * slices twice or never.
 */
export type BudgetState = Readonly<{
  definition: string
  /** Start of counting. */
  since: Instant
  /** Settled, over all periods: it never falls. */
  total: UsageAmounts
  records: readonly PeriodRecord[]
  spendBuckets: SpendBuckets
  /** Absent in what an earlier version wrote. */
  seasonality?: Seasonality
}>

/** By name. Plain data. */
export type BudgetStates = Readonly<Record<string, BudgetState>>

/** Whether a budget may change settings now. */
export type BudgetEnforcement = Readonly<
  | { kind: 'acts'; rungs: readonly StepRung[] }
  | { kind: 'tells'; because: 'whole-account' }
  /** The assumed share of the spend is too large. */
  | { kind: 'held'; because: 'assumed'; share: Ratio }
>

/** 1 spends exactly the limit in one period. */
export type BurnRate = Readonly<{
  window: Seconds
  /** Undefined until a whole window has been counted. */
  burn: number | undefined
  /** At this time of the week; undefined until learned. */
  usual: number | undefined
  /** To alert from; undefined when the alert is off. */
  threshold: number | undefined
  /** `out-of-reach`: all computes at their largest size burn too slowly. `left-to-forecast`: a burn of 1 is normal. */
  off: 'out-of-reach' | 'left-to-forecast' | undefined
}>

/** At the end of a period, in the unit of the limit. */
export type SpendForecast = Readonly<{
  p10: number
  p50: number
  p90: number
  /** Fewer than 60 days of history: the width is mostly assumed. */
  learning: boolean
  /** Finished days in the history. */
  days: number
}>

export type BudgetForecast = SpendForecast &
  Readonly<{
    probabilityOver: Ratio
    /** When expected spend reaches the limit; undefined after that, and when it does not within this period. */
    exhaustedAt: Instant | undefined
    /** Coverage and error of a backtest over windows as long as the remaining days; undefined before one has finished. */
    held: Readonly<{ inside: Ratio; error: Ratio }> | undefined
  }>

/** Amounts are in the unit of the limit: micros, CU·ms, or awake ms. */
export type BudgetView = Readonly<{
  account: string
  name: string
  mode: Budget['mode']
  scope: Selector
  per: Budget['per']
  period: Interval
  /** The start of the period, or later in the first one. */
  knownFrom: Instant
  limit: BudgetLimit
  spent: Bounds<number>
  /** Over all periods, with provisional usage: it never falls. */
  total: number
  /** Likely spend divided by the limit. */
  share: Ratio
  /** Negative when overspent. */
  remaining: number
  /** Reached in this period, also when the spend was restated below them since. */
  rungs: readonly Rung[]
  /** Assumed share of the likely spend. */
  assumed: Ratio
  enforcement: BudgetEnforcement
  /** With every compute of the scope awake at its largest size. */
  maxBurn: number
  burns: readonly BurnRate[]
  /** Periods before this one, oldest first, as far as their usage is still counted; absent where there is none. */
  ended?: readonly EndedPeriod[] | undefined
}>

/** A period of a budget that is over, with the limit that it had. */
export type EndedPeriod = Pick<
  BudgetView,
  'period' | 'knownFrom' | 'limit' | 'spent' | 'share' | 'remaining' | 'rungs'
>

/** Spend since the start of a period at the end of each whole day, in the unit of the limit; empty where nothing was spent. */
export type SpentByDay = Readonly<{ current: readonly number[]; previous: readonly number[] }>

/** Spend narrowed by what the service counted, and what follows from it. */
export type ShownBudget = Shown &
  Pick<BudgetView, 'share' | 'remaining'> &
  Readonly<{ forecast: BudgetForecast | undefined }>

export type BudgetWithForecast = BudgetView &
  Readonly<{
    /** The budget's team, else the common team of its computes; empty where there is none. `tier` likewise. */
    team: string
    tier: string
    /** Undefined without history. */
    forecast: BudgetForecast | undefined
    /** Undefined until history was read. */
    spentByDay?: SpentByDay | undefined
    /** For people; absent where it is that of the ledger. */
    shown?: ShownBudget | undefined
  }>

/** In labels and texts: a currency, `cu_hours` or `awake_hours`. */
export const budgetUnit = (limit: BudgetLimit): string =>
  limit.unit === 'money' ? limit.currency : limit.unit

/** @param amount in the unit of the limit */
export const withAmount = (limit: BudgetLimit, amount: number): BudgetLimit =>
  ({ ...limit, amount }) as BudgetLimit

/** Amount in `budgetUnit`. */
export const amountInUnit = (amount: number, { unit }: BudgetLimit): number =>
  amount / (unit === 'money' ? 1_000_000 : HOUR)

/** `project=preview-*,type=read_only`; `all` for a whole account. */
export function scopeText({ project, branch, compute, type }: Selector): string {
  const parts = Object.entries({ project, branch, compute, type: type && [type] }).flatMap(
    ([key, patterns]) => (patterns ? [`${key}=${patterns.join('|')}`] : []),
  )
  return parts.length === 0 ? 'all' : parts.join(',')
}
