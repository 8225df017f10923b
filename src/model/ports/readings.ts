import type { ReadingResult } from '../observation.ts'
import type { Compute } from '../service/compute.ts'

/** Sessions inside Postgres, one per reading. */
export type Readings = {
  /** There is a connection string for it. */
  isReadable(compute: Compute): boolean
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
