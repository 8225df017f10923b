import type { Clock } from '../model/ports/clock.ts'
import { seconds, type Seconds } from '../model/units.ts'

/** The longest wait between two passes while the service cannot be asked, in intervals. Doubled, recovery is noticed twice as late. */
const MOST_INTERVALS = 8

/** The part of an interval after which the next turn begins: what a turn reads comes a moment later in one than in another, and nothing is to be older than the interval. Doubled slack, two more passes in a hundred. */
const EARLY = 0.98

/** How often a turn begins so that nothing becomes older than `interval`. */
export const passInterval = (interval: Seconds): Seconds => seconds(interval * EARLY)

/** What of an interval a turn may be too long without losing the next, which then begins at once. Doubled, a daemon that is too slow for its account rests less. */
const LATE = 0.25

export type LoopOptions = {
  readonly interval: Seconds
  /** Resolves to the number of turns in a row, this one included, in which nothing could be asked. */
  readonly turn: () => Promise<number>
  /** The same number before the first turn of this loop. */
  readonly failures?: number
  /** When the turn before the first of this loop began, on the monotonic clock; now when there was none. */
  readonly turnedAt?: Seconds
}

/**
 * Runs `turn` every `interval`, from start to start, the first one interval after the last, until `signal` aborts; ticks that a
 * long turn covered are skipped, but one that it only just covered comes at its end. While turns fail, the wait doubles up to eight intervals.
 */
export async function runLoop(
  clock: Clock,
  { interval, turn, failures = 0, turnedAt = clock.monotonic() }: LoopOptions,
  signal: AbortSignal,
): Promise<void> {
  let due = turnedAt
  let failed = failures
  while (!signal.aborted) {
    due = seconds(due + nextTick(backoff(interval, failed), seconds(clock.monotonic() - due)))
    // oxlint-disable-next-line no-await-in-loop -- waiting for the next tick is the point
    await clock.sleep(seconds(due - clock.monotonic()), signal)
    if (signal.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- one pass at a time is the point
    failed = await turn()
  }
}

/** From the start of a turn to that of the next, when `failures` in a row have ended. */
export const backoff = (interval: Seconds, failures: number): Seconds =>
  seconds(interval * Math.min(MOST_INTERVALS, 2 ** Math.max(0, failures - 1)))

/** From one tick to the next: the first that the turn which began with it leaves free, or the end of that turn where it is hardly late. */
export function nextTick(wait: Seconds, took: Seconds): Seconds {
  if (wait > took) return wait
  return took % wait <= wait * LATE ? took : seconds(wait * Math.ceil(took / wait))
}
