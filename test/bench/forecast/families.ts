// Five ways a budget's days may go. Their parameters were set before a forecast was run on them and not touched since;
// the gates were then chosen with such series in sight, so this is no blind test.
import type { KnownChange } from '../../../src/ledger/forecast/history.ts'
import { normal, type Chance } from './chance.ts'

export type Made = {
  /** Daily, oldest first, the first a Monday. */
  readonly amounts: readonly number[]
  /**
   * What `count` days from `day` on come to on average, for one who knows how the days are made and how they stand
   * after `day` of them.
   */
  readonly expected: (day: number, count: number) => number
}

type Family = (chance: Chance, days: number) => Made

export const FAMILIES: Readonly<Record<string, Family>> = {
  weekly(chance, days) {
    const week = weekOf(chance)
    const noise = 0.15 + 0.25 * chance()
    const amounts = each(days, (day) => 5 * at(week, day) * Math.exp(noise * normal(chance) - noise ** 2 / 2))
    return { amounts, expected: (from, count) => total(count, (ahead) => 5 * at(week, from + ahead)) }
  },

  /** Spells of use and of silence, two to ten days on average. */
  intermittent(chance, days) {
    const stops = 1 / (2 + 6 * chance())
    const starts = 1 / (2 + 8 * chance())
    const usual = starts / (starts + stops)
    let inUse = true
    const uses: boolean[] = []
    const amounts = each(days, () => {
      inUse = chance() < (inUse ? 1 - stops : starts)
      uses.push(inUse)
      return inUse ? -1.5 * (Math.log(1 - chance()) + Math.log(1 - chance())) : 0
    })
    const expected = (from: number, count: number): number => {
      const now = uses[from - 1] === true ? 1 : 0
      return total(count, (ahead) => 3 * (usual + (now - usual) * (1 - stops - starts) ** (ahead + 1)))
    }
    return { amounts, expected }
  },

  /** A growth of -5 to 13 % a month that itself drifts. */
  trend(chance, days) {
    const week = weekOf(chance)
    let growth = (chance() - 0.3) * 0.006
    let level = 0
    const states: { readonly level: number; readonly growth: number }[] = []
    const amounts = each(days, (day) => {
      growth = 0.998 * (growth + 0.0004 * normal(chance))
      level += growth
      states.push({ level, growth })
      return 4 * at(week, day) * Math.exp(level + 0.25 * normal(chance))
    })
    const expected = (from: number, count: number): number => {
      const state = states[from - 1] ?? { level: 0, growth: 0 }
      const grown = (ahead: number): number => state.growth * total(ahead + 1, (day) => 0.998 ** (day + 1))
      return total(
        count,
        (ahead) => 4 * at(week, from + ahead) * Math.exp(state.level + grown(ahead) + 0.25 ** 2 / 2),
      )
    }
    return { amounts, expected }
  },

  steps: (chance, days) => announcedSteps(chance, days),

  /** A wandering level, rough days, and one in twenty four to many times as large. */
  heavy(chance, days) {
    const week = weekOf(chance)
    let level = 0
    const levels: number[] = []
    const amounts = each(days, (day) => {
      level = 0.97 * level + 0.08 * normal(chance)
      levels.push(level)
      const burst = chance() < 0.05 ? 3 + 3 / Math.sqrt(1 - chance()) : 1
      return 2 * at(week, day) * Math.exp(level + 0.5 * normal(chance)) * burst
    })
    // a burst is 9 times as large on average, which makes 1.4 of 1; what the level will wander is left out: 2 %
    const usual = 2 * Math.exp(0.5 ** 2 / 2) * (0.95 + 0.05 * 9)
    return {
      amounts,
      expected: (from, count) =>
        total(
          count,
          (ahead) => usual * at(week, from + ahead) * Math.exp((levels[from - 1] ?? 0) * 0.97 ** (ahead + 1)),
        ),
    }
  },
}

/** The level changes every 75 days on average, mostly by a factor of a half to two: `changes`, which an operator may know. */
export function announcedSteps(
  chance: Chance,
  days: number,
): Made & { readonly changes: readonly KnownChange[] } {
  const week = weekOf(chance)
  const changes: KnownChange[] = []
  const levels: number[] = []
  let level = 1
  const amounts = each(days, (day) => {
    if (chance() < 1 / 75) {
      const next = Math.min(8, Math.max(0.1, level * Math.exp(0.7 * normal(chance))))
      changes.push({ at: day, factor: next / level })
      level = next
    }
    levels.push(level)
    return 4 * at(week, day) * level * Math.exp(0.25 * normal(chance))
  })
  const usual = 4 * Math.exp(0.25 ** 2 / 2)
  const expected = (from: number, count: number): number =>
    total(count, (ahead) => usual * at(week, from + ahead) * (levels[from - 1] ?? 1))
  return { amounts, changes, expected }
}

/** Working days alike, weekends at 10 to 90 %. */
function weekOf(chance: Chance): readonly number[] {
  const weekend = 0.1 + 0.8 * chance()
  return [1, 1.1, 1.1, 1.05, 0.95, weekend, weekend].map((factor) => factor * Math.exp(0.1 * normal(chance)))
}

const at = (week: readonly number[], day: number): number => week[day % 7] ?? 1

const each = (days: number, amount: (day: number) => number): number[] =>
  Array.from({ length: days }, (_, day) => amount(day))

const total = (count: number, amount: (ahead: number) => number): number =>
  each(count, amount).reduce((sum, value) => sum + value, 0)
