// Budgets and slices of which each test changes what it is about. Prices are 1 unit of currency a CU-hour.
import { openEvaluation, type BudgetEvaluation } from '../../../src/ledger/budgets/evaluate.ts'
import { groupByCompute, settleBudget, type BudgetSettleInput } from '../../../src/ledger/budgets/settle.ts'
import { periodOf } from '../../../src/calendar/period.ts'
import type { Budget, BudgetLimit, BudgetState } from '../../../src/model/policy/budget.ts'
import { computeKey, type ComputeRef } from '../../../src/model/service/compute.ts'
import { matchesSelector, type SelectorTarget } from '../../../src/model/policy/selector.ts'
import type { AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import type { BudgetCounter } from '../../../src/model/ledger/counters.ts'
import {
  cu,
  cuMillis,
  instant,
  micros,
  millis,
  type Cu,
  type Instant,
  type Micros,
} from '../../../src/model/units.ts'
import { at, zoneOf } from '../../support/zones.ts'

export const HOUR = 3_600_000
export const UTC = zoneOf('UTC')

export const money = (units: number): BudgetLimit => ({
  unit: 'money',
  amount: micros(units * 1e6),
  currency: 'USD',
})
export const cuHours = (hours: number): BudgetLimit => ({ unit: 'cu_hours', amount: cuMillis(hours * HOUR) })
export const awakeHours = (hours: number): BudgetLimit => ({
  unit: 'awake_hours',
  amount: millis(hours * HOUR),
})

/** 100 units a month in UTC, of all computes. */
export const budgetOf = (changed: Partial<Budget> = {}): Budget => ({
  name: 'all',
  account: 'main',
  scope: {},
  exempt: [],
  team: undefined,
  limit: money(100),
  mode: 'soft',
  per: 'month',
  definition: 'all',
  periodAt: (now) => periodOf({ per: 'month', zone: UTC, anchor: 1 }, now),
  wallAt: UTC.wallAt,
  countedIn: (from, to) => [{ from, to }],
  ...changed,
})

export const refOf = (endpointId: string): ComputeRef => ({
  account: 'main',
  projectId: `project-${endpointId}`,
  endpointId,
})

const exactly = (value: number) => ({ low: cu(value), likely: cu(value), high: cu(value) })

/** `size` CU for `hours` from `from` on, exactly. */
export function sliceOf(
  from: string | Instant,
  hours: number,
  changed: Partial<AwakeSlice> & { cu?: number; id?: string } = {},
): AwakeSlice {
  const begin = typeof from === 'string' ? at(from) : from
  const span = { from: begin, to: instant(begin + hours * HOUR) }
  const { cu: size = 1, id = 'ep-a', ...rest } = changed
  return {
    ref: refOf(id),
    low: span,
    likely: span,
    high: span,
    size: exactly(size),
    price: '1000000',
    assumed: false,
    ...rest,
  }
}

/** A compute, with its largest possible spend. */
type BudgetCompute = SelectorTarget & { maxCu: Cu; perCuHour: Micros; isDeleted: boolean }

export const computeOf = (endpointId: string, changed: Partial<BudgetCompute> = {}): BudgetCompute => ({
  ref: refOf(endpointId),
  projectName: `name of ${endpointId}`,
  branchId: `br-${endpointId}`,
  name: undefined,
  type: 'read_write',
  maxCu: cu(4),
  perCuHour: micros(1_000_000),
  isDeleted: false,
  ...changed,
})

export type BudgetInput = Omit<BudgetSettleInput, 'settled' | 'computes'> & {
  readonly computes: ReadonlyMap<string, BudgetCompute>
  readonly settled: readonly AwakeSlice[]
  readonly provisional: readonly AwakeSlice[]
  readonly counter?: BudgetCounter | undefined
  readonly isUnobserved?: boolean
}

/** One pass: what was settled goes into the state, then it is looked at, a compute after the other. */
export function advanceBudget(
  budget: Budget,
  before: BudgetState | undefined,
  { settled, provisional, counter, isUnobserved = false, ...input }: BudgetInput,
): BudgetEvaluation {
  const state = settleBudget(budget, before, { ...input, settled: groupByCompute(settled) })
  const look = openEvaluation(budget, { state, counter, isUnobserved }, input.now)
  const inScope = [...input.computes].filter(([, compute]) => matchesSelector(budget.scope, compute))
  for (const [key, compute] of inScope) {
    if (!compute.isDeleted) look.compute(compute.maxCu, compute.perCuHour)
    look.provisional(groupByCompute(provisional).get(key) ?? [])
  }
  return look.close()
}

/** Nothing happened to `ep-a` and `ep-b`. */
export const inputAt = (now: string | Instant, changed: Partial<BudgetInput> = {}): BudgetInput => ({
  now: typeof now === 'string' ? at(now) : now,
  settled: [],
  provisional: [],
  computes: new Map(['ep-a', 'ep-b'].map((id) => [computeKey(refOf(id)), computeOf(id)])),
  ...changed,
})
