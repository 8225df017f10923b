// A clock that runs as fast as the work lets it: time passes only while everybody waits for it.
import { createEventHeap } from '../../src/local/control/simulation/event-heap.ts'
import type { Clock as LocalClock } from '../../src/local/clock.ts'
import type { Clock } from '../../src/model/ports/clock.ts'
import { instant, seconds } from '../../src/model/units.ts'

export type VirtualClock = Clock & {
  /** Time stands still until the returned function is called. */
  hold(): () => void
  /** Lets time pass until `work` is done. */
  run<Value>(work: Promise<Value>): Promise<Value>
}

type Sleeper = { isAsleep: boolean; readonly wake: () => void }

/** Steps per turn of the event loop, which asks the system for I/O each time; between two of them all that can go on does. */
const STEPS_PER_TURN = 32

export function createVirtualClock(from: number): VirtualClock {
  const sleepers = createEventHeap<Sleeper>()
  let [now, held] = [from, 0]
  const hold = (): (() => void) => {
    held += 1
    return () => {
      held -= 1
    }
  }
  return {
    now: () => instant(Math.floor(now)),
    monotonic: () => seconds((now - from) / 1000),
    sleep: (span, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = {
          isAsleep: !signal.aborted,
          wake: () => {
            sleeper.isAsleep = false
            signal.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        if (!sleeper.isAsleep) return resolve()
        signal.addEventListener('abort', sleeper.wake, { once: true })
        sleepers.add(now + Math.max(0, span * 1000), sleeper)
      }),
    // No time passes meanwhile: whoever can go on does so before the next step.
    yield: () => Promise.resolve(),
    hold,
    run: async (work) => {
      const state = { isDone: false }
      void work.catch(() => undefined).finally(() => (state.isDone = true))
      const step = () => {
        if (held > 0 || state.isDone) return undefined
        let next = sleepers.take(Infinity)
        // A sleep that was stopped early moves no time.
        while (next && !next.item.isAsleep) next = sleepers.take(Infinity)
        if (!next) return undefined
        now = Math.max(now, next.at)
        return next.item.wake()
      }
      while (!state.isDone) {
        for (let steps = 1; steps < STEPS_PER_TURN; steps += 1) setImmediate(step)
        // oxlint-disable-next-line no-await-in-loop -- what can go on without time does
        await new Promise((resolve) => setImmediate(resolve))
      }
      return work
    },
  }
}

/** As the local service knows clocks. */
export function localClockOf(clock: VirtualClock): LocalClock {
  const never = new AbortController().signal
  return {
    now: () => clock.now(),
    after: (ms, done) => {
      const stop = new AbortController()
      const wait = async () => {
        await clock.sleep(seconds(ms / 1000), stop.signal)
        if (!stop.signal.aborted) done()
      }
      void wait()
      return () => stop.abort()
    },
    sleep: (ms, signal = never) => clock.sleep(seconds(ms / 1000), signal),
  }
}
