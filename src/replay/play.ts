// A delay policy played over a set of activity series, all at the same time.
//
// 1. An active minute is a minute awake. A gap is the idle minutes between two of them: it costs `g` under a delay of at least g, else the
//    delay and the price of a wake. The first activity costs a wake; the time after the last one costs the delay at most.
// 2. Events of all series in order of time. A policy decides at the first idle minute of a gap, and learns the length of a gap at the
//    activity that ends it. At one instant decisions come first: they see nothing of that minute.
// 3. As deployed, a longer delay may be set at any time, a shorter one at most once an hour. Looks a minute apart show each gap of the
//    minute grid, and a change goes out in the last active minute, while the compute is awake.
// 4. A warm-up costs the start and the minutes awake until it ends or a client comes. The client is warm if the compute was awake in the last
//    idle minute of the gap; else it costs a wake.
import { playPlan, type GapPlan, type PlannedGap, type WarmUp } from '../advise/delay/gap-plan.ts'
import type { WarmUpTotals } from '../advise/delay/warm-record.ts'
import type { ActivitySeries } from './activity.ts'

/** Minutes. */
export type PlaySettings = Readonly<{
  wakeCost: number
  floor: number
  asDeployed: boolean
  /** Delays that the plan allows, none below the floor; absent: all. */
  delays?: readonly number[] | undefined
  /** Price of a start ahead of a client; absent: there are no warm-ups. */
  startCost?: number | undefined
}>

/** Plays all series of a set; each call names one by its number. Delays in minutes, Infinity for never. */
export type DelayPlayer = Readonly<{
  decide: (series: number, at: number) => number
  /** Absent: there are none. */
  warmUps?: Readonly<{
    /** Warm-ups of the gap that begins, under the delay that was applied. */
    plan: (series: number, applied: number) => readonly WarmUp[]
    record: (series: number) => WarmUpTotals
  }>
  /** Called at the end of each gap, and not for the time after the last activity. */
  learn: (series: number, gap: Readonly<{ from: number; length: number; applied: number }>) => void
}>

export type DelayPolicy = Readonly<{
  name: string
  start: (settings: PlaySettings, count: number) => DelayPlayer
}>

/** In minutes, but for numbers of events. `warmUps`: of a policy that has them. */
export type PlayedSeries = {
  cost: number
  awake: number
  wakes: number
  changes: number
  warmUps?: PlayedWarmUps
}

/** `begun`: warm-ups that were made; `used`: of these, those that a client came in. `record`: what the policy counted itself. */
export type PlayedWarmUps = Readonly<{ begun: number; used: number; record: WarmUpTotals }>

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
    if (isDecision) beginGap(compute, gap, { player, settings })
    else {
      endGap(compute, gap, settings)
      if (!gap.isTail) player.learn(gap.series, { ...gap, applied: compute.inForce })
    }
  }
  const played = computes.map((compute, at) => playedOf(compute, player.warmUps?.record(at)))
  return { series: played, decisions: gaps.length }
}

function beginGap(
  compute: PlayedCompute,
  { series, from }: PlayedGap,
  { player, settings }: Readonly<{ player: DelayPlayer; settings: PlaySettings }>,
): void {
  const wanted = allowedDelay(player.decide(series, from), settings.delays)
  if (!settings.asDeployed || mayApply(compute, wanted, from)) applyDelay(compute, wanted, from)
  compute.warmUps = player.warmUps?.plan(series, compute.inForce) ?? NO_WARM_UPS
}

const NO_WARM_UPS: readonly WarmUp[] = []

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
type PlayedCompute = {
  readonly played: PlayedSeries
  inForce: number
  shortenedAt: number
  /** Warm-ups of the gap in progress. */
  warmUps: readonly WarmUp[]
  begun: number
  used: number
}

const newCompute = ({ active: { length } }: ActivitySeries, { wakeCost }: PlaySettings): PlayedCompute => ({
  played: { cost: length + wakeCost, awake: length, wakes: 1, changes: 0 },
  inForce: Number.NaN,
  shortenedAt: -Infinity,
  warmUps: NO_WARM_UPS,
  begun: 0,
  used: 0,
})

const playedOf = ({ played, begun, used }: PlayedCompute, record: WarmUpTotals | undefined): PlayedSeries =>
  record ? { ...played, warmUps: { begun, used, record } } : played

const mayApply = ({ inForce, shortenedAt }: PlayedCompute, wanted: number, at: number): boolean =>
  !(wanted < inForce && at - shortenedAt < SHORTENING_INTERVAL)

function applyDelay(compute: PlayedCompute, wanted: number, at: number): void {
  if (wanted === compute.inForce) return
  if (wanted < compute.inForce) compute.shortenedAt = at
  if (!Number.isNaN(compute.inForce)) compute.played.changes += 1
  compute.inForce = wanted
}

function endGap(compute: PlayedCompute, gap: PlayedGap, settings: PlaySettings): void {
  const plan = { delay: compute.inForce, warmUps: compute.warmUps }
  const { warmUps, used } = payGap(compute.played, gap, { ...settings, ...plan })
  compute.begun += warmUps
  if (!gap.isTail) compute.used += used
}

type GapTerms = GapPlan & Pick<PlaySettings, 'wakeCost' | 'startCost'>

function payGap(
  played: PlayedSeries,
  { length, isTail }: PlayedGap,
  { wakeCost, startCost = 0, ...plan }: GapTerms,
): PlannedGap {
  const outcome = playPlan(length, plan)
  const isWoken = outcome.isWoken && !isTail
  played.awake += outcome.awake
  played.cost += outcome.awake + outcome.warmUps * startCost + (isWoken ? wakeCost : 0)
  if (isWoken) played.wakes += 1
  return outcome
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
    if (one) payGap(one, gap, { delay: sleeps ? floor : gap.length, warmUps: [], wakeCost })
  }
  return { series: played, decisions: gaps.length }
}
