import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { RequestReport } from '../../service/http/request.ts'
import type { Traffic } from './probe-result.ts'

/** Not in the interface. */
const RATE_HEADER = /rate-?limit|retry-after/

export function createTrafficLog(clock: Clock) {
  const latencies: Seconds[] = []
  const rateHeaders = new Set<string>()
  let refusedForRate = 0
  let [low, high] = [-Infinity, Infinity]
  return {
    addReport: ({ seconds: span, code, headers }: RequestReport) => {
      latencies.push(span)
      if (code === '429') refusedForRate += 1
      for (const [name, value] of Object.entries(headers))
        if (RATE_HEADER.test(name)) rateHeaders.add(`${name}: ${[value].flat().join(', ')}`)
      const date = Date.parse([headers['date']].flat()[0] ?? '')
      if (Number.isNaN(date)) return
      // the service wrote it within the second it names, between our request and its answer
      const now = clock.now()
      low = Math.max(low, (date - now) / 1000)
      high = Math.min(high, (date + 1000 - now) / 1000 + span)
    },
    traffic: (): Traffic => ({
      requests: latencies.length,
      refusedForRate,
      median: latencies.toSorted((a, b) => a - b)[latencies.length >> 1] ?? seconds(0),
      longest: seconds(Math.max(0, ...latencies)),
      // if a clock was set meanwhile, no offset fits all answers: then the ends are swapped
      clock: Number.isFinite(low)
        ? { low: seconds(Math.min(low, high)), high: seconds(Math.max(low, high)) }
        : undefined,
      rateHeaders: [...rateHeaders],
    }),
  }
}
