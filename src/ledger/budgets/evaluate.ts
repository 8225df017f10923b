// Evaluation of a budget as of now: spend, rungs reached, burn rates, and the exported counter.
import {
  type Budget,
  type BudgetEnforcement,
  type BudgetForecast,
  type BudgetState,
  type BudgetView,
  type BudgetAmounts,
  type EndedPeriod,
  type PeriodRecord,
  budgetUnit,
  withAmount,
  STEP_RUNGS,
  type StepRung,
} from '../../model/policy/budget.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import { matchesSelector, matchesEverything, type SelectorTarget } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/quantities.ts'
import type { BudgetCounter } from '../../model/ledger/counters.ts'
import { latest, ratio, type Cu, type Instant, type Micros, type Ratio } from '../../model/units.ts'
import { addSliceAmounts, NO_AMOUNTS } from '../settle/cu-time.ts'
import { burnRates, spendPerMilli, recentSpend, type BurnInput } from './burn-rate.ts'
import { addSlicesInPeriod, amountInLimitUnit, isRecordOf, reachedRungs } from './period-totals.ts'
import { slicesInWindow, settleBudget } from './settle.ts'

export type BudgetEvaluation = Readonly<{
  /** State with the rungs reached; stored before or with the events. */
  state: BudgetState
  counter: BudgetCounter
  /** Undefined when no period holds now. */
  view: BudgetView | undefined
  /** At most one per retained period: the highest rung reached for the first time. */
  events: readonly Event[]
}>

/** An evaluation in progress, to which computes are added in chunks. */
type OpenEvaluation = Readonly<{
  /** Adds an existing compute of the scope: their largest sizes bound the burn. */
  compute: (maxCu: Cu, perCuHour: Micros) => void
  /** Adds provisional slices of computes of the scope, as of now, each once. */
  provisional: (slices: readonly AwakeSlice[]) => void
  /** Leaves those of `provisional` that are of computes first seen in this pass out of the counter. */
  exclude: (slices: readonly AwakeSlice[]) => void
  close: () => BudgetEvaluation
}>

/** Both undefined for a new budget. */
type StoredBudget = Readonly<{
  state: BudgetState | undefined
  counter: BudgetCounter | undefined
  /** The service did not answer, or the store failed: usage since may be in the spend, not in the counter, which cannot fall again. */
  isUnobserved: boolean
}>

export function openEvaluation(budget: Budget, before: StoredBudget, now: Instant): OpenEvaluation {
  const { unit } = budget.limit
  const state = settleBudget(budget, before.state, { now, computes: new Map(), settled: new Map() })
  let counted = state.records.map(({ settled }) => settled)
  let provisional = recentSpend([], { now, unit })
  let { total } = state
  let { counter: stored } = before
  let rate = 0
  return {
    compute: (maxCu, perCuHour) => {
      rate += spendPerMilli(maxCu, perCuHour, unit)
    },
    provisional: (slices) => {
      const parts = slicesInWindow(budget, slices)
      const recent = recentSpend(parts, { now, unit })
      provisional = provisional.map((sum, tier) => sum + (recent[tier] ?? 0))
      total = addSliceAmounts(total, parts)
      counted = state.records.map((record, index) =>
        addSlicesInPeriod(counted[index] ?? record.settled, parts, record),
      )
    },
    exclude: (slices) => {
      stored = stored && excludeFromCounter(budget, stored, slices)
    },
    close: () => {
      const steps = state.records.map((record, index): Step => {
        const amounts = counted[index] ?? record.settled
        const after = { ...record, rungs: reachedRungs(unit, record, amounts) }
        return { before: record, after, counted: amounts }
      })
      const period = budget.periodAt(now)
      const current = period && steps.find(({ after }) => isRecordOf(after, period))
      const counter =
        (before.isUnobserved ? before.counter : undefined) ??
        raiseBudgetCounter(budget, stored, amountInLimitUnit(total, unit).likely)
      return {
        state: steps.some(reachesRung) ? { ...state, records: steps.map(({ after }) => after) } : state,
        counter,
        view: current && {
          ...viewOf(budget, current, { ...state, unsettled: provisional, now, rate, total: counter.value }),
          ...endedBefore(current, steps, { budget, since: state.since }),
        },
        events: steps.flatMap((step) => rungEvents(budget, step, now)),
      }
    },
  }
}

/** Before and after an evaluation. */
type Step = Readonly<{ before: PeriodRecord; after: PeriodRecord; counted: BudgetAmounts }>

const reachesRung = ({ before, after }: Step) => after.rungs.length > before.rungs.length

/** Amounts of the period of a step. @param since before it nothing is known */
function periodAmounts(
  { after: { from, to, rungs }, counted }: Step,
  { limit, since }: Pick<Budget, 'limit'> & { readonly since: Instant },
): EndedPeriod {
  const spent = amountInLimitUnit(counted.all, limit.unit)
  const [share, remaining] = [ratio(spent.likely / limit.amount), limit.amount - spent.likely]
  return { period: { from, to }, knownFrom: latest(since, from), limit, spent, share, remaining, rungs }
}

function endedBefore(
  current: Step,
  steps: readonly Step[],
  { budget, since }: { readonly budget: Budget; readonly since: Instant },
): Pick<BudgetView, 'ended'> {
  const earlier = steps.filter(({ after }) => after.to <= current.after.from)
  if (earlier.length === 0) return {}
  const inOrder = earlier.toSorted((a, b) => a.after.from - b.after.from)
  return {
    ended: inOrder.map((step) =>
      periodAmounts(step, { limit: withAmount(budget.limit, step.after.rungsOf), since }),
    ),
  }
}

/** @param spending `rate`: spend per millisecond with every compute awake at its largest */
function viewOf(
  budget: Budget,
  step: Step,
  { rate, total, ...spending }: Omit<BurnInput, 'period' | 'maxBurn'> & { rate: number; total: number },
): BudgetView {
  const { after: period, counted } = step
  const { account, name, mode, scope, per, limit } = budget
  const { from, to } = period
  const amounts = periodAmounts(step, { limit, since: spending.since })
  const { spent } = amounts
  const assumedSpend = amountInLimitUnit(counted.assumed, limit.unit).likely
  const assumed = ratio(spent.likely === 0 ? 0 : assumedSpend / spent.likely)
  const maxBurn = (rate * (to - from)) / limit.amount
  return {
    account,
    name,
    mode,
    scope,
    per,
    ...amounts,
    assumed,
    enforcement: enforcementOf(budget, assumed),
    total,
    maxBurn,
    burns: burnRates(budget, { ...spending, period, maxBurn }),
  }
}

/** Largest assumed share of the spend at which a budget may act. */
const MAX_ASSUMED = 0.2

const RUNGS_THAT_ACT: Readonly<Record<Budget['mode'], readonly StepRung[]>> = {
  soft: [80],
  hard: STEP_RUNGS,
}

function enforcementOf({ mode, scope }: Budget, assumed: Ratio): BudgetEnforcement {
  if (matchesEverything(scope)) return { kind: 'tells', because: 'whole-account' }
  if (assumed > MAX_ASSUMED) return { kind: 'held', because: 'assumed', share: assumed }
  return { kind: 'acts', rungs: RUNGS_THAT_ACT[mode] }
}

export const mayActOn = ({ scope, exempt }: Budget, compute: SelectorTarget): boolean =>
  matchesSelector(scope, compute) && !exempt.some((selector) => matchesSelector(selector, compute))

export type BudgetsNow = Readonly<{
  budgets: readonly Budget[]
  views: readonly BudgetView[]
  forecastOf: (view: BudgetView) => BudgetForecast | undefined
}>

/**
 * Name of a budget that asks a compute for a smaller size; undefined without one. All of these hold:
 * 1. its limit is spent, or more likely than not will be by the end of the period;
 * 2. a smaller size spends less of it: awake hours stay;
 * 3. it may act on the compute.
 */
export const budgetForSmallerSize = (
  compute: SelectorTarget,
  { budgets, views, forecastOf }: BudgetsNow,
): string | undefined =>
  views.find((view) => {
    const { name, limit, spent } = view
    const atEnd = Math.max(spent.likely, forecastOf(view)?.p50 ?? 0)
    if (limit.unit === 'awake_hours' || atEnd <= limit.amount) return false
    return budgets.some((budget) => budget.name === name && mayActOn(budget, compute))
  })?.name

function rungEvents(
  { account, name, limit: present }: Budget,
  { before, after, counted }: Step,
  now: Instant,
): readonly Event[] {
  const rung = after.rungs.findLast((reached) => !before.rungs.includes(reached))
  if (rung === undefined) return []
  const { from, to } = after
  const limit = withAmount(present, after.rungsOf)
  const spent = amountInLimitUnit(counted.all, limit.unit)
  return [{ account, at: now, kind: 'budget-rung', budget: name, rung, spent, limit, period: { from, to } }]
}

/** The counter will not grow by `slices`; `before` itself where they amount to nothing. */
export function excludeFromCounter(
  budget: Budget,
  before: BudgetCounter,
  slices: readonly AwakeSlice[],
): BudgetCounter {
  const amounts = addSliceAmounts(NO_AMOUNTS, slicesInWindow(budget, slices))
  const { likely } = amountInLimitUnit(amounts, budget.limit.unit)
  return likely === 0 ? before : { ...before, excess: before.excess - likely }
}

/**
 * The exported counter includes provisional usage and never decreases: after a downward correction it stays flat until usage
 * catches up. A new definition continues it, a new unit starts another. `before` itself when the value stays.
 *
 * @param counted likely spend since this definition began, provisional included, in the unit of the limit
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
  const value = before.excess + counted
  return value > before.value ? { ...before, value } : before
}
