// What many trials say together.
import { seeded, type Chance } from './chance.ts'
import { mean, sum, type Trial } from './trial.ts'

/** The mean over series of each one's mean: a long series counts as much as a short one. */
export const errorOf = (trials: readonly Trial[], pick: 'error' | 'runRateError' | 'oracleError'): number =>
  mean(bySeries(trials).map((own) => mean(own.map((trial) => trial[pick]))))

export const coverageOf = (trials: readonly Trial[]): number =>
  mean(trials.map(({ inside }) => (inside ? 1 : 0)))

/** The least and the greatest coverage of one series. */
export function coverageRange(trials: readonly Trial[]): readonly [number, number] {
  const shares = bySeries(trials).map(coverageOf)
  return [Math.min(...shares), Math.max(...shares)]
}

export function medianWidth(trials: readonly Trial[]): number {
  const widths = trials.map(({ width }) => width).toSorted((a, b) => a - b)
  return widths[Math.floor(widths.length / 2)] ?? NaN
}

/** The mean square of probability minus what was: 0 is perfect, 0.25 is a coin. */
export const brierOf = (trials: readonly Trial[]): number =>
  mean(trials.flatMap(({ odds }) => odds.map(({ over, was }) => (over - (was ? 1 : 0)) ** 2)))

const BINS = 10

/** How far the share that came true is from what was said, over ten bins of probability, by their size. */
export function calibrationError(trials: readonly Trial[]): number {
  const all = trials.flatMap(({ odds }) => odds)
  const bins = Map.groupBy(all, ({ over }) => Math.min(BINS - 1, Math.floor(BINS * over)))
  const off = [...bins.values()].map((bin) => Math.abs(sum(bin.map(({ over, was }) => over - (was ? 1 : 0)))))
  return sum(off) / all.length
}

/** Periods in a row that are drawn together: 60 days, twice the period, so that overlap stays inside. */
const BLOCK = 12
const DRAWS = 2000

/**
 * The error over that of the run-rate on the same periods, and the value that 97.5 % of paired bootstrap draws stay under
 * (the upper end of a two-sided 95 % interval). Drawn are series, and inside each blocks of periods.
 */
export function againstRunRate(
  trials: readonly Trial[],
  seed: number,
): { readonly ratio: number; readonly upper: number } {
  const series = bySeries(trials).map(blocksOf)
  const chance = seeded(seed)
  const ratios = Array.from({ length: DRAWS }, () => drawnRatio(series, chance)).toSorted((a, b) => a - b)
  return {
    ratio: errorOf(trials, 'error') / errorOf(trials, 'runRateError'),
    upper: ratios[Math.floor(0.975 * DRAWS)] ?? NaN,
  }
}

type Block = { readonly periods: number; readonly error: number; readonly runRateError: number }

const blocksOf = (trials: readonly Trial[]): readonly Block[] =>
  Array.from({ length: Math.ceil(trials.length / BLOCK) }, (_, at) => {
    const block = trials.slice(at * BLOCK, (at + 1) * BLOCK)
    return {
      periods: block.length,
      error: sum(block.map(({ error }) => error)),
      runRateError: sum(block.map(({ runRateError }) => runRateError)),
    }
  })

function drawnRatio(series: readonly (readonly Block[])[], chance: Chance): number {
  const means = redrawn(series, chance).map((blocks) => {
    const own = redrawn(blocks, chance)
    const periods = sum(own.map((block) => block.periods))
    return {
      error: sum(own.map(({ error }) => error)) / periods,
      runRateError: sum(own.map(({ runRateError }) => runRateError)) / periods,
    }
  })
  return sum(means.map(({ error }) => error)) / sum(means.map(({ runRateError }) => runRateError))
}

const redrawn = <Item>(items: readonly Item[], chance: Chance): readonly Item[] =>
  items.flatMap(() => items.slice(Math.floor(chance() * items.length)).slice(0, 1))

const bySeries = (trials: readonly Trial[]): readonly (readonly Trial[])[] => [
  ...Map.groupBy(trials, ({ series }) => series).values(),
]
