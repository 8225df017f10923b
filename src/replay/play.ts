// A delay policy played over a set of activity series, all at the same time.
//
// 1. An active minute is a minute awake. A gap is the idle minutes between two of them: it costs `g` under a delay of at least g, else the
//    delay and the price of a wake. The first activity costs a wake; the time after the last one costs the delay at most.
// 2. Events of all series in order of time. A policy decides at the first idle minute of a gap, and learns the length of a gap at the
//    activity that ends it. At one instant decisions come first: they see nothing of that minute.
// 3. As deployed, a longer delay may be set at any time, a shorter one at most once an hour. Looks a minute apart show each gap of the
//    minute grid, and a change goes out in the last active minute, while the compute is awake.
import type { ActivitySeries } from './activity.ts'

/** Minutes. */
export type PlaySettings = Readonly<{
  wakeCost: number
  floor: number
  asDeployed: boolean
  /** Delays that the plan allows, none below the floor; absent: all. */
  delays?: readonly number[] | undefined
}>

/** Plays all series of a set; each call names one by its number. Delays in minutes, Infinity for never. */
export type DelayPlayer = Readonly<{
  decide: (series: number, at: number) => number
  /** Called at the end of each gap, and not for the time after the last activity. */
  learn: (series: number, gap: Readonly<{ from: number; length: number; applied: number }>) => void
}>

export type DelayPolicy = Readonly<{
  name: string
  start: (settings: PlaySettings, count: number) => DelayPlayer
}>

/** In minutes, but for the numbers of wakes and changes. */
export type PlayedSeries = { cost: number; awake: number; wakes: number; changes: number }

export type Played = Readonly<{ series: readonly PlayedSeries[]; decisions: number }>

/** Least time between two shortenings, minutes: what the lever rule allows. */
const SHORTENING_INTERVAL = 60

export function playDelays(
  { series, gaps, events }: ActivitySet,
  policy: DelayPolicy,
  settings: PlaySettings,
): Played {
  const player = policy.start(settings, series.length)
  const computes = series.map((one) => newCompute(one, settings))
  for (const event of events) {
    const gap = gaps[event % gaps.length]
    const compute = computes[gap?.series ?? -1]
    if (!gap || !compute) continue
    const isDecision = Math.floor(event / gaps.length) % 2 === 0
    if (isDecision) {
      const wanted = allowedDelay(player.decide(gap.series, gap.from), settings.delays)
      if (!settings.asDeployed || mayApply(compute, wanted, gap.from)) applyDelay(compute, wanted, gap.from)
    } else {
      payGap(compute.played, gap, { delay: compute.inForce, wakeCost: settings.wakeCost })
      if (!gap.isTail) player.learn(gap.series, { ...gap, applied: compute.inForce })
    }
  }
  return { series: computes.map(({ played }) => played), decisions: gaps.length }
}

/** Stands for never beside finite delays, minutes. */
const MAX_FINITE = 1e9

/** The nearest one by their ratio; never only for never, where there is another. */
function allowedDelay(wanted: number, delays: readonly number[] | undefined): number {
  if (!delays || delays.includes(wanted)) return wanted
  const distance = (delay: number) =>
    delay === Infinity ? Number.MAX_VALUE : Math.abs(Math.log(Math.min(wanted, MAX_FINITE) / delay))
  const longestFirst = delays.toSorted((a, b) => b - a)
  return longestFirst.reduce((best, delay) => (distance(delay) < distance(best) ? delay : best))
}

/** `inForce`: delay of the last decision, NaN before the first. */
type PlayedCompute = { readonly played: PlayedSeries; inForce: number; shortenedAt: number }

const newCompute = ({ active: { length } }: ActivitySeries, { wakeCost }: PlaySettings): PlayedCompute => ({
  played: { cost: length + wakeCost, awake: length, wakes: 1, changes: 0 },
  inForce: Number.NaN,
  shortenedAt: -Infinity,
})

const mayApply = ({ inForce, shortenedAt }: PlayedCompute, wanted: number, at: number): boolean =>
  !(wanted < inForce && at - shortenedAt < SHORTENING_INTERVAL)

function applyDelay(compute: PlayedCompute, wanted: number, at: number): void {
  if (wanted === compute.inForce) return
  if (wanted < compute.inForce) compute.shortenedAt = at
  if (!Number.isNaN(compute.inForce)) compute.played.changes += 1
  compute.inForce = wanted
}

type GapTerms = Readonly<{ delay: number; wakeCost: number }>

function payGap(played: PlayedSeries, { length, isTail }: PlayedGap, { delay, wakeCost }: GapTerms): void {
  const isWoken = length > delay && !isTail
  const awake = Math.min(length, delay)
  played.awake += awake
  played.cost += awake + (isWoken ? wakeCost : 0)
  if (isWoken) played.wakes += 1
}

/** `isTail`: the time after the last activity. Minutes. */
type PlayedGap = Readonly<{ series: number; from: number; length: number; isTail: boolean }>

/** `events`: `(2 · minute + kind) · gaps.length + gap`, ascending; kind 0 is a decision, 1 the end of a gap. */
export type ActivitySet = Readonly<{
  series: readonly ActivitySeries[]
  gaps: readonly PlayedGap[]
  events: Float64Array
}>

export function activitySet(series: readonly ActivitySeries[]): ActivitySet {
  const gaps = series.flatMap((one, at) => gapsOf(one, at))
  const events = new Float64Array(2 * gaps.length)
  for (const [at, { from, length }] of gaps.entries()) {
    events[2 * at] = 2 * from * gaps.length + at
    events[2 * at + 1] = (2 * (from + length) + 1) * gaps.length + at
  }
  return { series, gaps, events: events.toSorted() }
}

function gapsOf({ active, duration }: ActivitySeries, series: number): readonly PlayedGap[] {
  const gaps: PlayedGap[] = []
  for (const [at, minute] of active.entries()) {
    const isTail = at === active.length - 1
    const next = isTail ? duration : (active[at + 1] ?? duration)
    if (next > minute + 1) gaps.push({ series, from: minute + 1, length: next - minute - 1, isTail })
  }
  return gaps
}

/** The clairvoyant without warm-up: it knows the length of each gap, and suspends at the floor or not at all. */
export function playClairvoyant({ series, gaps }: ActivitySet, settings: PlaySettings): Played {
  const { floor, wakeCost } = settings
  const played = series.map((one) => newCompute(one, settings).played)
  for (const gap of gaps) {
    const one = played[gap.series]
    const sleeps = gap.length > floor + (gap.isTail ? 0 : wakeCost)
    if (one) payGap(one, gap, { delay: sleeps ? floor : gap.length, wakeCost })
  }
  return { series: played, decisions: gaps.length }
}
