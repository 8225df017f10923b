// Narrows a project's usage before the first look by CU-time that the service counted.
//
// 1. Each day of a compute has the ledger's bounds and an assumption: the size at the first look.
// 2. The days of one counted window add up to it. So a day is at least the counted CU-time without the most of all others, and at most the
//    counted CU-time without the least of all others.
// 3. The likely usage starts at the assumption. What is missing or too much moves it first inside the sizes of the first look, then inside
//    the ledger's bounds, each day by the same share of its room.
// 4. Days in no window keep the assumption.
import {
  computeKey,
  largestCu,
  smallestCu,
  type ComputeRef,
  type Sizing,
} from '../../model/service/compute.ts'
import type { ComputePast, CountedWindow, PastBasis, PastDay } from '../../model/ledger/counted-past.ts'
import { eachBound, mapBounds, type Bounds, type DayRow } from '../../model/ledger/quantities.ts'
import { HOUR, cuMillis, micros, type CuMillis } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { overlaps } from '../interval-math.ts'
import { cuTimeSum, spendOf } from '../settle/cu-time.ts'
import { weakestBasis } from './shown-amount.ts'

type ProjectPast = Readonly<{
  /** Days of all computes of the project, deleted ones included. */
  rows: readonly DayRow[]
  /** At the first look; undefined for a deleted compute. */
  sizingOf: (ref: ComputeRef) => Sizing | undefined
  /** Not overlapping. */
  windows: readonly CountedWindow[]
  basis: Exclude<PastBasis, 'assumed'>
}>

/** Computes with days that can be narrowed. */
export function narrowPast({ rows, sizingOf, windows, basis }: ProjectPast): readonly ComputePast[] {
  const sizings = rows.flatMap(({ ref }) => sizingOf(ref) ?? [])
  const days = rows.map((row) => assume(row, sizingOf(row.ref) ?? hullOf(sizings)))
  const byWindow = Map.groupBy(days, ({ row }) => windows.find((window) => overlaps(window, row)))
  const narrowed = [...byWindow].flatMap(([window, inside]): readonly NarrowedDay[] =>
    window
      ? fitToWindow(inside, window).map((day) => ({ ...day, basis }))
      : inside.map((day) => ({ ...day, shown: day.assumed, basis: 'assumed' })),
  )
  return [...Map.groupBy(narrowed, ({ row }) => computeKey(row.ref)).values()].flatMap(
    (own) => computePast(own) ?? [],
  )
}

type AssumedDay = Readonly<{
  row: DayRow
  ledger: Bounds<CuMillis>
  assumed: Bounds<CuMillis>
}>
type NarrowedDay = AssumedDay & Readonly<{ shown: Bounds<number>; basis: PastBasis }>

/** Sizes of the other computes of the project, for a deleted one; undefined where it has none. */
const hullOf = (sizings: readonly Sizing[]): Sizing | undefined =>
  sizings.length === 0
    ? undefined
    : {
        min: sizings.map(smallestCu).reduce((a, b) => (a < b ? a : b)),
        max: sizings.map(largestCu).reduce((a, b) => (a > b ? a : b)),
      }

function assume(row: DayRow, sizing: Sizing | undefined): AssumedDay {
  const ledger = cuTimeSum(row.cuTime)
  const clamp = (value: number) => Math.round(Math.min(ledger.high, Math.max(ledger.low, value)))
  if (!sizing) return { row, ledger, assumed: ledger }
  const { awake } = row
  const [low, high] = [clamp(awake.low * smallestCu(sizing)), clamp(awake.high * largestCu(sizing))]
  const likely = Math.min(high, Math.max(low, ledger.likely))
  return { row, ledger, assumed: { low: cuMillis(low), likely: cuMillis(likely), high: cuMillis(high) } }
}

type Span = { low: number; likely: number; high: number }

function fitToWindow(days: readonly AssumedDay[], window: CountedWindow) {
  const [least, most] = [sumOf(days, ({ ledger }) => ledger.low), sumOf(days, ({ ledger }) => ledger.high)]
  const clamp = (value: number) => Math.min(most, Math.max(least, value))
  const counted = mapBounds(window.cuTime, clamp)
  const likely = distribute(days, counted.likely)
  const byCompute = new Map<string, Span>()
  const parts = days.map((day, index) => {
    const key = computeKey(day.row.ref)
    const span = byCompute.get(key) ?? { low: 0, likely: 0, high: 0 }
    byCompute.set(key, span)
    const value = likely[index] ?? day.ledger.likely
    span.low += day.ledger.low
    span.likely += value
    span.high += day.ledger.high
    return { day, value, span }
  })
  return parts.map(({ day, value, span }) => {
    const low = Math.max(span.low, counted.low - (most - span.high))
    const high = Math.min(span.high, counted.high - (least - span.low))
    const below = shareOf(span.likely - low, span.likely - span.low) * (value - day.ledger.low)
    const above = shareOf(high - span.likely, span.high - span.likely) * (day.ledger.high - value)
    return { ...day, shown: { low: value - below, likely: value, high: value + above } }
  })
}

const shareOf = (part: number, whole: number) => (whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole)))

/** Likely CU-time of each day, in order; together `total`. */
function distribute(days: readonly AssumedDay[], total: number): readonly number[] {
  const bound = total >= sumOf(days, ({ assumed }) => assumed.likely) ? 'high' : 'low'
  const limits = [days.map(({ assumed }) => assumed[bound]), days.map(({ ledger }) => ledger[bound])]
  return limits.reduce<readonly number[]>(
    (values, limit) => {
      const sum = sumOf(values, Number)
      const room = sumOf(limit, Number) - sum
      const share = room === 0 ? 0 : Math.min(1, Math.max(0, (total - sum) / room))
      return values.map((value, index) => value + share * ((limit[index] ?? value) - value))
    },
    days.map(({ assumed }) => assumed.likely),
  )
}

function computePast(days: readonly NarrowedDay[]): ComputePast | undefined {
  const [first] = days
  const narrowed = days.filter(({ ledger, shown }) => shown.high - shown.low < ledger.high - ledger.low)
  if (!first || narrowed.length === 0) return undefined
  return {
    ref: first.row.ref,
    basis: weakestBasis(new Set(narrowed.map((day) => day.basis))) ?? 'assumed',
    days: narrowed.map(pastDay).toSorted((a, b) => a.from - b.from),
  }
}

function pastDay({ row, ledger, shown }: NarrowedDay): PastDay {
  const { high } = spendOf(row.cuTime)
  return {
    from: row.from,
    price: micros(ledger.high === 0 ? 0 : (high * HOUR) / ledger.high),
    ledger,
    shown: eachBound((bound) => cuMillis(Math.round(shown[bound]))),
  }
}
