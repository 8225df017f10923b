// How many of the last requests to the service failed, by what was reported of each.
import type { Clock } from '../../model/ports/clock.ts'
import { ratio, type Ratio, type Seconds } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import type { RequestReport } from './request.ts'

/** Requests that began to be counted at `on`, of the monotonic clock. */
type Counted = { readonly on: Seconds; all: number; failed: number }

/** Seconds of requests that are counted together: a daemon with 700 requests a minute has 360 sums in place of 42,000 times. */
const COUNTED_TOGETHER = 10
/** Seconds for which they are known, the longest `brakes.breaker_error_within`. */
const MEMORY = 3600
/** Fewer requests say nothing: one that fails is tried four times. */
const FEWEST = 10

export function createFailedRequests(clock: Pick<Clock, 'monotonic'>) {
  let sums: Counted[] = []

  function current(): Counted {
    const on = clock.monotonic()
    const last = sums.at(-1)
    if (last && on - last.on < COUNTED_TOGETHER) return last
    const next = { on, all: 0, failed: 0 }
    sums = [...sums.filter((one) => on - one.on <= MEMORY), next]
    return next
  }

  return {
    /** To be called as soon as a request is answered or lost. */
    record: ({ code }: Pick<RequestReport, 'code'>): void => {
      const sum = current()
      sum.all += 1
      if (isFailed(code)) sum.failed += 1
    },
    /** Share of the requests of the last seconds that failed; undefined where they are too few to say. */
    share: (within: Seconds): Ratio | undefined => {
      const now = clock.monotonic()
      // each decision about a change asks, mostly for a few of them
      const recent = sums.slice(sums.findLastIndex(({ on }) => now - on >= within) + 1)
      const all = sumOf(recent, (sum) => sum.all)
      return all < FEWEST ? undefined : ratio(sumOf(recent, ({ failed }) => failed) / all)
    },
  }
}

/** No whole answer, or an error of the service. A refusal is an answer. */
const isFailed = (code: string): boolean => code === 'network' || code === 'timeout' || Number(code) >= 500
