// Read replicas and the primaries they follow.
import type { Effect, Refusal, Settings } from '../events.ts'
import type { Compute, ComputeType, Project } from '../project.ts'
import { primaryRefusal } from './validation.ts'

/** Per branch. The service has no such limit; here each is a process, and takes a slot of which there are a hundred. */
const MOST_REPLICAS = 90

/** The computes of a branch that read what its primary writes. */
export const replicasOf = ({ computes }: Project, branchId: string): readonly Compute[] =>
  computes.filter((compute) => compute.branchId === branchId && compute.type === 'read_only')

/** Why a compute of this type cannot be on this branch (S-05, S-06, S-07); undefined when it can. */
export function placeRefusal(
  project: Project,
  { type, branchId }: { readonly type: ComputeType; readonly branchId: string },
  settings: Settings,
): Refusal | undefined {
  if (type === 'read_write') return primaryRefusal(project, branchId, settings)
  const refusal = typeRefusal(type, settings, 'endpoint')
  if (refusal) return refusal
  if (!project.branches.some(({ id }) => id === branchId))
    return { status: 404, message: `endpoint.branch_id: branch not found: ${branchId}` }
  return replicasOf(project, branchId).length < MOST_REPLICAS
    ? undefined
    : {
        status: 422,
        message: `endpoint.branch_id: branch ${branchId} has ${MOST_REPLICAS} read replicas, the most of the local service`,
      }
}

/** Read replicas need a paid plan (S-07); `place` is the part of the body that asks for one. */
export const typeRefusal = (
  type: ComputeType | undefined,
  { plan }: Settings,
  place: string,
): Refusal | undefined =>
  type === 'read_only' && plan === 'free'
    ? { status: 403, message: `${place}.type: read replicas need a paid plan` }
    : undefined

/** What is left to do when a compute is gone: a replica has data and a slot of its own. */
export const cleanUpEffects = ({ id, branchId, type }: Compute): readonly Effect[] =>
  type === 'read_only' ? [{ kind: 'remove-replica', endpointId: id, branchId }] : []
