import type { Clock } from '../../model/ports/clock.ts'

/** Seconds: other work waits no longer, and yielding costs little. */
const MAX_WORK = 0.01

/** To be awaited between steps of long work: yields to the event loop after `MAX_WORK`. */
export function createYielder(clock: Clock): () => Promise<void> {
  let startedAt = clock.monotonic()
  return async () => {
    if (clock.monotonic() - startedAt < MAX_WORK) return
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    startedAt = clock.monotonic()
  }
}
