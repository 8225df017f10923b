/** Reason of signals that nobody asks for one: without it, each abort would make an exception with its stack. */
const ENDED = 'the work has ended'

/** A time limit for work that stops by a signal; ended by its scope. @param wait resolves after the time the work may take, or when its signal aborts */
export function createDeadline(wait: (ended: AbortSignal) => Promise<void>, signal: AbortSignal) {
  const [ended, stopped] = [new AbortController(), new AbortController()]
  let isOver = false
  // not `AbortSignal.any`, which costs more than the rest of a request's bookkeeping
  const stop = () => stopped.abort(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const watch = async () => {
    await wait(ended.signal)
    if (ended.signal.aborted) return
    isOver = true
    stopped.abort()
  }
  void watch()
  return {
    /** Aborts when the time is over, or with the caller's signal. */
    signal: stopped.signal,
    isOver: () => isOver,
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', stop)
      ended.abort(ENDED)
    },
  }
}
