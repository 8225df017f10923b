// What the answers say beside their bodies: how fast, by which clock, within which rates.
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { RequestReport } from '../../service/http/request.ts'
import type { Traffic } from './probe-result.ts'

export type TrafficLog = {
  readonly heard: (report: RequestReport) => void
  readonly traffic: () => Traffic
}

/** Names of headers that speak of rates; which ones a service has is not in the interface text. */
const RATE_HEADER = /rate-?limit|retry-after/

/** Keeps every report with the instant it came at. */
export function createTrafficLog(clock: Clock): TrafficLog {
  const took: Seconds[] = []
  const rateHeaders = new Set<string>()
  let refusedForRate = 0
  let [low, high] = [-Infinity, Infinity]
  return {
    heard({ seconds: span, code, headers }) {
      took.push(span)
      if (code === '429') refusedForRate += 1
      for (const [name, value] of Object.entries(headers))
        if (RATE_HEADER.test(name)) rateHeaders.add(`${name}: ${[value].flat().join(', ')}`)
      const told = Date.parse([headers['date']].flat()[0] ?? '')
      if (Number.isNaN(told)) return
      // it was written in some millisecond of the second it names, between our sending and our hearing
      const now = clock.now()
      low = Math.max(low, (told - now) / 1000)
      high = Math.min(high, (told + 1000 - now) / 1000 + span)
    },
    traffic: () => ({
      requests: took.length,
      refusedForRate,
      median: took.toSorted((a, b) => a - b)[took.length >> 1] ?? seconds(0),
      longest: seconds(Math.max(0, ...took)),
      // a clock that was set in between fits no offset: then both ends are told as they came
      clock: Number.isFinite(low)
        ? { low: seconds(Math.min(low, high)), high: seconds(Math.max(low, high)) }
        : undefined,
      rateHeaders: [...rateHeaders],
    }),
  }
}
