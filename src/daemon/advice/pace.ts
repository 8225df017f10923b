// Pace of work beside the passes: a share of a core.
import type { Clock } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'

/** Seconds of work at full speed before the share holds: a small account gets all its answers at once. */
const BURST = 2

export type Pace = ReturnType<typeof createPace>

/** @param share of a core; 1 for no waits */
export function createPace(clock: Pick<Clock, 'monotonic' | 'sleep'>, share: number) {
  let credit = BURST
  let at = clock.monotonic()
  return {
    /** Runs `work`, then waits as long as the share asks for. */
    run: async (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
      const startedAt = clock.monotonic()
      credit = Math.min(BURST, credit + share * (startedAt - at))
      at = startedAt
      await work()
      credit -= clock.monotonic() - startedAt
      if (credit < 0 && share < 1) await clock.sleep(seconds(-credit / share), signal)
    },
  }
}
