import type { Clock } from '../model/ports/clock.ts'
import { instant, seconds } from '../model/units.ts'

/** Milliseconds of work after which `yield` gives up a turn of the event loop: a scrape that waits so long does not notice. */
const LONGEST_TURN = 20

/** The machine's clock. */
export function createClock(): Clock {
  let yieldedAt = performance.now()
  return {
    now: () => instant(Date.now()),
    monotonic: () => seconds(performance.now() / 1000),
    sleep: (span, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          setImmediate(resolve)
          return
        }
        const done = (): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, Math.max(0, span * 1000))
        signal.addEventListener('abort', done, { once: true })
      }),
    async yield() {
      if (performance.now() - yieldedAt < LONGEST_TURN) return
      await new Promise((resolve) => setImmediate(resolve))
      yieldedAt = performance.now()
    },
  }
}
