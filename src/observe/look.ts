import type { Look } from '../model/observation.ts'
import type { ServiceClock } from '../model/ports/clock.ts'
import type { ServiceOperations } from '../model/ports/service.ts'
import type { ComputeRef } from '../model/service/compute.ts'
import type { ServiceError } from '../model/service/service-error.ts'
import { failed, ok, type Result } from '../std/result.ts'

/** Problem of an answer whose service time is in doubt: what is not dated is not an observation. */
export const UNDATED =
  'date: the time of this answer fits none of those before, so it waits for the next pass'

/**
 * Observes one compute with one request, dated by the service's time. Reads the list of the project, because the interface text has no record of a
 * single compute; both cost one request. May be repeated.
 *
 * @returns `gone` when the list does not hold the compute, `malformed` when its record may be one of those that do not fit
 */
export async function look(
  { clock, service }: { readonly clock: ServiceClock; readonly service: ServiceOperations },
  { projectId, endpointId }: ComputeRef,
  signal: AbortSignal,
): Promise<Result<Look, ServiceError>> {
  const askedOn = clock.monotonic()
  const answer = await service.listComputes(projectId, signal)
  const interval = clock.between(askedOn, clock.monotonic())
  if (!answer.ok) return answer
  if (!interval) return failed({ kind: 'unavailable', message: UNDATED })
  const { items, problems, unread = [], hasUnidentified = false } = answer.value
  const compute = items.find((item) => item.endpointId === endpointId)
  if (compute) return ok({ compute, askedAt: interval.from, answeredAt: interval.to, askedOn })
  const mayBeUnread = unread.includes(endpointId) || hasUnidentified
  if (mayBeUnread) return failed({ kind: 'malformed', problems })
  return failed({ kind: 'gone', message: `compute ${endpointId}` })
}
