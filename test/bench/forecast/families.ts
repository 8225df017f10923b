// Five ways a budget's days may go. Their parameters were set before a forecast was run on them and not touched since;
// the gate between the two levels was then chosen with such series in sight, so this is no blind test.
import type { KnownChange } from '../../../src/account/forecast/history.ts'
import { normal, type Chance } from './chance.ts'

/** Daily amounts, oldest first, the first a Monday. */
type Family = (chance: Chance, days: number) => readonly number[]

export const FAMILIES: Readonly<Record<string, Family>> = {
  weekly(chance, days) {
    const week = weekOf(chance)
    const noise = 0.15 + 0.25 * chance()
    return each(days, (day) => 5 * at(week, day) * Math.exp(noise * normal(chance) - noise ** 2 / 2))
  },

  /** Spells of use and of silence, two to ten days on average. */
  intermittent(chance, days) {
    const stops = 1 / (2 + 6 * chance())
    const starts = 1 / (2 + 8 * chance())
    let inUse = true
    return each(days, () => {
      inUse = chance() < (inUse ? 1 - stops : starts)
      return inUse ? -1.5 * (Math.log(1 - chance()) + Math.log(1 - chance())) : 0
    })
  },

  /** A growth of -5 to 13 % a month that itself drifts. */
  trend(chance, days) {
    const week = weekOf(chance)
    let growth = (chance() - 0.3) * 0.006
    let level = 0
    return each(days, (day) => {
      growth = 0.998 * (growth + 0.0004 * normal(chance))
      level += growth
      return 4 * at(week, day) * Math.exp(level + 0.25 * normal(chance))
    })
  },

  steps: (chance, days) => stepping(chance, days).amounts,

  /** A wandering level, rough days, and one in twenty four to many times as large. */
  heavy(chance, days) {
    const week = weekOf(chance)
    let level = 0
    return each(days, (day) => {
      level = 0.97 * level + 0.08 * normal(chance)
      const burst = chance() < 0.05 ? 3 + 3 / Math.sqrt(1 - chance()) : 1
      return 2 * at(week, day) * Math.exp(level + 0.5 * normal(chance)) * burst
    })
  },
}

/** The family of steps, with what the operator knew of each. */
export const announcedSteps = (
  chance: Chance,
  days: number,
): { readonly amounts: readonly number[]; readonly changes: readonly KnownChange[] } => stepping(chance, days)

/** The level changes every 75 days on average, mostly by a factor of a half to two. */
function stepping(chance: Chance, days: number): ReturnType<typeof announcedSteps> {
  const week = weekOf(chance)
  const changes: KnownChange[] = []
  let level = 1
  const amounts = each(days, (day) => {
    if (chance() < 1 / 75) {
      const next = Math.min(8, Math.max(0.1, level * Math.exp(0.7 * normal(chance))))
      changes.push({ at: day, factor: next / level })
      level = next
    }
    return 4 * at(week, day) * level * Math.exp(0.25 * normal(chance))
  })
  return { amounts, changes }
}

/** Working days alike, weekends at 10 to 90 %. */
function weekOf(chance: Chance): readonly number[] {
  const weekend = 0.1 + 0.8 * chance()
  return [1, 1.1, 1.1, 1.05, 0.95, weekend, weekend].map((factor) => factor * Math.exp(0.1 * normal(chance)))
}

const at = (week: readonly number[], day: number): number => week[day % 7] ?? 1

const each = (days: number, amount: (day: number) => number): number[] =>
  Array.from({ length: days }, (_, day) => amount(day))
