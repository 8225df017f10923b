// One look at one budget: what is spent, which rungs that reaches, how fast it goes.
import type { Budget, BudgetActing, BudgetForecast, BudgetView } from '../../model/budget.ts'
import type { Event } from '../../model/event.ts'
import { selects, selectsAll, type Target } from '../../model/selector.ts'
import type { AwakeSlice } from '../../model/slice.ts'
import { ratio, type Instant, type Ratio } from '../../model/units.ts'
import { measured } from './amounts.ts'
import { burnsOf, maxBurnOf, type Pace } from './burn.ts'
import { count, countedFrom, isOf, reached, type Counted, type PeriodRecord } from './record.ts'
import {
  countedParts,
  settleBudget,
  type BudgetCompute,
  type BudgetComputes,
  type BudgetState,
  type SlicesByCompute,
} from './settle.ts'

export type LookInput = {
  readonly now: Instant
  /** All that is not settled yet, as of now. */
  readonly provisional: SlicesByCompute
  /** All of the account: their largest sizes bound the burn. */
  readonly computes: BudgetComputes
  readonly forecast?: BudgetForecast | undefined
}

export type BudgetLook = {
  /** With the rungs that were reached: to be stored before anybody is told of them, or with it. */
  readonly state: BudgetState
  /** Undefined when no period holds now. */
  readonly view: BudgetView | undefined
  /** For each period kept at most one, the highest rung that it reached for the first time; also of one just over. */
  readonly events: readonly Event[]
}

export function lookAtBudget(budget: Budget, before: BudgetState | undefined, input: LookInput): BudgetLook {
  const { now, computes } = input
  const state = settleBudget(budget, before, { now, computes, settled: new Map() })
  const provisional = countedParts(budget, input.provisional, computes)
  const steps = state.records.map((record): Step => {
    const counted = count(record.settled, provisional, record)
    return { before: record, after: { ...record, rungs: reached(budget, record, counted) }, counted }
  })
  const period = budget.periodAt(now)
  const current = period && steps.find(({ after }) => isOf(after, period))
  const running = [...computes.values()].filter((compute) => !compute.gone && selects(budget.scope, compute))
  return {
    state: { ...state, records: steps.map(({ after }) => after) },
    view: current && {
      ...figuresOf(budget, current),
      ...paceOf(budget, current.after, { ...state, provisional, now, running }),
      forecast: input.forecast,
    },
    events: steps.flatMap((step) => rungEvents(budget, step, now)),
  }
}

/** A record before and after a look at it. */
type Step = { readonly before: PeriodRecord; readonly after: PeriodRecord; readonly counted: Counted }

type Spending = {
  readonly since: Instant
  readonly pace: Pace
  readonly provisional: readonly AwakeSlice[]
  readonly running: readonly BudgetCompute[]
  readonly now: Instant
}

function paceOf(
  budget: Budget,
  period: PeriodRecord,
  { running, since, ...spending }: Spending,
): Pick<BudgetView, 'countedFrom' | 'maxBurn' | 'burns'> {
  const maxBurn = maxBurnOf(budget, period, running)
  return {
    countedFrom: countedFrom(period, since),
    maxBurn,
    burns: burnsOf(budget, { ...spending, since, period, maxBurn }),
  }
}

type Figures = Omit<BudgetView, 'countedFrom' | 'maxBurn' | 'burns' | 'forecast'>

function figuresOf(budget: Budget, { after: { from, to, rungs }, counted }: Step): Figures {
  const { account, name, mode, limit } = budget
  const spent = measured(counted.all, limit.unit)
  const guessed = measured(counted.assumed, limit.unit).likely
  const assumed = ratio(spent.likely === 0 ? 0 : guessed / spent.likely)
  return {
    account,
    name,
    mode,
    period: { from, to },
    limit,
    spent,
    share: ratio(spent.likely / limit.amount),
    remaining: limit.amount - spent.likely,
    rungs,
    assumed,
    acting: actingOf(budget, assumed),
  }
}

/** Doubled, a budget could stop a compute over spend of which two fifths are a guess. */
const MOST_ASSUMED = 0.2

function actingOf({ mode, scope }: Budget, assumed: Ratio): BudgetActing {
  if (mode === 'soft') return { kind: 'tells', because: 'soft' }
  if (selectsAll(scope)) return { kind: 'tells', because: 'whole-account' }
  if (assumed > MOST_ASSUMED) return { kind: 'held', because: 'assumed', share: assumed }
  return { kind: 'acts' }
}

/** Whether a budget may act upon this compute: one of its scope that is not exempt. */
export const actsUpon = ({ scope, exempt }: Budget, compute: Target): boolean =>
  selects(scope, compute) && !exempt.some((selector) => selects(selector, compute))

function rungEvents(
  { account, name, limit }: Budget,
  { before, after, counted }: Step,
  now: Instant,
): readonly Event[] {
  const rung = after.rungs.findLast((one) => !before.rungs.includes(one))
  if (rung === undefined) return []
  const { from, to } = after
  const spent = measured(counted.all, limit.unit)
  return [{ account, at: now, kind: 'budget-rung', budget: name, rung, spent, limit, period: { from, to } }]
}
