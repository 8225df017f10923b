// Time and chance.
import type { ServiceTimeEstimate } from '../service/service-time.ts'
import type { Instant, Seconds, Interval } from '../units.ts'

/** The only way to learn the time or to wait. */
export type Clock = {
  /** The wall clock may jump, forward and back; only calendars and records use it. */
  now(): Instant
  /** Seconds since a fixed moment of this process, never going back: deadlines, leases, durations. */
  monotonic(): Seconds
  /** Resolves after `span`, or when `signal` aborts, at the earliest after a turn of the event loop. Never rejects. */
  sleep(span: Seconds, signal: AbortSignal): Promise<void>
  /** Lets waiting work run, at most every 20 ms: a longer turn would be felt by a scrape, a shorter one costs throughput. */
  yield(): Promise<void>
}

/** `now` is the service's time as far as it is known. Observations are dated by it. */
export type ServiceClock = Clock & {
  /** Service time of something between two moments of the monotonic clock; undefined where answers of the service disagree about it. */
  between(from: Seconds, to: Seconds): Interval | undefined
}

/** By the `Date` headers of the service's responses. */
export type ServiceTime = {
  /** Undefined before the first usable header. */
  estimate(): ServiceTimeEstimate | undefined
}

/** A seed replays a run. */
export type Random = {
  /** A number in `[0, 1)`. */
  unit(): number
  /** A fresh UUID. */
  uuid(): string
}
