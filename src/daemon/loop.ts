import type { Clock } from '../model/ports/clock.ts'
import { seconds, type Instant, type Seconds } from '../model/units.ts'

/** Recovery is noticed within eight minutes of one-minute turns. */
export const MAX_BACKOFF_INTERVALS = 8
/** Share of the interval: jitter inside a turn never makes data older than the interval. */
const EARLY_START = 0.98
/** Share of an interval by which a turn may overrun without losing the next, which then starts at once. */
const MAX_OVERRUN = 0.25
/** Seconds before a turn that `nextLook` asks for: one that names a moment in the past makes no busy loop. */
const MIN_WAIT = 1

export type LoopTurn = Readonly<{
  /** In a row, this one included. */
  failures: number
  /** When something may change before the next tick, by the wall clock. */
  nextLook: Instant | undefined
}>

type LoopOptions = Readonly<{
  interval: Seconds
  turn: () => Promise<LoopTurn>
  /** In a row, before the loop began. */
  failures?: number
  /** Start of the turn before the loop began, monotonic; default: now. */
  lastStartedAt?: Seconds
  /** As the turn before the loop began named it; default: none. */
  nextLook?: Instant | undefined
}>

/**
 * Runs `turn` every `interval`, from start to start, one interval after the last, until `signal` aborts. Ticks that a long turn covered are
 * skipped; after one that overran a little the next starts at once. While turns fail, the wait doubles up to eight intervals. `nextLook`
 * can only make a turn earlier, to a second after this one ended.
 */
export async function runLoop(
  clock: Clock,
  { interval, turn, failures = 0, lastStartedAt = clock.monotonic(), nextLook }: LoopOptions,
  signal: AbortSignal,
): Promise<void> {
  let dueAt = lastStartedAt
  let last: LoopTurn = { failures, nextLook }
  while (!signal.aborted) {
    const now = clock.monotonic()
    const tickAt = dueAt + nextTick(backoff(interval, last.failures), seconds(now - dueAt))
    const lookIn = last.nextLook === undefined ? Infinity : (last.nextLook - clock.now()) / 1000
    dueAt = seconds(Math.min(tickAt, now + Math.max(MIN_WAIT, lookIn)))
    // oxlint-disable-next-line no-await-in-loop -- waiting is the point
    await clock.sleep(seconds(dueAt - now), signal)
    if (signal.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- one turn at a time
    last = await turn()
  }
}

/** Between turns, so that data stays younger than `interval`. */
export const passInterval = (interval: Seconds): Seconds => seconds(interval * EARLY_START)

/** From start to start, after `failures` in a row. */
export const backoff = (interval: Seconds, failures: number): Seconds =>
  seconds(interval * Math.min(MAX_BACKOFF_INTERVALS, 2 ** Math.max(0, failures - 1)))

/** The first tick that the turn leaves free, or the end of the turn where it overran only a little. */
export function nextTick(wait: Seconds, took: Seconds): Seconds {
  if (wait > took) return wait
  return took % wait <= wait * MAX_OVERRUN ? took : seconds(wait * Math.ceil(took / wait))
}
