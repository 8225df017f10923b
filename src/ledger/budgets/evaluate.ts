// One look at one budget: what is spent, which rungs that reaches, how fast it goes.
import {
  type Budget,
  type BudgetEnforcement,
  type BudgetState,
  type BudgetView,
  type BudgetAmounts,
  type SpendBuckets,
  type PeriodRecord,
  type Seasonality,
  budgetUnit,
} from '../../model/policy/budget.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import { matchesSelector, matchesEverything, type SelectorTarget } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { BudgetCounter } from '../../model/ledger/counters.ts'
import { ratio, type Instant, type Ratio } from '../../model/units.ts'
import { addSliceAmounts, amountInLimitUnit } from './amounts.ts'
import { burnRates, maxBurnRate, spendPerMilli, recentSpend } from './burn-rate.ts'
import { addSlicesInPeriod, spendKnownFrom, isRecordOf, reachedRungs } from './period-totals.ts'
import { slicesInWindow, settleBudget, type BudgetCompute } from './settle.ts'

export type BudgetEvaluation = {
  /** With the rungs that were reached: to be stored before anybody is told of them, or with it. */
  readonly state: BudgetState
  readonly tally: BudgetCounter
  /** Undefined when no period holds now. */
  readonly view: BudgetView | undefined
  /** For each period kept at most one, the highest rung that it reached for the first time; also of one just over. */
  readonly events: readonly Event[]
}

/** What a compute may spend at most. */
export type MaxSpendInput = Pick<BudgetCompute, 'gone' | 'maxCu' | 'perCuHour'>

/** A look that goes on: many computes are told of in turns. */
export type OpenEvaluation = {
  /** Tells of a compute of the budget's scope: those that are there bound the burn by their largest sizes. */
  readonly compute: (compute: MaxSpendInput) => void
  /** Tells of what is not settled yet, as of now, of computes of its scope; each slice once. */
  readonly provisional: (slices: readonly AwakeSlice[]) => void
  readonly close: () => BudgetEvaluation
}

/** What was kept of a budget; undefined at first. */
export type StoredBudget = {
  readonly state: BudgetState | undefined
  readonly tally: BudgetCounter | undefined
  /** The service could not be asked: what may have gone on since is in the spend, and not in the counter, which could not take it back. */
  readonly unseen?: boolean
}

export function openEvaluation(budget: Budget, before: StoredBudget, now: Instant): OpenEvaluation {
  const { unit } = budget.limit
  const state = settleBudget(budget, before.state, { now, computes: new Map(), settled: new Map() })
  let counted = state.records.map(({ settled }) => settled)
  let unsettled = recentSpend([], { now, unit })
  let { total } = state
  let rate = 0
  return {
    compute: ({ gone, maxCu, perCuHour }) => {
      if (!gone) rate += spendPerMilli(maxCu, perCuHour, unit)
    },
    provisional: (slices) => {
      const parts = slicesInWindow(budget, slices)
      const lately = recentSpend(parts, { now, unit })
      unsettled = unsettled.map((sum, tier) => sum + (lately[tier] ?? 0))
      total = addSliceAmounts(total, parts)
      counted = state.records.map((record, index) =>
        addSlicesInPeriod(counted[index] ?? record.settled, parts, record),
      )
    },
    close: () => {
      const steps = state.records.map((record, index): Step => {
        const all = counted[index] ?? record.settled
        return {
          before: record,
          after: { ...record, rungs: reachedRungs(budget, record, all) },
          counted: all,
        }
      })
      const period = budget.periodAt(now)
      const current = period && steps.find(({ after }) => isRecordOf(after, period))
      const tally =
        (before.unseen ? before.tally : undefined) ??
        raiseBudgetCounter(budget, before.tally, amountInLimitUnit(total, unit).likely)
      return {
        state: steps.some(isReached) ? { ...state, records: steps.map(({ after }) => after) } : state,
        tally,
        view: current && {
          ...figuresOf(budget, current),
          total: tally.value,
          ...paceOf(budget, current.after, { ...state, unsettled, now, rate }),
        },
        events: steps.flatMap((step) => rungEvents(budget, step, now)),
      }
    },
  }
}

/** A record before and after a look at it. */
type Step = { readonly before: PeriodRecord; readonly after: PeriodRecord; readonly counted: BudgetAmounts }

const isReached = ({ before, after }: Step): boolean => after.rungs.length > before.rungs.length

type Spending = {
  readonly since: Instant
  readonly spendBuckets: SpendBuckets
  readonly seasonality?: Seasonality | undefined
  readonly unsettled: readonly number[]
  /** With every compute awake at its largest. */
  readonly rate: number
  readonly now: Instant
}

function paceOf(
  budget: Budget,
  period: PeriodRecord,
  { rate, since, ...spending }: Spending,
): Pick<BudgetView, 'knownFrom' | 'maxBurn' | 'burns'> {
  const maxBurn = maxBurnRate(budget, period, rate)
  return {
    knownFrom: spendKnownFrom(period, since),
    maxBurn,
    burns: burnRates(budget, { ...spending, since, period, maxBurn }),
  }
}

type Figures = Omit<BudgetView, 'total' | 'knownFrom' | 'maxBurn' | 'burns'>

function figuresOf(budget: Budget, { after: { from, to, rungs }, counted }: Step): Figures {
  const { account, name, mode, scope, per, limit } = budget
  const spent = amountInLimitUnit(counted.all, limit.unit)
  const guessed = amountInLimitUnit(counted.assumed, limit.unit).likely
  const assumed = ratio(spent.likely === 0 ? 0 : guessed / spent.likely)
  return {
    account,
    name,
    mode,
    scope,
    per,
    period: { from, to },
    limit,
    spent,
    share: ratio(spent.likely / limit.amount),
    remaining: limit.amount - spent.likely,
    rungs,
    assumed,
    enforcement: actingOf(budget, assumed),
  }
}

/** Doubled, a budget could stop a compute over spend of which two fifths are a guess. */
const MOST_ASSUMED = 0.2

function actingOf({ mode, scope }: Budget, assumed: Ratio): BudgetEnforcement {
  if (mode === 'soft') return { kind: 'tells', because: 'soft' }
  if (matchesEverything(scope)) return { kind: 'tells', because: 'whole-account' }
  if (assumed > MOST_ASSUMED) return { kind: 'held', because: 'assumed', share: assumed }
  return { kind: 'acts' }
}

/** Whether a budget may act upon this compute: one of its scope that is not exempt. */
export const mayActOn = ({ scope, exempt }: Budget, compute: SelectorTarget): boolean =>
  matchesSelector(scope, compute) && !exempt.some((selector) => matchesSelector(selector, compute))

function rungEvents(
  { account, name, limit }: Budget,
  { before, after, counted }: Step,
  now: Instant,
): readonly Event[] {
  const rung = after.rungs.findLast((one) => !before.rungs.includes(one))
  if (rung === undefined) return []
  const { from, to } = after
  const spent = amountInLimitUnit(counted.all, limit.unit)
  return [{ account, at: now, kind: 'budget-rung', budget: name, rung, spent, limit, period: { from, to } }]
}

/**
 * @param counted likely spend since the counting of this definition began, with what is not settled yet, in the unit of the limit
 * @returns `before` itself when it shows no more
 */
export function raiseBudgetCounter(
  budget: Budget,
  before: BudgetCounter | undefined,
  counted: number,
): BudgetCounter {
  const { definition, limit } = budget
  const unit = budgetUnit(limit)
  if (before?.unit !== unit) return { definition, unit, value: counted, excess: 0 }
  if (before.definition !== definition) return { ...before, definition, excess: before.value - counted }
  const shown = before.excess + counted
  return shown > before.value ? { ...before, value: shown } : before
}
