// Burn rates of a budget: over the last hour, six hours, day and three days.
import type { Budget, LimitUnit, BurnRate, SpendBuckets, Seasonality } from '../../model/policy/budget.ts'
import type { AwakeSlice } from '../../model/ledger/quantities.ts'
import { earliest, HOUR, instant, seconds, type Cu, type Instant, type Interval } from '../../model/units.ts'
import { overlap } from '../interval-math.ts'
import { expectedSpendIn, type SpentSpan } from './seasonality.ts'

/** Length of a spend bucket, ms: the last hour's spend is off by at most five minutes of spend. */
const BUCKET = 300_000
const MAX_WINDOW = 72 * HOUR

/** As in multi-window alerts on error budgets; a tier is off where its threshold would not exceed the floor. */
const TIERS = [
  { window: HOUR, factor: 14.4, floor: 2 },
  { window: 6 * HOUR, factor: 6, floor: 1.5 },
  { window: 24 * HOUR, factor: 2, floor: 1.25 },
  // three days at a burn of 1 are as planned; what they lead to, the forecast says
  { window: MAX_WINDOW, factor: undefined, floor: 1 },
] as const
/** Largest threshold as a share of the highest possible burn: at 1 and above no tier could fire. */
const REACHABLE = 0.8

/** Start of the oldest spend bucket. */
export const spendBucketsFrom = (now: Instant): Instant =>
  instant(Math.floor((now - MAX_WINDOW) / BUCKET) * BUCKET)

/** `past`: spend that no window reaches any more. */
export function addToSpendBuckets(
  buckets: SpendBuckets,
  slices: readonly AwakeSlice[],
  { now, unit }: { now: Instant; unit: LimitUnit },
): Readonly<{ spendBuckets: SpendBuckets; past: readonly SpentSpan[] }> {
  const begin = spendBucketsFrom(now)
  const oldest = begin / BUCKET
  const spendBuckets: Record<string, number> = {}
  const past: SpentSpan[] = []
  for (const [bucket, amount] of Object.entries(buckets)) {
    if (Number(bucket) >= oldest) spendBuckets[bucket] = amount
    else past.push({ ...spanOf(Number(bucket)), amount })
  }
  for (const slice of slices) {
    const { from, to } = slice.likely
    const rate = spendPerMilli(slice.size.likely, Number(slice.price), unit)
    const pastUntil = earliest(to, begin)
    if (pastUntil > from) past.push({ from, to: pastUntil, amount: (pastUntil - from) * rate })
    const last = Math.floor((to - 1) / BUCKET)
    for (let bucket = Math.max(oldest, Math.floor(from / BUCKET)); bucket <= last; bucket += 1) {
      const time = overlap(slice.likely, spanOf(bucket))
      spendBuckets[bucket] = (spendBuckets[bucket] ?? 0) + time * rate
    }
  }
  return { spendBuckets, past }
}

const spanOf = (bucket: number): Interval => ({
  from: instant(bucket * BUCKET),
  to: instant((bucket + 1) * BUCKET),
})

/** Spend per millisecond in the unit, at a size and a price in micros per CU-hour. */
export function spendPerMilli(size: Cu, price: number, unit: LimitUnit): number {
  switch (unit) {
    case 'money':
      return (size * price) / HOUR
    case 'cu_hours':
      return size
    case 'awake_hours':
      return 1
  }
}

/** Spend of `slices` in each window of `burnRates` that ends now. */
export const recentSpend = (
  slices: readonly AwakeSlice[],
  { now, unit }: { now: Instant; unit: LimitUnit },
): readonly number[] =>
  windowsUntil(now).map((window) =>
    slices.reduce(
      (sum, { likely, size, price }) =>
        sum + overlap(likely, window) * spendPerMilli(size.likely, Number(price), unit),
      0,
    ),
  )

const windowsUntil = (now: Instant): readonly Interval[] =>
  TIERS.map(({ window }) => ({ from: instant(now - window), to: now }))

export type BurnInput = Readonly<{
  spendBuckets: SpendBuckets
  seasonality?: Seasonality | undefined
  /** `recentSpend` of the provisional slices. */
  unsettled: readonly number[]
  period: Interval
  maxBurn: number
  /** Spend before it is not known. */
  since: Instant
  now: Instant
}>

export function burnRates({ limit, wallAt }: Budget, spending: BurnInput): readonly BurnRate[] {
  const { spendBuckets, seasonality, unsettled, period, maxBurn, since, now } = spending
  const settled = settledSpend(spendBuckets, now)
  return TIERS.map(({ window, factor, floor }, tier) => {
    const from = instant(now - window)
    const planned = (limit.amount * window) / (period.to - period.from)
    const spent = (settled[tier] ?? 0) + (unsettled[tier] ?? 0)
    const burn = from < since ? undefined : spent / planned
    const expected = seasonality && expectedSpendIn(seasonality, { from, to: now }, wallAt)
    const usual = expected === undefined ? undefined : expected / planned
    const reachable = factor === undefined ? undefined : Math.min(factor, REACHABLE * maxBurn)
    if (reachable === undefined)
      return { window: seconds(window / 1000), burn, usual, threshold: undefined, off: 'left-to-forecast' }
    const off = reachable > floor ? undefined : 'out-of-reach'
    return { window: seconds(window / 1000), burn, usual, threshold: off ? undefined : reachable, off }
  })
}

/** In each window that ends at `now`. */
function settledSpend(buckets: SpendBuckets, now: Instant): readonly number[] {
  const spent = Object.entries(buckets).map(([bucket, amount]) => ({ from: Number(bucket) * BUCKET, amount }))
  // a plain loop: each pass goes over up to 865 buckets of each budget
  return TIERS.map(({ window }) => {
    const begin = now - window
    let sum = 0
    for (const { from, amount } of spent) {
      const time = Math.min(from + BUCKET, now) - Math.max(from, begin)
      if (time > 0) sum += (amount * time) / BUCKET
    }
    return sum
  })
}
