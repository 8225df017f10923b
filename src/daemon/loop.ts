import type { Clock } from '../model/ports/clock.ts'
import { seconds, type Instant, type Seconds } from '../model/units.ts'

/** Longest wait between two turns while turns fail, in intervals: recovery is noticed within eight minutes of one-minute turns. */
export const MAX_BACKOFF_INTERVALS = 8
/** Share of the interval after which the next turn starts, 0.98: jitter inside a turn never makes data older than the interval. */
const EARLY_START = 0.98
/** Share of an interval by which a turn may overrun without losing the next, which then starts at once. */
const MAX_OVERRUN = 0.25
/** Shortest wait before a turn that `nextLook` asks for, seconds: a decision that names a moment in the past makes no busy loop. */
const MIN_WAIT = 1

export type LoopTurn = Readonly<{
  /** Failed turns in a row, this one included; 0 after a success. */
  failures: number
  /** When something may change before the next tick, by the wall clock. */
  nextLook: Instant | undefined
}>

export type LoopOptions = Readonly<{
  interval: Seconds
  turn: () => Promise<LoopTurn>
  /** Failed turns in a row before the loop began. */
  failures?: number
  /** Start of the turn before the loop began, on the monotonic clock; now when there was none. */
  lastStartedAt?: Seconds
}>

/**
 * Runs `turn` every `interval`, from start to start, the first one interval after the last, until `signal` aborts.
 * 1. Ticks that a long turn covered are skipped; after a turn that overran only a little the next one starts at once.
 * 2. While turns fail, the wait doubles up to eight intervals.
 * 3. `nextLook` can only make the next turn earlier, but not earlier than a second after this one ended.
 */
export async function runLoop(
  clock: Clock,
  { interval, turn, failures = 0, lastStartedAt = clock.monotonic() }: LoopOptions,
  signal: AbortSignal,
): Promise<void> {
  let dueAt = lastStartedAt
  let last: LoopTurn = { failures, nextLook: undefined }
  while (!signal.aborted) {
    const now = clock.monotonic()
    const tickAt = dueAt + nextTick(backoff(interval, last.failures), seconds(now - dueAt))
    const lookIn = last.nextLook === undefined ? Infinity : (last.nextLook - clock.now()) / 1000
    dueAt = seconds(Math.min(tickAt, now + Math.max(MIN_WAIT, lookIn)))
    // oxlint-disable-next-line no-await-in-loop -- waiting for the next turn is the point
    await clock.sleep(seconds(dueAt - now), signal)
    if (signal.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- one turn at a time is the point
    last = await turn()
  }
}

/** Interval of the turns that keeps data younger than `interval`. */
export const passInterval = (interval: Seconds): Seconds => seconds(interval * EARLY_START)

/** Time from the start of a turn to the start of the next, after `failures` in a row. */
export const backoff = (interval: Seconds, failures: number): Seconds =>
  seconds(interval * Math.min(MAX_BACKOFF_INTERVALS, 2 ** Math.max(0, failures - 1)))

/** Time from one tick to the next: the first tick that the turn leaves free, or the end of the turn where it overran only a little. */
export function nextTick(wait: Seconds, took: Seconds): Seconds {
  if (wait > took) return wait
  return took % wait <= wait * MAX_OVERRUN ? took : seconds(wait * Math.ceil(took / wait))
}
