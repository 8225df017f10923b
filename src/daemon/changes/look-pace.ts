// How many requests the apply loop makes, and for which changes first.
import { isInFlight, type Change } from '../../model/policy/change.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Seconds } from '../../model/units.ts'

/** Share of a minute's requests that may go out at once: with the rest spread over the minute, no minute has more than it may. */
const BURST = 1 / 7
/** Requests of a look and of what follows from it: operations, or the request of the change. */
const FEWEST = 2

/**
 * Part of the requests that is left while a pass runs: both share the request allowance, and a pass of a large account, which uses all of
 * it, takes as much longer as the loop takes of it.
 */
const PART_IN_PASS = 1 / 4

type LookPaceOptions = Readonly<{
  /** On average over any minute. */
  perSecond: number
  isPassing: () => boolean
}>

/** Token bucket of requests. */
export function createLookPace(clock: Pick<Clock, 'monotonic'>, { perSecond, isPassing }: LookPaceOptions) {
  const most = Math.max(FEWEST, BURST * 60 * perSecond)
  let [tokens, at] = [most, clock.monotonic()]
  return {
    /** Whether requests are left for a look and for what follows from it. */
    mayLook: (): boolean => {
      const then = at
      at = clock.monotonic()
      const rate = perSecond * (1 - BURST) * (isPassing() ? PART_IN_PASS : 1)
      tokens = Math.min(most, tokens + (at - then) * rate)
      return tokens >= FEWEST
    },
    charge: (requests: number): void => void (tokens -= requests),
  }
}

/** Changes in flight first, then the longest without a look: of more changes than looks, none waits for ever. */
export const inLookOrder = (
  changes: readonly Change[],
  lookedOn: ReadonlyMap<string, Seconds>,
): readonly Change[] => {
  const rank = (change: Change): number => (isInFlight(change) ? -1 : (lookedOn.get(change.id) ?? 0))
  return changes.toSorted((a, b) => rank(a) - rank(b))
}
