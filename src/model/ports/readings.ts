import type { ReadingResult } from '../observation.ts'
import type { Compute } from '../service/compute.ts'

/** Sessions inside Postgres, one per reading. */
export type Readings = {
  /** Whether there is a connection string for it. */
  isReadable(compute: Compute): boolean
  /** Connects, reads, disconnects; never longer than the reading deadline. The caller has made sure that the compute is awake. */
  read(compute: Compute, kind: 'light' | 'full', signal: AbortSignal): Promise<ReadingResult>
}
