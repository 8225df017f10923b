// When clients use a compute. Seven kinds of use, as fleets of sleeping databases show them; all endless.
import type { Chance } from './chance.ts'

/** Clients are there from `from` to `to`, ms, and pause for so many seconds between two queries. */
export type Session = {
  readonly from: number
  readonly to: number
  readonly pause: { readonly least: number; readonly most: number }
}

export const KINDS = ['office', 'batch', 'preview', 'chatty', 'always', 'rare', 'bursty'] as const

export type Kind = (typeof KINDS)[number]

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Sessions of a compute in order of time, none before `from`; they do not overlap. */
export function sessionsOf(kind: Kind, from: number, chance: Chance): Iterable<Session> {
  switch (kind) {
    case 'office':
    case 'always':
    case 'preview':
      return officeHours(from, chance, kind === 'preview' ? 0.7 : 1)
    case 'batch':
      return nightly(from, chance)
    case 'chatty':
      return [{ from, to: Infinity, pause: { least: 100, most: 280 } }]
    case 'rare':
      return apart(from, chance, { days: 6, minutes: 12 })
    case 'bursty':
      return apart(from, chance, { days: 0.12, minutes: 4 })
  }
}

/** Hours to add to UTC where the people are. */
const ZONES = [-8, -5, 0, 1, 2, 5.5, 9] as const

/** Weekdays from about nine to six, in spells of half an hour with breaks between; some days nobody comes. */
function* officeHours(from: number, chance: Chance, presence: number): Generator<Session> {
  const zone = chance.pick(ZONES) * HOUR
  const [opens, closes] = [chance.between(7.5, 9.5), chance.between(16.5, 19)]
  const spell = chance.between(15, 50)
  const pause = { least: 20, most: chance.between(90, 200) }
  for (let day = startOfDay(from + zone); ; day += DAY) {
    const works = isWeekday(day) ? presence : 0.04
    if (!chance.happens(works)) continue
    const end = day - zone + (closes + chance.between(-1, 1)) * HOUR
    let at = day - zone + (opens + chance.between(-0.5, 0.5)) * HOUR
    while (at < end) {
      const to = Math.min(end, at + MINUTE + chance.wait(spell) * MINUTE)
      if (at >= from) yield { from: at, to, pause }
      at = to + MINUTE + chance.wait(0.6 * spell) * MINUTE
    }
  }
}

/** A job of the same hour every night, now and then a second one, and by day somebody who looks at the result. */
function* nightly(from: number, chance: Chance): Generator<Session> {
  const [hour, length] = [chance.between(0, 5), chance.between(4, 70)]
  const pause = { least: 2, most: 50 }
  for (let day = startOfDay(from); ; day += DAY) {
    const begins = day + hour * HOUR + chance.between(0, 4) * MINUTE
    const ends = begins + length * chance.between(0.8, 1.3) * MINUTE
    if (begins >= from) yield { from: begins, to: ends, pause }
    if (!chance.happens(0.25)) continue
    const looks = ends + chance.between(3, 11) * HOUR
    if (looks >= from) yield { from: looks, to: looks + chance.wait(8) * MINUTE, pause }
  }
}

/** So many days apart on average, each of so many minutes on average. */
function* apart(
  from: number,
  chance: Chance,
  { days, minutes }: { readonly days: number; readonly minutes: number },
): Generator<Session> {
  for (let at = from + chance.wait(days * DAY); ;) {
    const to = at + chance.wait(minutes * MINUTE)
    yield { from: at, to, pause: { least: 1, most: 45 } }
    at = to + MINUTE + chance.wait(days * DAY)
  }
}

const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY

/** 1970-01-01 was a Thursday. */
export const isWeekday = (at: number): boolean => (Math.floor(at / DAY) + 3) % 7 < 5
