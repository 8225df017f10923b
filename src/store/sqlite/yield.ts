import type { Clock } from '../../model/ports/clock.ts'

/** Seconds of work at a stretch. Doubled, everything else in the process waits twice as long, and long work ends a little earlier. */
const STRETCH = 0.01

/** To be awaited between steps of long work: lets others run when they have waited for a while. */
export function createYielder(clock: Clock): () => Promise<void> {
  let begun = clock.monotonic()
  return async () => {
    if (clock.monotonic() - begun < STRETCH) return
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    begun = clock.monotonic()
  }
}
