import {
  isReached,
  type Backlog,
  type ListProgress,
  type PendingRetries,
  type Sweep,
} from '../../model/observation.ts'
import type { Seconds } from '../../model/units.ts'
import { NO_BACKLOG, NO_LIST, NO_PENDING_RETRIES } from '../sweep.ts'
import type { SweepThroughput } from './poll-plan.ts'
import { listProgressAfter } from './project-list.ts'

/** What one sweep leaves to the next. */
export type PollingState = Readonly<{
  list: ListProgress
  backlog: Backlog
  retries: PendingRetries
  /** Measured in the last sweep that reached the service; undefined before the first. The opening sweep is too small to measure. */
  throughput: SweepThroughput | undefined
  /** Whether the last sweep left histories although it had requests for them. */
  hasHistoriesLeft: boolean
}>

export const newPolling = (): PollingState => ({
  list: NO_LIST,
  backlog: NO_BACKLOG,
  retries: NO_PENDING_RETRIES,
  throughput: undefined,
  hasHistoriesLeft: false,
})

type PolledPass = Readonly<{
  isStored: boolean
  /** Duration of the whole pass, which the next sweep has to fit into. */
  took: Seconds
  isOpening: boolean
}>

export const nextPolling = (
  before: PollingState,
  sweep: Sweep,
  { isStored, took, isOpening }: PolledPass,
): PollingState => ({
  list: listProgressAfter(sweep, before.list, { stored: isStored }),
  backlog: sweep.backlog,
  retries: sweep.retries,
  throughput:
    isReached(sweep.service) && !isOpening ? { requestsMade: sweep.requestsMade, took } : before.throughput,
  hasHistoriesLeft: sweep.isFull ?? false,
})
