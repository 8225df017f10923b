// Hours of a zone by the machine's own calendar, apart from the windows of the product.
import type { Hours } from '../world.ts'

/** Clocks of today's zones move at quarters of an hour in UTC only, ms: one is read once. */
const QUARTER = 900_000

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
  let quarter = { from: NaN, hour: 0 }
  /** Since midnight, by the clock on the wall. */
  return (at: number): number => {
    const from = at - (at % QUARTER)
    if (from !== quarter.from) quarter = { from, hour: read(from) }
    return quarter.hour + (at - from) / 3_600_000
  }
}

export const isWithin = ({ from, to }: Hours, hour: number): boolean => hour >= from && hour < to
