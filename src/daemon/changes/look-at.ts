// A look at the compute of a change: its project's list, and operations where the request may have been sent; or at the project whose defaults
// change.
import { comparedDefaultsOf } from '../../apply/plan.ts'
import type { Seen } from '../../apply/settings.ts'
import { isInFlight, type Change } from '../../model/policy/change.ts'
import type { Listing, Service } from '../../model/ports/service.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  isComputeRef,
  type Compute,
  type Project,
} from '../../model/service/compute.ts'
import { isOperationOpen, type Operation } from '../../model/service/operation.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import { HOUR, instant, type Instant } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'

type LookPorts = Readonly<{ service: Service; now: () => Instant }>

/** Operations of an accepted change were listed after it was made; an hour before a request its answer may name none. */
const OPERATIONS_BEFORE = HOUR

export async function lookAt(
  { service, now }: LookPorts,
  { change, project }: Readonly<{ change: Change; project: Project | undefined }>,
  signal: AbortSignal,
): Promise<Result<Seen, ServiceError>> {
  const { ref } = change
  if (!isComputeRef(ref)) return lookAtProject({ service, now }, change, signal)
  const { projectId, endpointId } = ref
  // first: what an operation that ends in between did is then in the list
  const operations = await operationsSince({ service, now }, change, signal)
  if (!operations.ok) return operations
  const askedAt = now()
  const computes = await at(service, change).listComputes(projectId, signal)
  if (!computes.ok) return computes
  const compute = computes.value.items.find((item) => item.endpointId === endpointId)
  if (!compute) return failed(whyAbsent(endpointId, computes.value))
  return ok({
    compute,
    defaultDelay: project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
    others: computes.value.items.filter((item) => item !== compute),
    openOperations: operations.value.filter(isOperationOpen).length,
    operations: operations.value.filter((operation) => operation.endpointId === endpointId),
    askedAt,
  })
}

/** Nothing but a request changes its defaults: no operation tells more than its record. */
async function lookAtProject(
  { service, now }: LookPorts,
  change: Change,
  signal: AbortSignal,
): Promise<Result<Seen, ServiceError>> {
  const askedAt = now()
  const detail = await at(service, change).getProjectDetail(change.ref.projectId, signal)
  if (!detail.ok) return detail
  const compared = comparedDefaultsOf(detail.value)
  return ok({ ...compared, others: [], openOperations: 0, operations: [], askedAt })
}

const at = (service: Service, change: Change) => service.at(isInFlight(change) ? 'verify' : 'apply')

/** None before the request: the list of computes shows what is in transition. */
async function operationsSince(
  { service, now }: LookPorts,
  change: Change,
  signal: AbortSignal,
): Promise<Result<readonly Operation[], ServiceError>> {
  const { state, ref } = change
  if (!isInFlight(change)) return ok([])
  const since = state.at === 'applying' ? state.sentAt : instant(now() - OPERATIONS_BEFORE)
  const listed = await at(service, change).listOperations(ref.projectId, since, signal)
  return listed.ok ? ok(listed.value.items) : listed
}

function whyAbsent(
  endpointId: string,
  { problems, unread = [], hasUnidentified }: Listing<Compute>,
): ServiceError {
  const mayBeUnread = unread.includes(endpointId) || hasUnidentified
  return mayBeUnread ? { kind: 'malformed', problems } : { kind: 'gone', message: `compute ${endpointId}` }
}
