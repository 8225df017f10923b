// A clock that runs as fast as the work lets it: time passes only while everybody waits for it.
import { createEventHeap } from '../../../src/local/control/simulation/event-heap.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { instant, seconds } from '../../../src/model/units.ts'

export type VirtualClock = Clock & {
  /** Time stands still until the returned function is called. */
  hold(): () => void
  /** Lets time pass until `work` is done. */
  run<Value>(work: Promise<Value>): Promise<Value>
}

export function createVirtualClock(from: number): VirtualClock {
  const sleepers = createEventHeap<() => void>()
  let [now, held] = [from, 0]
  return {
    now: () => instant(Math.floor(now)),
    monotonic: () => seconds((now - from) / 1000),
    sleep: (span, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          signal.removeEventListener('abort', wake)
          resolve()
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', wake, { once: true })
        sleepers.add(now + Math.max(0, span * 1000), wake)
      }),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    hold: () => {
      held += 1
      return () => {
        held -= 1
      }
    },
    run: async (work) => {
      const state = { isDone: false }
      void work.catch(() => undefined).finally(() => (state.isDone = true))
      while (!state.isDone) {
        // oxlint-disable-next-line no-await-in-loop -- what can go on without time does
        await new Promise((resolve) => setImmediate(resolve))
        const next = held > 0 ? undefined : sleepers.take(Infinity)
        if (!next) continue
        now = Math.max(now, next.at)
        next.item()
      }
      return work
    },
  }
}
