/** Time and timers of the local service. All values in milliseconds. */
export type Clock = {
  /** The wall clock, ms since 1970. */
  now(): number
  /** Calls `done` once after `ms`. The returned function cancels it. The timer does not keep the process alive. */
  after(ms: number, done: () => void): () => void
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest timer of Node.js, ms: a longer one fires at once. */
const MAX_TIMER = 2 ** 31 - 1

/** The machine's clock. */
export const createClock = (): Clock => ({ now: () => Date.now(), after, sleep })

function after(ms: number, done: () => void): () => void {
  const timer = setTimeout(done, Math.min(Math.max(0, ms), MAX_TIMER))
  timer.unref()
  return () => clearTimeout(timer)
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake, { once: true })
  })
}
