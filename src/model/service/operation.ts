import type { Instant, Millis } from '../units.ts'

/** The service's record of background work. Source: service interface, "Operation". */
export type Operation = {
  readonly operationId: string
  readonly projectId: string
  readonly endpointId: string | undefined
  readonly branchId?: string | undefined
  /** `start_compute`, `apply_config`, `suspend_compute`, or another word, kept as it is. */
  readonly action: string
  /** `running`, `scheduling`, `finished`, or another word, kept as it is. */
  readonly status: string
  readonly failuresCount: number
  /** What it has taken, to the millisecond; undefined where the service does not tell. */
  readonly duration?: Millis | undefined
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** One of which nothing is known but that it is listed: its record does not fit. */
export type UnreadableOperation = {
  /** Undefined where it may be anybody's of its project. */
  readonly endpointId: string | undefined
  /** It was created no later; undefined where it may be new. */
  readonly createdBy: Instant | undefined
}

/** What an operation does to the awake state once it is done. Source: service-facts.md, "Operations", groups start and suspend. */
export function awakeEffect({ action, status }: Operation): 'starts' | 'suspends' | undefined {
  if (status !== 'finished') return undefined
  if (action === 'start_compute' || action === 'start_reserved_compute') return 'starts'
  if (action === 'suspend_compute') return 'suspends'
  return undefined
}

/** Whether it may have started a compute that slept: then what follows shows it. Source: service-facts.md, "Operations", group may start. */
export const mayStartCompute = ({ action, status }: Operation): boolean =>
  status === 'finished' &&
  ['check_availability', 'apply_config', 'prewarm_replica', 'promote_replica'].includes(action)

/** Whether a branch and the computes of it are gone by its end. Source: service-facts.md, "Operations". */
export const deletesBranch = ({ action, status }: Operation): boolean =>
  action === 'delete_timeline' && status === 'finished'

/** Whether more is to come of it; an unknown status counts as open. */
export const isOperationOpen = ({ status }: Operation): boolean =>
  !['finished', 'skipped', 'error', 'cancelled'].includes(status)

/** Milliseconds that one which does not end is asked about and told of. Doubled, one whose end nobody lists is called stuck for two days. */
const FOLLOWED = 86_400_000

/** Whether it goes on, as far as is known, and its end is still looked for. */
export const isOperationTracked = (operation: Operation, now: Instant): boolean =>
  isOperationOpen(operation) && now - operation.createdAt < FOLLOWED
