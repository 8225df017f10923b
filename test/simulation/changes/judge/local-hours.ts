// Hours of a zone by the machine's own calendar, apart from the windows of the product.
import type { Hours } from '../world.ts'

export function createLocalHours(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  /** Since midnight, by the clock on the wall. */
  return (at: number): number => {
    const [hour = 0, minute = 0, second = 0] = format.format(at).split(':').map(Number)
    return hour + minute / 60 + second / 3600
  }
}

export const isWithin = ({ from, to }: Hours, hour: number): boolean => hour >= from && hour < to
