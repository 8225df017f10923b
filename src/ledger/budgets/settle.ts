// What a budget keeps: what was settled, by period and by five minutes.
import type { Budget, BudgetState } from '../../model/policy/budget.ts'
import { computeKey } from '../../model/service/compute.ts'
import { selects, type Target } from '../../model/policy/selector.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest, type Cu, type Instant, type Micros } from '../../model/units.ts'
import { addToPace, paceBegin } from './burn-rate.ts'
import { addSlices, NO_AMOUNTS } from './amounts.ts'
import { clip, reachOf } from './clip.ts'
import { settleInto, withRecord } from './period-totals.ts'
import { begunAt, grown, newSeason } from './seasonality.ts'

/** A compute as budgets see it. */
export type BudgetCompute = Target & {
  readonly maxCu: Cu
  readonly perCuHour: Micros
  /** Deleted: its spend counts, and it will not be spending more. */
  readonly gone: boolean
}

/** `computeKey` → every compute that the slices may name, deleted ones included. */
export type BudgetComputes = ReadonlyMap<string, BudgetCompute>

/** `computeKey` → its slices: grouped once for all budgets. */
export type SlicesByCompute = ReadonlyMap<string, readonly AwakeSlice[]>

export const byCompute = (slices: readonly AwakeSlice[]): SlicesByCompute =>
  Map.groupBy(slices, ({ ref }) => computeKey(ref))

export type SettleInput = {
  readonly now: Instant
  /** What was settled since the state was kept: each slice once for good. */
  readonly settled: SlicesByCompute
  readonly computes: BudgetComputes
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
  input: SettleInput,
): BudgetState {
  const { now } = input
  const kept = isCurrent(budget, state) ? state : createState(budget, input)
  const settled = countedParts(budget, inScope(budget, input))
  const until = paceBegin(now)
  const season = kept.season ?? newSeason(latest(kept.since, until), budget.wallAt)
  const period = budget.periodAt(now)
  const records = period ? withRecord(kept.records, period, budget) : kept.records
  if (settled.length === 0 && records === kept.records && kept.since <= now && until - season.until < DAY)
    return kept
  const { pace, past } = addToPace(kept.pace, settled, { now, unit: budget.limit.unit })
  return {
    definition: kept.definition,
    // a clock that was ahead at the first pass said so
    since: earliest(kept.since, now),
    total: addSlices(kept.total, settled),
    records: records.map((record) => settleInto(record, settled)),
    pace,
    season: grown(season, { spent: past, until }, budget.wallAt),
  }
}

/** Whether `state` is of this budget as it is defined now. */
export const isCurrent = ({ definition }: Budget, state: BudgetState | undefined): state is BudgetState =>
  state?.definition === definition

const createState = ({ definition, wallAt }: Budget, { now, settledSince }: SettleInput): BudgetState => ({
  definition,
  since: settledSince ?? now,
  total: NO_AMOUNTS,
  records: [],
  pace: {},
  season: newSeason(settledSince ?? now, wallAt),
})

/** `state` where all was counted from `since` on. */
export const countedSince = ({ wallAt }: Budget, state: BudgetState, since: Instant): BudgetState => ({
  ...state,
  since,
  ...(state.season && { season: begunAt(state.season, since, wallAt) }),
})

/** A compute whose time before an instant is not known. */
export type Newcomer = { readonly compute: BudgetCompute; readonly knownFrom: Instant }

/** The state when such computes have come into the budget's scope: it is known from a later instant on. */
export function withNewcomers(
  { scope }: Budget,
  state: BudgetState,
  newcomers: readonly Newcomer[],
): BudgetState {
  const since = newcomers
    .filter(({ compute }) => selects(scope, compute))
    .reduce((known, { knownFrom }) => latest(known, knownFrom), state.since)
  if (since === state.since) return state
  return { ...state, since, ...(state.season && { season: { ...state.season, from: since } }) }
}

/** Those of computes that the budget is about. */
const inScope = (
  { scope }: Budget,
  { settled, computes }: Pick<SettleInput, 'settled' | 'computes'>,
): readonly AwakeSlice[] =>
  [...settled].flatMap(([key, its]) => {
    const compute = computes.get(key)
    return compute && selects(scope, compute) ? its : []
  })

/** The parts of `slices` at a time that the budget counts. */
export function countedParts({ countedIn }: Budget, slices: readonly AwakeSlice[]): readonly AwakeSlice[] {
  const span = spanOf(slices)
  if (!span) return []
  const counted = countedIn(span.from, span.to)
  return slices.flatMap((slice) => clip(slice, counted))
}

function spanOf(slices: readonly AwakeSlice[]): Interval | undefined {
  const [first, ...rest] = slices
  if (!first) return undefined
  let { from, to } = reachOf(first)
  for (const slice of rest) {
    const reach = reachOf(slice)
    from = earliest(from, reach.from)
    to = latest(to, reach.to)
  }
  return { from, to }
}
