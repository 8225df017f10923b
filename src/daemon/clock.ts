import type { Clock } from '../model/ports.ts'
import { instant, seconds } from '../model/units.ts'

/** The machine's clock. */
export function createClock(): Clock {
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
  }
}
