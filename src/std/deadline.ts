/** A time limit for work that stops by a signal; ended by its scope. @param wait resolves after the time the work may take, or when its signal aborts */
export function createDeadline(wait: (ended: AbortSignal) => Promise<void>, signal: AbortSignal) {
  const [ended, late] = [new AbortController(), new AbortController()]
  const watch = async () => {
    await wait(ended.signal)
    if (!ended.signal.aborted) late.abort()
  }
  void watch()
  return {
    /** Aborts when the time is over, or with the caller's signal. */
    signal: AbortSignal.any([signal, late.signal]),
    isOver: () => late.signal.aborted,
    [Symbol.dispose]: () => ended.abort(),
  }
}
