// Narrows a project's usage before the first look by CU-time that the service counted.
//
// 1. Each part of a day of a compute has the ledger's bounds and an assumption: the size at the first look.
// 2. The parts in one counted window add up to it. So a compute has in it at least the counted CU-time without the most of all others, and at
//    most the counted CU-time without the least of all others.
// 3. The likely usage starts at the assumption. What is missing or too much moves it first inside the sizes of the first look, then inside
//    the ledger's bounds, each part by the same share of its room.
// 4. Parts in no window keep the assumption.
import {
  computeKey,
  largestCu,
  smallestCu,
  type ComputeRef,
  type Sizing,
} from '../../model/service/compute.ts'
import type { ComputePast, CountedWindow, PastBasis, PastPart } from '../../model/ledger/counted-past.ts'
import { eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import { HOUR, cuMillis, micros, type CuMillis, type Instant } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { overlaps } from '../interval-math.ts'
import { cuTimeSum, spendOf } from '../settle/cu-time.ts'
import type { DayPart } from './day-parts.ts'
import { weakestBasis } from './shown-amount.ts'

type ProjectPast = Readonly<{
  /** Parts of all computes of the project, deleted ones included; each in at most one window. */
  parts: readonly DayPart[]
  /** At the first look; undefined for a deleted compute. */
  sizingOf: (ref: ComputeRef) => Sizing | undefined
  /** Not overlapping. */
  windows: readonly CountedWindow[]
  basis: Exclude<PastBasis, 'assumed'>
}>

/** Computes with parts whose bounds or likely usage the counted CU-time changes. */
export function narrowPast({ parts, sizingOf, windows, basis }: ProjectPast): readonly ComputePast[] {
  const hull = hullOf(parts.flatMap(({ ref }) => sizingOf(ref) ?? []))
  const assumed = parts.map((part) => assume(part, sizingOf(part.ref) ?? hull))
  const byWindow = Map.groupBy(assumed, ({ part }) => windows.find((window) => overlaps(window, part)))
  const narrowed = [...byWindow].flatMap(([window, inside]): readonly NarrowedPart[] =>
    window
      ? fitToWindow(inside, window).map((one) => ({ ...one, window: window.from, basis }))
      : inside.map((one) => ({
          ...one,
          window: one.part.from,
          shown: one.assumed,
          basis: 'assumed',
        })),
  )
  return [...Map.groupBy(narrowed, ({ part }) => computeKey(part.ref)).values()].flatMap(
    (own) => computePast(own) ?? [],
  )
}

type AssumedPart = Readonly<{
  part: DayPart
  ledger: Bounds<CuMillis>
  assumed: Bounds<CuMillis>
}>
type NarrowedPart = AssumedPart & Readonly<{ window: Instant; shown: Bounds<number>; basis: PastBasis }>

/** Sizes of the other computes of the project, for a deleted one; undefined where it has none. */
const hullOf = (sizings: readonly Sizing[]): Sizing | undefined =>
  sizings.length === 0
    ? undefined
    : {
        min: sizings.map(smallestCu).reduce((a, b) => (a < b ? a : b)),
        max: sizings.map(largestCu).reduce((a, b) => (a > b ? a : b)),
      }

function assume(part: DayPart, sizing: Sizing | undefined): AssumedPart {
  const ledger = cuTimeSum(part.cuTime)
  const clamp = (value: number) => Math.round(Math.min(ledger.high, Math.max(ledger.low, value)))
  if (!sizing) return { part, ledger, assumed: ledger }
  const { awake } = part
  const [low, high] = [clamp(awake.low * smallestCu(sizing)), clamp(awake.high * largestCu(sizing))]
  const likely = Math.min(high, Math.max(low, ledger.likely))
  return { part, ledger, assumed: { low: cuMillis(low), likely: cuMillis(likely), high: cuMillis(high) } }
}

type Span = { low: number; likely: number; high: number }

function fitToWindow(parts: readonly AssumedPart[], window: CountedWindow) {
  const [least, most] = [sumOf(parts, ({ ledger }) => ledger.low), sumOf(parts, ({ ledger }) => ledger.high)]
  const clamp = (value: number) => Math.min(most, Math.max(least, value))
  const counted = mapBounds(window.cuTime, clamp)
  const likely = distribute(parts, counted.likely)
  const byCompute = new Map<string, Span>()
  const values = parts.map((one, index) => {
    const key = computeKey(one.part.ref)
    const span = byCompute.get(key) ?? { low: 0, likely: 0, high: 0 }
    byCompute.set(key, span)
    const value = likely[index] ?? one.ledger.likely
    span.low += one.ledger.low
    span.likely += value
    span.high += one.ledger.high
    return { one, value, span }
  })
  return values.map(({ one, value, span }) => {
    const low = Math.max(span.low, counted.low - (most - span.high))
    const high = Math.min(span.high, counted.high - (least - span.low))
    const below = shareOf(span.likely - low, span.likely - span.low) * (value - one.ledger.low)
    const above = shareOf(high - span.likely, span.high - span.likely) * (one.ledger.high - value)
    return { ...one, shown: { low: value - below, likely: value, high: value + above } }
  })
}

const shareOf = (part: number, whole: number) => (whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole)))

/** Likely CU-time of each part, in order; together `total`. */
function distribute(parts: readonly AssumedPart[], total: number): readonly number[] {
  const bound = total >= sumOf(parts, ({ assumed }) => assumed.likely) ? 'high' : 'low'
  const limits = [parts.map(({ assumed }) => assumed[bound]), parts.map(({ ledger }) => ledger[bound])]
  return limits.reduce<readonly number[]>(
    (values, limit) => {
      const sum = sumOf(values, Number)
      const room = sumOf(limit, Number) - sum
      const share = room === 0 ? 0 : Math.min(1, Math.max(0, (total - sum) / room))
      return values.map((value, index) => value + share * ((limit[index] ?? value) - value))
    },
    parts.map(({ assumed }) => assumed.likely),
  )
}

function computePast(parts: readonly NarrowedPart[]): ComputePast | undefined {
  const [first] = parts
  const narrowed = parts.filter(isNarrowed)
  if (!first || narrowed.length === 0) return undefined
  return {
    ref: first.part.ref,
    basis: weakestBasis(new Set(narrowed.map((one) => one.basis))) ?? 'assumed',
    parts: narrowed.toSorted((a, b) => a.part.from - b.part.from).map(pastPart),
  }
}

/** Also where only the likely usage is another: the parts of a window add up to it. */
const isNarrowed = ({ ledger, shown }: NarrowedPart) =>
  shown.high - shown.low < ledger.high - ledger.low || shown.likely !== ledger.likely

function pastPart({ part, window, ledger, shown }: NarrowedPart): PastPart {
  const { high } = spendOf(part.cuTime)
  return {
    day: part.day,
    window,
    price: micros(ledger.high === 0 ? 0 : (high * HOUR) / ledger.high),
    ledger,
    shown: eachBound((bound) => cuMillis(Math.round(shown[bound]))),
  }
}
