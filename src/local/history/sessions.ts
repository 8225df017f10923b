// Times at which clients use a compute; endless.
import type { Chance } from './chance.ts'

/** `from`, `to` in ms; `pause` between queries in seconds. */
export type Session = Readonly<{ from: number; to: number; pause: Readonly<{ min: number; max: number }> }>

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Hours from UTC. */
const ZONES = [-8, -5, 0, 1, 2, 5.5, 9] as const

/** Weekdays from about nine to six, in spells with breaks, and rarely a weekend. */
export function* officeHours(from: number, chance: Chance, presence: number): Generator<Session> {
  const zone = chance.pick(ZONES) * HOUR
  const [opens, closes] = [chance.between(7.5, 9.5), chance.between(16.5, 19)]
  const spell = chance.between(15, 50)
  const pause = { min: 20, max: chance.between(90, 200) }
  for (let day = startOfDay(from + zone); ; day += DAY) {
    const probability = isWeekday(day) ? presence : 0.04
    if (!chance.happens(probability)) continue
    const end = day - zone + (closes + chance.between(-1, 1)) * HOUR
    let at = day - zone + (opens + chance.between(-0.5, 0.5)) * HOUR
    while (at < end) {
      const to = Math.min(end, at + MINUTE + chance.wait(spell) * MINUTE)
      if (at >= from) yield { from: at, to, pause }
      at = to + MINUTE + chance.wait(0.6 * spell) * MINUTE
    }
  }
}

/** A job every eight minutes or so, from about seven to seven on weekdays. */
export function* officeTimer(from: number, chance: Chance): Generator<Session> {
  const every = chance.between(7.5, 8.5) * MINUTE
  const [opens, closes] = [chance.between(6.5, 7.5) * HOUR, chance.between(18.5, 19.5) * HOUR]
  for (let day = startOfDay(from); ; day += DAY) {
    if (!isWeekday(day)) continue
    for (let at = day + opens; at < day + closes; at += every + chance.between(-0.2, 0.2) * MINUTE)
      if (at >= from) yield { from: at, to: at + 10_000, pause: { min: 2, max: 8 } }
  }
}

/** A job at the same hour every night; on some days a person looks at the result. */
export function* nightly(from: number, chance: Chance): Generator<Session> {
  const [hour, length] = [chance.between(0, 5), chance.between(4, 70)]
  const pause = { min: 2, max: 50 }
  for (let day = startOfDay(from); ; day += DAY) {
    const start = day + hour * HOUR + chance.between(0, 4) * MINUTE
    const end = start + length * chance.between(0.8, 1.3) * MINUTE
    if (start >= from) yield { from: start, to: end, pause }
    if (!chance.happens(0.25)) continue
    const visit = end + chance.between(3, 11) * HOUR
    if (visit >= from) yield { from: visit, to: visit + chance.wait(8) * MINUTE, pause }
  }
}

/** Mean distance in days, mean length in minutes. */
export function* atRandom(
  from: number,
  chance: Chance,
  { days, minutes }: Readonly<{ days: number; minutes: number }>,
): Generator<Session> {
  for (let at = from + chance.wait(days * DAY); ;) {
    const to = at + chance.wait(minutes * MINUTE)
    yield { from: at, to, pause: { min: 1, max: 45 } }
    at = to + MINUTE + chance.wait(days * DAY)
  }
}

const startOfDay = (at: number) => Math.floor(at / DAY) * DAY

/** 1970-01-01 was a Thursday. */
export const isWeekday = (at: number): boolean => (Math.floor(at / DAY) + 3) % 7 < 5
