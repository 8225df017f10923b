/** How the local service learns the time and waits. Milliseconds throughout. */
export type Clock = {
  /** The wall clock, ms since 1970. */
  now(): number
  /** Calls `done` once after `ms`; the returned function prevents it. The timer does not keep the process alive. */
  after(ms: number, done: () => void): () => void
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** Longest span a timer of the platform takes; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The machine's clock. */
export const createClock = (): Clock => ({ now: () => Date.now(), after, sleep })

/** A clock that agreed with the machine's at `begun`, ms, and runs `scale` times as fast. */
export function createScaledClock(scale: number, begun = Date.now()): Clock {
  return {
    now: () => begun + Math.floor((Date.now() - begun) * scale),
    after: (ms, done) => after(ms / scale, done),
    sleep: (ms, signal) => sleep(ms / scale, signal),
  }
}

function after(ms: number, done: () => void): () => void {
  const timer = setTimeout(done, Math.min(Math.max(0, ms), LONGEST_TIMER))
  timer.unref()
  return () => clearTimeout(timer)
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal.addEventListener('abort', wake, { once: true })
  })
}
