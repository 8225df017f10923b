import type { Clock } from '../model/ports.ts'
import { seconds, type Seconds } from '../model/units.ts'

/** The longest wait between two passes while the service cannot be asked, in intervals. Doubled, recovery is noticed twice as late. */
const MOST_INTERVALS = 8

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
 * long turn covered are skipped. While turns fail, the wait doubles up to eight intervals.
 */
export async function loop(
  clock: Clock,
  { interval, turn, failures = 0, turnedAt = clock.monotonic() }: LoopOptions,
  signal: AbortSignal,
): Promise<void> {
  let due = turnedAt
  let failed = failures
  while (!signal.aborted) {
    due = seconds(due + nextTick(waitAfter(interval, failed), seconds(clock.monotonic() - due)))
    // oxlint-disable-next-line no-await-in-loop -- waiting for the next tick is the point
    await clock.sleep(seconds(due - clock.monotonic()), signal)
    if (signal.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- one pass at a time is the point
    failed = await turn()
  }
}

/** From the start of a turn to that of the next, when `failures` in a row have ended. */
export const waitAfter = (interval: Seconds, failures: number): Seconds =>
  seconds(interval * Math.min(MOST_INTERVALS, 2 ** Math.max(0, failures - 1)))

/** From one tick to the first that the turn which began with it leaves free. */
export const nextTick = (wait: Seconds, took: Seconds): Seconds =>
  seconds(wait > took ? wait : wait * Math.ceil(took / wait))
