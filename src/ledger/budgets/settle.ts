// Brings settled slices into the state of a budget: totals by period, spend by five minutes, seasonality.
import type { Budget, BudgetState } from '../../model/policy/budget.ts'
import { computeKey } from '../../model/service/compute.ts'
import { matchesSelector, type Selector, type SelectorTarget } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/quantities.ts'
import { DAY, earliest, latest, type Instant } from '../../model/units.ts'
import { addToSpendBuckets, spendBucketsFrom } from './burn-rate.ts'
import { addSliceAmounts, NO_AMOUNTS } from '../settle/cu-time.ts'
import { emptyAt } from '../interval-math.ts'
import { clipSlice, possibleInterval } from '../settle/slices.ts'
import { addSlicesInPeriod, ensurePeriodRecord } from './period-totals.ts'
import { seasonalityKnownSince, addSpend, newSeasonality } from './seasonality.ts'

/** `computeKey` → every compute that the slices may name, deleted ones included. */
export type BudgetComputesByKey = ReadonlyMap<string, SelectorTarget>

/** `computeKey` → its slices: grouped once for all budgets. */
type SlicesByCompute = ReadonlyMap<string, readonly AwakeSlice[]>

export const groupByCompute = (slices: readonly AwakeSlice[]): SlicesByCompute =>
  Map.groupBy(slices, ({ ref }) => computeKey(ref))

/** Time that a seasonality may lag behind where nothing is settled: it saves writes. */
const MAX_LAG = DAY

export type BudgetSettleInput = Readonly<{
  now: Instant
  /** Since the state was stored, each once. */
  settled: SlicesByCompute
  computes: BudgetComputesByKey
  /** Start of the time that `settled` covers, for a budget without state; `now` by default. */
  settledSince?: Instant | undefined
}>

/** `state` itself when nothing was settled for it. A state of another definition is dropped: counting starts again. */
export function settleBudget(
  budget: Budget,
  state: BudgetState | undefined,
  input: BudgetSettleInput,
): BudgetState {
  const { now } = input
  const current = isStateOfDefinition(budget, state) ? state : createState(budget, input)
  const settled = slicesInWindow(budget, settledInScope(budget, input))
  const until = spendBucketsFrom(now)
  const seasonality = current.seasonality ?? newSeasonality(latest(current.since, until), budget.wallAt)
  const period = budget.periodAt(now)
  const records = period ? ensurePeriodRecord(current.records, period, budget) : current.records
  if (
    settled.length === 0 &&
    records === current.records &&
    current.since <= now &&
    until - seasonality.until < MAX_LAG
  )
    return current
  const { unit } = budget.limit
  const { spendBuckets, past } = addToSpendBuckets(current.spendBuckets, settled, { now, unit })
  return {
    definition: current.definition,
    // the clock may have been ahead at the first pass
    since: earliest(current.since, now),
    total: addSliceAmounts(current.total, settled),
    records: records.map((record) => ({
      ...record,
      settled: addSlicesInPeriod(record.settled, settled, record),
    })),
    spendBuckets,
    seasonality: addSpend(seasonality, { spent: past, until }, budget.wallAt),
  }
}

export const isStateOfDefinition = (
  { definition }: Budget,
  state: BudgetState | undefined,
): state is BudgetState => state?.definition === definition

const createState = ({ definition, wallAt }: Budget, { now, settledSince }: BudgetSettleInput) => ({
  definition,
  since: settledSince ?? now,
  total: NO_AMOUNTS,
  records: [],
  spendBuckets: {},
  seasonality: newSeasonality(settledSince ?? now, wallAt),
})

/** `state` when all spend since `since` is counted. */
export const spendKnownSince = ({ wallAt }: Budget, state: BudgetState, since: Instant): BudgetState => ({
  ...state,
  since,
  ...(state.seasonality && { seasonality: seasonalityKnownSince(state.seasonality, since, wallAt) }),
})

/** A compute whose time before `knownFrom` is not known: it existed unseen, without operation history. */
export type LateDiscovery = Readonly<{ compute: SelectorTarget; knownFrom: Instant }>

/** Spend is known only from the newest `knownFrom` in the budget's scope on. */
export function applyLateDiscoveries(
  { scope }: Budget,
  state: BudgetState,
  discoveries: readonly LateDiscovery[],
): BudgetState {
  const since = discoveries
    .filter(({ compute }) => matchesSelector(scope, compute))
    .reduce((newest, { knownFrom }) => latest(newest, knownFrom), state.since)
  if (since === state.since) return state
  return { ...state, since, ...(state.seasonality && { seasonality: { ...state.seasonality, from: since } }) }
}

export const settledInScope = (
  { scope }: Budget,
  { settled, computes }: Pick<BudgetSettleInput, 'settled' | 'computes'>,
): readonly AwakeSlice[] =>
  [...settled].flatMap(([key, slices]) => {
    const compute = computes.get(key)
    return compute ? slicesInScope(scope, compute, slices) : []
  })

/**
 * The slices of one compute that a budget counts. A slice counts on the branch on which it was used; where that is not certain, as possible
 * on each and as likely on one.
 */
export function slicesInScope(
  scope: Selector,
  compute: SelectorTarget,
  slices: readonly AwakeSlice[],
): readonly AwakeSlice[] {
  const isInScope = matchesSelector(scope, compute)
  return slices.flatMap((slice) => {
    if (!slice.branches) return isInScope ? [slice] : []
    const matches = slice.branches.map((branchId) => matchesSelector(scope, { ...compute, branchId }))
    if (!matches.includes(false)) return [slice]
    if (!matches.includes(true)) return []
    const { high, likely } = slice
    return [{ ...slice, low: emptyAt(high.from), likely: matches[0] ? likely : emptyAt(high.from) }]
  })
}

/** Their parts in the time that the budget counts. */
export function slicesInWindow({ countedIn }: Budget, slices: readonly AwakeSlice[]): readonly AwakeSlice[] {
  const [first, ...rest] = slices.map(possibleInterval)
  if (!first) return []
  let { from, to } = first
  for (const possible of rest) {
    from = earliest(from, possible.from)
    to = latest(to, possible.to)
  }
  const counted = countedIn(from, to)
  return slices.flatMap((slice) => clipSlice(slice, counted))
}
