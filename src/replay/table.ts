// Figures of policies over a set and its classes.
import { sumOf } from '../std/sum.ts'
import type { ActivitySeries, ActivityTraces } from './activity.ts'
import {
  activitySet,
  playClairvoyant,
  playDelays,
  type Played,
  type PlayedSeries,
  type PlayedWarmUps,
  type PlaySettings,
} from './play.ts'
import { DELAY_POLICIES } from './policies.ts'

export const POLICY_NAMES: readonly string[] = [...DELAY_POLICIES.map(({ name }) => name), 'clairvoyant']

/** Means over series; percent of always-on. */
export type PolicyFigures = Readonly<{
  policy: string
  cost_mean_pct: number
  awake_mean_pct: number
  /** (default − policy) / (default − clairvoyant); null where the clairvoyant saves nothing. */
  share_of_clairvoyant: number | null
  cold_starts_per_day: number
  /** Largest cost of a series beside the clairvoyant's. */
  worst_ratio: number
  changes_per_day: number
  /** Figures of policies with warm-ups. */
  warm_ups?: WarmUpFigures
  ms_per_decision: number
}>

/** Means over series. */
type WarmUpFigures = Readonly<{
  made_per_day: number
  /** Made, and a client came in it. */
  used_per_day: number
  /** By the record of the policy: with those that it would have made, had the record not been in loss. */
  predicted_per_day: number
  came_per_day: number
  /** What the plans of the record saved beside delays alone, percent of always-on. */
  saved_pct: number
}>

/** The group `all` of a file comes first, then its classes in order of their names. */
export type PolicyGroup = Readonly<{
  set: string
  class: string
  series: number
  left_out: number
  rows_refused: number
  policies: readonly PolicyFigures[]
}>

export type ReplayOptions = PlaySettings & Readonly<{ policies: readonly string[]; monotonic: () => number }>

export function replaySet(
  set: string,
  { series, leftOut, rowsRefused }: ActivityTraces,
  { policies, monotonic, ...options }: ReplayOptions,
): readonly PolicyGroup[] {
  const finite = (options.delays ?? []).filter(Number.isFinite)
  const settings = {
    ...options,
    floor: finite.length > 0 ? Math.max(options.floor, Math.min(...finite)) : options.floor,
  }
  const activity = activitySet(series)
  const play = (name: string): Run => {
    const startedAt = monotonic()
    const policy = DELAY_POLICIES.find((one) => one.name === name)
    const played = policy ? playDelays(activity, policy, settings) : playClairvoyant(activity, settings)
    return { ...played, name, elapsed: monotonic() - startedAt }
  }
  const needed = [...new Set([...policies, 'default', 'clairvoyant'])]
  const runs = new Map(needed.map((name) => [name, play(name)]))
  const classes = [...new Set(series.map((one) => one.class))].filter((name) => name !== '').toSorted()
  return ['all', ...classes].map((name) => {
    const members = series.flatMap((one, at) => (name === 'all' || one.class === name ? [at] : []))
    const figures = (policy: string) => figuresOf(runs, { policy, series, members })
    const isAll = name === 'all'
    return {
      set,
      class: name,
      series: members.length,
      left_out: isAll ? leftOut : 0,
      rows_refused: isAll ? rowsRefused : 0,
      policies: policies.map(figures),
    }
  })
}

type Run = Played & Readonly<{ name: string; elapsed: number }>

type Group = Readonly<{ policy: string; series: readonly ActivitySeries[]; members: readonly number[] }>

function figuresOf(runs: ReadonlyMap<string, Run>, { policy, series, members }: Group): PolicyFigures {
  const mean = (name: string, of: (one: PlayedSeries, duration: number) => number) =>
    sumOf(members, (at) => of(playedIn(runs, name, at), series[at]?.duration ?? 1)) / members.length
  const cost = (name: string) => mean(name, (one, duration) => (100 * one.cost) / duration)
  const attainable = cost('default') - cost('clairvoyant')
  const perDay = (of: (one: PlayedSeries) => number) =>
    mean(policy, (one, duration) => (of(one) * 1440) / duration)
  const run = runs.get(policy)
  return {
    policy,
    cost_mean_pct: cost(policy),
    awake_mean_pct: mean(policy, (one, duration) => (100 * one.awake) / duration),
    share_of_clairvoyant: attainable > 0 ? (cost('default') - cost(policy)) / attainable : null,
    cold_starts_per_day: perDay(({ wakes }) => wakes),
    worst_ratio: members.reduce(
      (worst, at) =>
        Math.max(worst, playedIn(runs, policy, at).cost / playedIn(runs, 'clairvoyant', at).cost),
      1,
    ),
    changes_per_day: perDay(({ changes }) => changes),
    ...(run?.series[0]?.warmUps && { warm_ups: warmUpFigures(perDay) }),
    ms_per_decision: run && run.decisions > 0 ? run.elapsed / run.decisions : 0,
  }
}

/** @param perDay mean over series of a value, by the day of each */
function warmUpFigures(perDay: (of: (one: PlayedSeries) => number) => number): WarmUpFigures {
  const figure = (of: (warmUps: PlayedWarmUps) => number) =>
    perDay(({ warmUps }) => (warmUps ? of(warmUps) : 0))
  return {
    made_per_day: figure(({ begun }) => begun),
    used_per_day: figure(({ used }) => used),
    predicted_per_day: figure(({ record }) => record.predicted),
    came_per_day: figure(({ record }) => record.came),
    saved_pct: (100 * figure(({ record }) => record.saved)) / 1440,
  }
}

const NOT_PLAYED: PlayedSeries = { cost: 0, awake: 0, wakes: 0, changes: 0 }

const playedIn = (runs: ReadonlyMap<string, Run>, name: string, at: number): PlayedSeries =>
  runs.get(name)?.series[at] ?? NOT_PLAYED
