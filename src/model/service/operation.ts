import { DAY, type Instant, type Millis } from '../units.ts'

/** The service's record of background work. Source: service interface, "Operation". */
export type Operation = Readonly<{
  operationId: string
  projectId: string
  endpointId: string | undefined
  branchId?: string | undefined
  /** `start_compute`, `apply_config`, `suspend_compute`, or another word of the service. */
  action: string
  /** `running`, `scheduling`, `finished`, or another word of the service. */
  status: string
  failuresCount: number
  /** Undefined where the service does not publish it. */
  duration?: Millis | undefined
  createdAt: Instant
  updatedAt: Instant
}>

export type UnreadableOperation = Readonly<{
  /** Undefined where it may belong to any compute of its project. */
  endpointId: string | undefined
  /** Latest possible; undefined where it may be new. */
  createdBy: Instant | undefined
}>

/** Effect of a finished operation; undefined if none. Source: service-facts.md, "Operations", groups start and suspend. */
export function awakeEffect({ action, status }: Operation): 'starts' | 'suspends' | undefined {
  if (status !== 'finished') return undefined
  if (action === 'start_compute' || action === 'start_reserved_compute') return 'starts'
  if (action === 'suspend_compute') return 'suspends'
  return undefined
}

/** May have started a sleeping compute; later evidence decides. Source: service-facts.md, "Operations", group may start. */
export const mayStartCompute = ({ action, status }: Operation): boolean =>
  status === 'finished' &&
  ['check_availability', 'apply_config', 'prewarm_replica', 'promote_replica'].includes(action)

/** With its computes. Source: service-facts.md, "Operations". */
export const deletesBranch = ({ action, status }: Operation): boolean =>
  action === 'delete_timeline' && status === 'finished'

/** An unknown status counts as unfinished. */
export const isOperationOpen = ({ status }: Operation): boolean =>
  !['finished', 'skipped', 'error', 'cancelled'].includes(status)

/** For so long the end of an operation is expected, ms: after that it was probably never listed. */
const TRACKED_FOR = DAY

export const isOperationTracked = (operation: Operation, now: Instant): boolean =>
  isOperationOpen(operation) && now - operation.createdAt < TRACKED_FOR
