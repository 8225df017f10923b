// Time and chance.
import type { ServiceTimeEstimate } from '../service/service-time.ts'
import type { Instant, Seconds, Interval } from '../units.ts'

/** The only way the program learns the time or waits. */
export type Clock = {
  /** The wall clock. It may jump, forward and back; only calendars and records use it. */
  now(): Instant
  /** Seconds since some fixed moment of this process, never going back: deadlines, leases, durations. */
  monotonic(): Seconds
  /** Resolves after `span`, or when `signal` aborts; after a turn of the event loop when it has already aborted. Never rejects. */
  sleep(span: Seconds, signal: AbortSignal): Promise<void>
  /**
   * Lets waiting work run. Returns at once when less than 20 ms have passed since the last yield of this clock: a longer turn would be felt
   * by a scrape, a shorter one costs throughput.
   */
  yield(): Promise<void>
}

/** A clock whose `now` is the service's time as far as it is known. Observations are dated by it. */
export type ServiceClock = Clock & {
  /**
   * Bounds of the service time of something that happened between two moments of the monotonic clock; undefined where the answers of the
   * service disagree about its time.
   */
  between(from: Seconds, to: Seconds): Interval | undefined
}

/** The service's time by the `Date` headers of its responses. */
export type ServiceTime = {
  /** Undefined before the first response with a usable header. */
  estimate(): ServiceTimeEstimate | undefined
}

/** The only source of chance: a seed replays a run. */
export type Random = {
  /** A number in `[0, 1)`. */
  unit(): number
  /** A fresh UUID. */
  uuid(): string
}
