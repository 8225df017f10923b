// What a budget keeps: what was settled, by period and by five minutes.
import type { Budget, BudgetState } from '../../model/policy/budget.ts'
import { computeKey } from '../../model/service/compute.ts'
import { matchesSelector, type SelectorTarget } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest, type Cu, type Instant, type Micros } from '../../model/units.ts'
import { addToSpendBuckets, spendBucketsFrom } from './burn-rate.ts'
import { addSliceAmounts, NO_AMOUNTS } from './amounts.ts'
import { clipSlice, possibleInterval } from './clip.ts'
import { addSettledSlices, ensurePeriodRecord } from './period-totals.ts'
import { seasonalityKnownSince, addSpend, newSeasonality } from './seasonality.ts'

/** A compute as budgets see it. */
export type BudgetCompute = SelectorTarget & {
  readonly maxCu: Cu
  readonly perCuHour: Micros
  /** Deleted: its spend counts, and it will not be spending more. */
  readonly gone: boolean
}

/** `computeKey` → every compute that the slices may name, deleted ones included. */
export type BudgetComputesByKey = ReadonlyMap<string, BudgetCompute>

/** `computeKey` → its slices: grouped once for all budgets. */
export type SlicesByCompute = ReadonlyMap<string, readonly AwakeSlice[]>

export const groupByCompute = (slices: readonly AwakeSlice[]): SlicesByCompute =>
  Map.groupBy(slices, ({ ref }) => computeKey(ref))

export type BudgetSettleInput = {
  readonly now: Instant
  /** What was settled since the state was kept: each slice once for good. */
  readonly settled: SlicesByCompute
  readonly computes: BudgetComputesByKey
  /** How far back `settled` reaches when there is no state yet; `now` when it holds only the news. */
  readonly settledSince?: Instant | undefined
}

/** So long a season may be behind where nothing is settled. Doubled, what is usual fades a day later. */
const DAY = 86_400_000

/**
 * @param state undefined at first; one of another definition is left behind, and counting begins anew
 * @returns `state` itself when nothing was settled for it
 */
export function settleBudget(
  budget: Budget,
  state: BudgetState | undefined,
  input: BudgetSettleInput,
): BudgetState {
  const { now } = input
  const kept = isStateOfDefinition(budget, state) ? state : createState(budget, input)
  const settled = slicesInWindow(budget, inScope(budget, input))
  const until = spendBucketsFrom(now)
  const season = kept.seasonality ?? newSeasonality(latest(kept.since, until), budget.wallAt)
  const period = budget.periodAt(now)
  const records = period ? ensurePeriodRecord(kept.records, period, budget) : kept.records
  if (settled.length === 0 && records === kept.records && kept.since <= now && until - season.until < DAY)
    return kept
  const { pace, past } = addToSpendBuckets(kept.spendBuckets, settled, { now, unit: budget.limit.unit })
  return {
    definition: kept.definition,
    // a clock that was ahead at the first pass said so
    since: earliest(kept.since, now),
    total: addSliceAmounts(kept.total, settled),
    records: records.map((record) => addSettledSlices(record, settled)),
    spendBuckets: pace,
    seasonality: addSpend(season, { spent: past, until }, budget.wallAt),
  }
}

/** Whether `state` is of this budget as it is defined now. */
export const isStateOfDefinition = (
  { definition }: Budget,
  state: BudgetState | undefined,
): state is BudgetState => state?.definition === definition

const createState = (
  { definition, wallAt }: Budget,
  { now, settledSince }: BudgetSettleInput,
): BudgetState => ({
  definition,
  since: settledSince ?? now,
  total: NO_AMOUNTS,
  records: [],
  spendBuckets: {},
  seasonality: newSeasonality(settledSince ?? now, wallAt),
})

/** `state` where all was counted from `since` on. */
export const spendKnownSince = ({ wallAt }: Budget, state: BudgetState, since: Instant): BudgetState => ({
  ...state,
  since,
  ...(state.seasonality && { seasonality: seasonalityKnownSince(state.seasonality, since, wallAt) }),
})

/** A compute whose time before an instant is not known. */
export type LateDiscovery = { readonly compute: BudgetCompute; readonly knownFrom: Instant }

/** The state when such computes have come into the budget's scope: it is known from a later instant on. */
export function applyLateDiscoveries(
  { scope }: Budget,
  state: BudgetState,
  newcomers: readonly LateDiscovery[],
): BudgetState {
  const since = newcomers
    .filter(({ compute }) => matchesSelector(scope, compute))
    .reduce((known, { knownFrom }) => latest(known, knownFrom), state.since)
  if (since === state.since) return state
  return { ...state, since, ...(state.seasonality && { seasonality: { ...state.seasonality, from: since } }) }
}

/** Those of computes that the budget is about. */
const inScope = (
  { scope }: Budget,
  { settled, computes }: Pick<BudgetSettleInput, 'settled' | 'computes'>,
): readonly AwakeSlice[] =>
  [...settled].flatMap(([key, its]) => {
    const compute = computes.get(key)
    return compute && matchesSelector(scope, compute) ? its : []
  })

/** The parts of `slices` at a time that the budget counts. */
export function slicesInWindow({ countedIn }: Budget, slices: readonly AwakeSlice[]): readonly AwakeSlice[] {
  const span = spanOf(slices)
  if (!span) return []
  const counted = countedIn(span.from, span.to)
  return slices.flatMap((slice) => clipSlice(slice, counted))
}

function spanOf(slices: readonly AwakeSlice[]): Interval | undefined {
  const [first, ...rest] = slices
  if (!first) return undefined
  let { from, to } = possibleInterval(first)
  for (const slice of rest) {
    const reach = possibleInterval(slice)
    from = earliest(from, reach.from)
    to = latest(to, reach.to)
  }
  return { from, to }
}
