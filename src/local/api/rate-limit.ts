/** Counts requests against the public rates: 700 a minute in all, 40 in a second on one route (service-facts 5). */
export type Rates = {
  /** Seconds to wait before this request is allowed; 0 when it is, and then it counts. */
  wait(route: string, now: number): number
}

const PER_MINUTE = 700
const BURST = 40

export function createRates(): Rates {
  let minute: number[] = []
  const seconds = new Map<string, number[]>()
  return {
    wait: (route, now) => {
      minute = minute.filter((at) => at > now - 60_000)
      const recent = (seconds.get(route) ?? []).filter((at) => at > now - 1000)
      seconds.set(route, recent)
      if (minute.length >= PER_MINUTE) return Math.ceil(((minute[0] ?? now) + 60_000 - now) / 1000)
      if (recent.length >= BURST) return 1
      minute.push(now)
      recent.push(now)
      return 0
    },
  }
}
