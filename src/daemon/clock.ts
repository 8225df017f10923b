import { setImmediate } from 'node:timers/promises'
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
      else await sleepUnlessAborted(Math.max(0, span * 1000), signal)
    },
    async yield() {
      if (performance.now() - yieldedAt < LONGEST_TURN) return
      await setImmediate()
      yieldedAt = performance.now()
    },
  }
}

/** Resolves after `length` ms or when `signal` aborts. That of Node rejects, with an exception for each deadline that was met. */
const sleepUnlessAborted = (length: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, length)
    signal.addEventListener('abort', end, { once: true })
  })
