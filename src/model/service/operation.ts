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

/** Listed operation with an unreadable record. */
export type UnreadableOperation = Readonly<{
  /** Undefined where it may belong to any compute of its project. */
  endpointId: string | undefined
  /** Latest possible creation; undefined where it may be new. */
  createdBy: Instant | undefined
}>

/** Effect of a finished operation on the awake state; undefined for actions that change none. Source: service-facts.md, "Operations", groups start and suspend. */
export function awakeEffect({ action, status }: Operation): 'starts' | 'suspends' | undefined {
  if (status !== 'finished') return undefined
  if (action === 'start_compute' || action === 'start_reserved_compute') return 'starts'
  if (action === 'suspend_compute') return 'suspends'
  return undefined
}

/** Whether the operation may have started a sleeping compute; later evidence decides. Source: service-facts.md, "Operations", group may start. */
export const mayStartCompute = ({ action, status }: Operation): boolean =>
  status === 'finished' &&
  ['check_availability', 'apply_config', 'prewarm_replica', 'promote_replica'].includes(action)

/** Whether the finished operation deleted a branch with its computes. Source: service-facts.md, "Operations". */
export const deletesBranch = ({ action, status }: Operation): boolean =>
  action === 'delete_timeline' && status === 'finished'

/** Whether the operation is unfinished; an unknown status counts as unfinished. */
export const isOperationOpen = ({ status }: Operation): boolean =>
  !['finished', 'skipped', 'error', 'cancelled'].includes(status)

/** Milliseconds for which an unfinished operation is tracked, one day: after that its end was probably never listed. */
const TRACKED_FOR = DAY

/** Whether the operation is unfinished and young enough that its end is still expected. */
export const isOperationTracked = (operation: Operation, now: Instant): boolean =>
  isOperationOpen(operation) && now - operation.createdAt < TRACKED_FOR
