import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Clock } from '../model/ports/clock.ts'
import { instant, seconds } from '../model/units.ts'

/** Milliseconds of work after which `yield` gives up a turn of the event loop: no scrape notices such a wait. */
const LONGEST_TURN = 20

export function createClock(): Clock {
  let yieldedAt = performance.now()
  return {
    now: () => instant(Date.now()),
    monotonic: () => seconds(performance.now() / 1000),
    async sleep(span, signal) {
      if (signal.aborted) await setImmediate()
      else await setTimeout(Math.max(0, span * 1000), undefined, { signal }).catch(() => undefined)
    },
    async yield() {
      if (performance.now() - yieldedAt < LONGEST_TURN) return
      await setImmediate()
      yieldedAt = performance.now()
    },
  }
}
