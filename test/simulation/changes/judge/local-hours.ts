// Hours of a zone by the machine's own calendar, apart from the windows of the product.
import type { Hours } from '../world.ts'

/** Clocks of today's zones move at quarters of an hour in UTC only, ms: one is read once. */
const QUARTER = 900_000

/** Furthest that clocks are set back, ms. */
const SET_BACK = 3_600_000

export function createLocalHours(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  const read = (at: number): number => {
    const [hour = 0, minute = 0, second = 0] = format.format(at).split(':').map(Number)
    return hour + minute / 60 + second / 3600
  }
  let quarter = { from: NaN, hour: 0, shownAgain: NaN }
  /** Since midnight, by the clock on the wall. `shownAgain`: hour that it will be set back to; NaN: it will not be within an hour. */
  const clockAt = (at: number) => {
    const from = at - (at % QUARTER)
    if (from !== quarter.from) quarter = { from, hour: read(from), shownAgain: shownAgainAfter(read, from) }
    return { hour: quarter.hour + (at - from) / 3_600_000, shownAgain: quarter.shownAgain }
  }
  /** Hours that end at a time which is shown twice end with the second. */
  return ({ from, to }: Hours, at: number): boolean => {
    const { hour, shownAgain } = clockAt(at)
    return hour >= from && (hour < to || to >= shownAgain)
  }
}

/** Hour that the clock is set back to within an hour of `from`, and after it; NaN: none. */
function shownAgainAfter(read: (at: number) => number, from: number): number {
  for (let at = from; at < from + SET_BACK; at += QUARTER) {
    const [before, after] = [read(at), read(at + QUARTER)]
    // midnight comes at 24
    if (after <= before && after > before - 12) return after
  }
  return NaN
}
