import type { ReadingRefusal, ReadingResult } from '../observation.ts'
import type { Compute } from '../service/compute.ts'

/** Sessions inside Postgres, one per reading. */
export type Readings = {
  /** Why it can never be read, as it is configured and as its record is; undefined where it can. */
  refusalOf(compute: Compute): Extract<ReadingRefusal['because'], 'no-dsn' | 'host-not-allowed'> | undefined
  /**
   * Gets the connection string before the fresh look of a reading, because a compute may be suspended meanwhile. May wait for the
   * request allowance, never longer than the reading deadline.
   *
   * @returns why there is none; undefined when it is ready
   */
  prepare(compute: Compute, signal: AbortSignal): Promise<ReadingResult | undefined>
  /** Connects at once, reads, disconnects within the reading deadline. The caller has prepared it and made sure that it is awake. */
  read(compute: Compute, kind: 'light' | 'full', signal: AbortSignal): Promise<ReadingResult>
  /** Forgets connection strings of computes that are not `isKnown`. */
  evict(isKnown: (compute: Compute) => boolean): void
}
