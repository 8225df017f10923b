// How fast a budget is spent: over the last hour, six hours, day and three days.
import type { Budget, BudgetLimit, Burn } from '../../model/budget.ts'
import type { AwakeSlice } from '../../model/slice.ts'
import type { Interval } from '../../model/time.ts'
import { instant, seconds, type Cu, type Instant, type Micros } from '../../model/units.ts'

/** Likely spend of settled slices by five minutes, in the unit of the limit: number of the bucket since 1970 → amount. Plain data. */
export type Pace = Readonly<Record<string, number>>

/** Doubled, the last hour's spend is wrong by up to ten minutes of what was spent around its beginning. */
const BUCKET = 300_000
const HOUR = 3_600_000
const LONGEST = 72 * HOUR

/** Factors of the usual multi-window alerts on error budgets; a tier is off where its threshold would not exceed the floor. */
const TIERS = [
  { window: HOUR, factor: 14.4, floor: 2 },
  { window: 6 * HOUR, factor: 6, floor: 1.5 },
  { window: 24 * HOUR, factor: 2, floor: 1.25 },
  // money idles at a burn of 1: three days of it are no news, and what they lead to is the forecast's to say
  { window: LONGEST, factor: undefined, floor: 1 },
] as const
/** Of the highest burn there can be. Doubled, no tier could fire. */
const REACHABLE = 0.8

/** `pace` with what was settled, without what no window reaches any more. */
export function addToPace(
  pace: Pace,
  slices: readonly AwakeSlice[],
  { now, unit }: { readonly now: Instant; readonly unit: BudgetLimit['unit'] },
): Pace {
  const oldest = Math.floor((now - LONGEST) / BUCKET)
  const kept: Record<string, number> = {}
  for (const [bucket, amount] of Object.entries(pace)) if (Number(bucket) >= oldest) kept[bucket] = amount
  for (const slice of slices) {
    const [from, to] = slice.likely
    const last = Math.floor((to - 1) / BUCKET)
    for (let bucket = Math.max(oldest, Math.floor(from / BUCKET)); bucket <= last; bucket += 1) {
      const time = overlap(slice.likely, spanOf(bucket))
      kept[bucket] = (kept[bucket] ?? 0) + time * rateOf(slice, unit)
    }
  }
  return kept
}

const spanOf = (bucket: number): readonly [number, number] => [bucket * BUCKET, (bucket + 1) * BUCKET]

const overlap = (a: readonly [number, number], b: readonly [number, number]): number =>
  Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0]))

/** Likely spend a millisecond, in the unit. */
function rateOf(
  { size, price }: Pick<AwakeSlice, 'price'> & { size: { likely: Cu } },
  unit: BudgetLimit['unit'],
) {
  switch (unit) {
    case 'money':
      return (size.likely * Number(price)) / HOUR
    case 'cu_hours':
      return size.likely
    case 'awake_hours':
      return 1
  }
}

/** A compute as the highest burn counts it. */
export type Largest = { readonly maxCu: Cu; readonly perCuHour: Micros }

/** `M`: all of `computes` awake at their largest for a whole period, by the limit. */
export function maxBurnOf({ limit }: Budget, period: Interval, computes: readonly Largest[]): number {
  const rate = computes.reduce(
    (sum, { maxCu, perCuHour }) =>
      sum + rateOf({ size: { likely: maxCu }, price: String(perCuHour) }, limit.unit),
    0,
  )
  return (rate * (period.to - period.from)) / limit.amount
}

export type Spending = {
  readonly pace: Pace
  readonly provisional: readonly AwakeSlice[]
  readonly period: Interval
  readonly maxBurn: number
  /** Nothing before it is known. */
  readonly since: Instant
  readonly now: Instant
}

export function burnsOf({ limit }: Budget, spending: Spending): readonly Burn[] {
  const { period, maxBurn, since, now } = spending
  return TIERS.map(({ window, factor, floor }) => {
    const from = instant(now - window)
    const planned = (limit.amount * window) / (period.to - period.from)
    const burn = from < since ? undefined : spentIn([from, now], limit.unit, spending) / planned
    const reachable = factor === undefined ? undefined : Math.min(factor, REACHABLE * maxBurn)
    if (reachable === undefined)
      return { window: seconds(window / 1000), burn, threshold: undefined, off: 'left-to-forecast' }
    const off = reachable > floor ? undefined : 'out-of-reach'
    return { window: seconds(window / 1000), burn, threshold: off ? undefined : reachable, off }
  })
}

function spentIn(
  span: readonly [number, number],
  unit: BudgetLimit['unit'],
  { pace, provisional }: Spending,
): number {
  let spent = 0
  for (const [bucket, amount] of Object.entries(pace))
    spent += (amount * overlap(spanOf(Number(bucket)), span)) / BUCKET
  for (const slice of provisional) spent += overlap(slice.likely, span) * rateOf(slice, unit)
  return spent
}
