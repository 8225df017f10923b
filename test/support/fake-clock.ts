import type { ServiceClock } from '../../src/model/ports/clock.ts'
import { instant, seconds, type Seconds } from '../../src/model/units.ts'

type FakeClock = ServiceClock & {
  advance(by: Seconds): Promise<void>
  /** Sets the wall clock forward or back, as an operator or a time server does; nothing else moves. */
  step(by: number): void
  /** How often `yield` was called. */
  yields(): number
}

/** A clock that moves only when told. `advance` runs every sleeper due on the way, in order. */
export function fakeClock(start = '2026-01-05T00:00:00Z'): FakeClock {
  let elapsed = 0
  let offset = Date.parse(start)
  let yields = 0
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>()
  return {
    now: () => instant(offset + elapsed),
    monotonic: () => seconds(elapsed / 1000),
    between: (from, to) => ({ from: instant(offset + from * 1000), to: instant(offset + to * 1000) }),
    sleep: (duration, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper = { due: elapsed + duration * 1000, wake }
        sleepers.add(sleeper)
        signal.addEventListener('abort', wake, { once: true })
        if (signal.aborted) wake()
      }),
    yield: () => {
      yields += 1
      return Promise.resolve()
    },
    yields: () => yields,
    async advance(by) {
      const end = elapsed + by * 1000
      for (;;) {
        await settle()
        const next = [...sleepers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due)[0]
        if (!next) break
        elapsed = Math.max(elapsed, next.due)
        next.wake()
      }
      elapsed = end
    },
    step: (by) => {
      offset += by * 1000
    },
  }
}

/** `sleep` of a clock that a test sets by itself: nobody wakes before being stopped. */
export const sleepUntilStopped = (_: Seconds, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Lets everything that can run without time passing run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
