// Interval of a saving, and the confidence in it.
//
// 1. The observed time is cut into blocks of a day. A block bootstrap over them gives the range of savings that other days like these
//    would have had.
// 2. Half of its width counts three times: of the savings that followed on real traces, 33–73 % lay inside the plain range, and 73–95 %
//    inside the wide one.
// 3. The bounds of gap lengths and sizes widen it further.
// 4. Its ends stay inside of what any use allows: no time saved, and all of the time. Past spend is no such bound: use may grow.
import type { Bounds } from '../model/ledger/quantities.ts'
import type { Utilisation } from '../model/ledger/metering.ts'
import type { AdviceNeeds } from '../model/policy/advice-policy.ts'
import type { Confidence } from '../model/policy/recommendation.ts'
import { largestCu, smallestCu, type Sizing } from '../model/service/compute.ts'
import { cu, DAY, instant, micros, SECOND, type Cu, type Interval, type Micros } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import type { FinishedSaving } from './input.ts'

/** A part of the time: what a change would have saved in it, seconds, and how much of it was observed, ms. */
export type Block = Readonly<{ saved: number; observed: number }>

/** Shortest history has this many blocks of the bootstrap. */
const MIN_BLOCKS = 3

/** Most blocks of one interval, a few times the days of a history: with `advice.min_history` of seconds, days would be ten thousands. */
const MAX_BLOCKS = 100

/** Equal parts of the time, as near to a day as whole parts can be; shorter where less history than three days is needed. In order. */
export function blockWindows(
  { from, to }: Interval,
  { minHistory }: Pick<AdviceNeeds, 'minHistory'>,
): readonly Interval[] {
  const length = Math.min(DAY, (minHistory * SECOND) / MIN_BLOCKS)
  const count = Math.min(MAX_BLOCKS, Math.max(1, Math.round((to - from) / length)))
  const edge = (at: number) => instant(from + ((to - from) * at) / count)
  return Array.from({ length: count }, (_, at) => ({ from: edge(at), to: edge(at + 1) }))
}

/** A saving is stated for 30 days. */
export const SAVING_PERIOD = 30 * DAY

/** Resamples, 400: the tenth and the ninetieth percentile then vary by 1 % of their distance. */
const RESAMPLES = 400
/** Outcomes on each side of the plain interval. */
const OUTSIDE = 0.1
/** Factor of the half width of a stated saving. */
const WIDENING = 3

/** Most awake seconds in `SAVING_PERIOD`, and most that any change saves or adds: all of them. */
export const MAX_AWAKE = SAVING_PERIOD / SECOND

/** Saved seconds in `SAVING_PERIOD`; undefined without observed time. @param widening factor of the half widths */
export function savedTimeInterval(
  blocks: readonly Block[],
  saved: Bounds<number>,
  widening: number,
): Bounds<number> | undefined {
  const observed = blocks.filter((block) => block.observed > 0)
  const time = sumOf(observed, (block) => block.observed)
  if (time === 0) return undefined
  const perPeriod = SAVING_PERIOD / time
  const likely = saved.likely * perPeriod
  const spread = bootstrapSpread(observed)
  return {
    low: Math.min(likely - widening * spread.below, saved.low * perPeriod),
    likely,
    high: Math.max(likely + widening * spread.above, saved.high * perPeriod),
  }
}

/** Distances of the percentiles from the mean of the blocks. One block says nothing about others: all of its saving is in doubt. */
function bootstrapSpread(blocks: readonly Block[]): { below: number; above: number } {
  const mean = savingOf(blocks)
  if (blocks.length === 1) return { below: Math.abs(mean), above: Math.abs(mean) }
  const random = createSequence()
  const resample = () => {
    let [saved, observed] = [0, 0]
    for (let drawn = 0; drawn < blocks.length; drawn += 1) {
      const block = blocks[Math.floor(random() * blocks.length)]
      saved += block?.saved ?? 0
      observed += block?.observed ?? 0
    }
    return (saved * SAVING_PERIOD) / observed
  }
  const resampled = Array.from({ length: RESAMPLES }, resample).toSorted((a, b) => a - b)
  const percentile = (share: number) => resampled[Math.floor(share * (RESAMPLES - 1))] ?? mean
  return {
    below: Math.max(0, mean - percentile(OUTSIDE)),
    above: Math.max(0, percentile(1 - OUTSIDE) - mean),
  }
}

const savingOf = (blocks: readonly Block[]): number =>
  (sumOf(blocks, ({ saved }) => saved) * SAVING_PERIOD) / sumOf(blocks, ({ observed }) => observed)

/** Numbers in [0, 1), the same in each call: equal histories give equal recommendations. Linear congruential, constants of Numerical Recipes. */
function createSequence(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Size while awake; inside a range as much of it as the account's ranges use. */
export function sizeWhileAwake(sizing: Sizing, { used, capacity }: Utilisation): Bounds<Cu> {
  const [low, high] = [smallestCu(sizing), largestCu(sizing)]
  const share = capacity > 0 ? Math.min(1, used / capacity) : 0
  return { low, likely: cu(low + share * (high - low)), high }
}

/** Money of awake seconds; the smaller size counts for the lower end where something is saved, the larger where something is added. */
export function moneyOf(time: Bounds<number>, size: Bounds<Cu>, perCuHour: Micros): Bounds<Micros> {
  const money = (span: number, cus: Cu) => micros((span * cus * perCuHour) / 3600)
  return {
    low: money(time.low, time.low > 0 ? size.low : size.high),
    likely: money(time.likely, size.likely),
    high: money(time.high, time.high > 0 ? size.high : size.low),
  }
}

/** Days from which confidence is no longer low, and from which it is high. */
const MEDIUM_DAYS = 7
const HIGH_DAYS = 21

/** Grows with followed days, never with the number of samples. */
export function confidenceOf(days: number, saving: Bounds<number>): Confidence {
  const touchesZero = saving.low <= 0 && saving.high >= 0
  if (days < MEDIUM_DAYS || touchesZero) return 'low'
  return days >= HIGH_DAYS ? 'high' : 'medium'
}

/** Share of the finished ones that the interval should hold. */
const COVERAGE = 0.85
/** Finished ones that weigh as much as the widening that was measured on traces. */
const PRIOR = 20
/** Bounds of the factor; a miss counts for four half widths at the most. */
const NARROWEST = 0.5
const WIDEST = 2
const MAX_MISS = 4

/** For stated savings of one kind. @param finished of the same kind */
export const statedWidening = (finished: readonly FinishedSaving[] | undefined): number =>
  WIDENING * intervalFactor(finished ?? [])

/** Factor for the half widths of savings of one kind: above 1 where fewer than `COVERAGE` of the realised ones lay inside theirs. */
export function intervalFactor(finished: readonly FinishedSaving[]): number {
  const misses = finished.map(missOf).toSorted((a, b) => a - b)
  const needed = misses[Math.ceil(COVERAGE * misses.length) - 1]
  if (needed === undefined) return 1
  const weight = misses.length / (misses.length + PRIOR)
  return Math.min(WIDEST, Math.max(NARROWEST, Math.max(needed, 1 / MAX_MISS) ** weight))
}

/** Distance from the likely saving in half widths of its side. */
function missOf({ saving: { low, likely, high }, realised }: FinishedSaving): number {
  const width = realised < likely ? likely - low : high - likely
  const distance = Math.abs(realised - likely)
  return distance === 0 ? 0 : Math.min(MAX_MISS, distance / Math.max(width, 1))
}
