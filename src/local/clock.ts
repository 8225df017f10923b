/** Time and timers. All values in ms. */
export type Clock = {
  /** Wall clock, since 1970. */
  now(): number
  /** Calls `done` once; the result cancels. Does not keep the process alive. */
  after(ms: number, done: () => void): () => void
  /** Resolves early when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest timer of Node.js, ms; longer ones fire at once. */
const MAX_TIMER = 2 ** 31 - 1

export const createClock = (): Clock => ({ now: () => Date.now(), after, sleep })

function after(ms: number, done: () => void): () => void {
  const timer = setTimeout(done, Math.min(Math.max(0, ms), MAX_TIMER))
  timer.unref()
  return () => clearTimeout(timer)
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake, { once: true })
  })
}
