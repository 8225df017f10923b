// The daily series that forecasts are measured on: real ones, sums of them, and synthetic families.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { KnownChange } from '../../../src/ledger/forecast/history.ts'
import { announcedSteps, FAMILIES, type Made } from './families.ts'
import { seeded, type Chance } from './chance.ts'

/** One budget's days, oldest first, the first a Monday. */
export type Series = {
  readonly amounts: readonly number[]
  /** What the forecast is told, each when its time has come. */
  readonly changes: readonly KnownChange[]
  /** Where it is known how the days are made: `Made.expected`. */
  readonly expected?: Made['expected']
}

export type SeriesSet = { readonly name: string; readonly series: readonly Series[] }

const DAY = 86_400
const TRACES = new URL('../../data/traces/derived-daily-awake.csv.gz', import.meta.url)

/** One compute per repository, awake hours. */
export function singles(file: string | URL = TRACES): readonly Series[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n').slice(1)
  const byName = new Map<string, number[]>()
  for (const line of lines) {
    const [name = '', at, value] = line.split(',')
    const amounts = byName.get(name) ?? []
    amounts[Number(at) / DAY] = Number(value)
    byName.set(name, amounts)
  }
  return [...byName.values()].map((amounts) => steady(amounts))
}

const steady = (amounts: readonly number[]): Series => ({ amounts, changes: [] })

/**
 * Sums of `size` different computes over as many days as the shortest has; the longer ones enter at a week of their life that
 * chance chooses.
 *
 * @param grown members join at a day chance chooses in the first four fifths, instead of all on the first
 */
export function fleets(
  computes: readonly Series[],
  size: number,
  { count, grown }: FleetOptions,
): readonly Series[] {
  const chance = seeded(1000 * size + (grown ? 1 : 0))
  return Array.from({ length: count }, () => {
    const members = drawn(computes, size, chance)
    const days = Math.min(...members.map(({ amounts }) => amounts.length))
    const parts = members.map(({ amounts }) => {
      const offset = 7 * Math.floor(chance() * ((amounts.length - days) / 7))
      return { amounts, offset, joins: grown ? Math.floor(chance() * 0.8 * days) : 0 }
    })
    const onDay = (day: number): number =>
      parts.reduce(
        (sum, { amounts, offset, joins }) => sum + (day < joins ? 0 : (amounts[day + offset] ?? 0)),
        0,
      )
    const changes = joinsOf(parts.map(({ joins }) => joins))
    return { amounts: Array.from({ length: days }, (_, day) => onDay(day)), changes }
  })
}

/** Of each member after the first: one more of as many as there are, whatever it will cost. */
const joinsOf = (days: readonly number[]): readonly KnownChange[] =>
  days
    .filter((at) => at > 0)
    .map((at) => ({
      at,
      factor: days.filter((other) => other <= at).length / days.filter((other) => other < at).length,
    }))
    .filter(({ factor }) => Number.isFinite(factor))

/** The same days, and nothing is told. */
export const untold = (series: readonly Series[]): readonly Series[] =>
  series.map((each) => ({ ...each, changes: [] }))

type FleetOptions = { readonly count: number; readonly grown: boolean }

function drawn<Item>(items: readonly Item[], count: number, chance: Chance): readonly Item[] {
  const pool = [...items]
  return Array.from({ length: count }, () => pool.splice(Math.floor(chance() * pool.length), 1)).flat()
}

const YOUNG = 120

/** Pieces of 120 days, as if the history began with each. */
export const pieces = (series: readonly Series[]): readonly Series[] =>
  series.flatMap(({ amounts }) =>
    Array.from({ length: Math.floor(amounts.length / YOUNG) }, (_, piece) =>
      steady(amounts.slice(piece * YOUNG, (piece + 1) * YOUNG)),
    ),
  )

const SYNTHETIC_DAYS = 500

export const synthetic = (count: number): readonly SeriesSet[] =>
  Object.entries(FAMILIES).map(([name, generate], family) => ({
    name,
    series: Array.from({ length: count }, (_, at) => ({
      ...generate(seeded(100 * family + at), SYNTHETIC_DAYS),
      changes: [],
    })),
  }))

/** The family of steps twice, the same days: once with the steps announced. */
export const announced = (count: number): readonly Series[] =>
  Array.from({ length: count }, (_, at) => announcedSteps(seeded(7000 + at), SYNTHETIC_DAYS))
