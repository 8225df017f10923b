// What a budget keeps: what was settled, by period and by five minutes.
import type { Budget } from '../../model/budget.ts'
import { computeKey } from '../../model/compute.ts'
import { selects, type Target } from '../../model/selector.ts'
import type { AwakeSlice } from '../../model/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, latest, type Cu, type Instant, type Micros } from '../../model/units.ts'
import { addToPace, type Pace } from './burn.ts'
import { clip, reachOf } from './clip.ts'
import { settleInto, withRecord, type PeriodRecord } from './record.ts'

/**
 * What must survive of a budget; plain data. To be stored in the transaction that stores the accounts whose settled slices are
 * in it: those are given once, so one without the other would count them twice or never.
 */
export type BudgetState = {
  readonly definition: string
  /** From here on everything was counted. */
  readonly since: Instant
  readonly records: readonly PeriodRecord[]
  readonly pace: Pace
}

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

/** @param state undefined at first; one of another definition is left behind, and counting begins anew */
export function settleBudget(
  budget: Budget,
  state: BudgetState | undefined,
  input: SettleInput,
): BudgetState {
  const { now, computes } = input
  const kept = state?.definition === budget.definition ? state : createState(budget, input)
  const settled = countedParts(budget, input.settled, computes)
  const period = budget.periodAt(now)
  const records = period ? withRecord(kept.records, period, budget) : kept.records
  return {
    definition: kept.definition,
    // a clock that was ahead at the first pass said so
    since: earliest(kept.since, now),
    records: records.map((record) => settleInto(record, settled)),
    pace: addToPace(kept.pace, settled, { now, unit: budget.limit.unit }),
  }
}

const createState = ({ definition }: Budget, { now, settledSince }: SettleInput): BudgetState => ({
  definition,
  since: settledSince ?? now,
  records: [],
  pace: {},
})

/** The parts of `slices` that are of the budget's computes and at a time that it counts. */
export function countedParts(
  { scope, countedIn }: Budget,
  slices: SlicesByCompute,
  computes: BudgetComputes,
): readonly AwakeSlice[] {
  const ours = [...slices].flatMap(([key, its]) => {
    const compute = computes.get(key)
    return compute && selects(scope, compute) ? its : []
  })
  const span = spanOf(ours)
  if (!span) return []
  const counted = countedIn(span.from, span.to)
  return ours.flatMap((slice) => clip(slice, counted))
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
