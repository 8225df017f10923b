// Mutations of computes in an accepted request, for the truth.
import { type Draft, computeOf } from '../draft.ts'
import type { Effect, NewCompute, Request } from '../events.ts'
import { type ComputeConfig, type Project, computesOn } from '../project.ts'
import type { Mutation } from '../records.ts'

type MutatedCompute = Pick<Mutation, 'action' | 'fields'> & { readonly endpointId: string }

/** Adds the mutations of a request that was accepted; `before` is the project without it. */
export function withMutations(draft: Draft, request: Request, before: Project): Draft {
  const { now: at } = draft.context
  const effects = mutationsOf(request, before).map(({ endpointId, action, fields }): Effect => {
    const restarted = isRestarted(draft, before, endpointId)
    return { kind: 'write-mutation', endpointId, mutation: { at, action, fields, restarted } }
  })
  return { ...draft, effects: [...effects, ...draft.effects] }
}

function mutationsOf(request: Request, before: Project): readonly MutatedCompute[] {
  switch (request.kind) {
    case 'create':
      return [creation(request, { branch_id: request.branchId })]
    case 'create-branch':
      return request.computes.map((compute) => creation(compute, { branch_id: request.branchId }))
    case 'update': {
      const fields = { ...wireFields(request.changes), ...sentOnly({ branch_id: request.branchId }) }
      return [{ endpointId: request.endpointId, action: 'update', fields }]
    }
    case 'start':
      return request.byRead ? [] : [withoutFields(request.kind, request.endpointId)]
    case 'suspend':
    case 'restart':
    case 'delete':
      return [withoutFields(request.kind, request.endpointId)]
    case 'delete-branch':
      return computesOn(before, request.branchId).map(({ id }) => withoutFields('delete', id))
    case 'delete-project':
      return before.computes.map(({ id }) => withoutFields('delete', id))
    case 'update-branch':
    case 'create-role':
    case 'reset-password':
    case 'delete-role':
    case 'create-database':
    case 'delete-database':
    case 'update-project':
    case 'announce-update':
      return []
  }
}

const withoutFields = (action: Mutation['action'], endpointId: string): MutatedCompute => ({
  endpointId,
  action,
  fields: {},
})

const creation = (
  { endpointId, type = 'read_write', config }: NewCompute,
  place: Readonly<{ branch_id: string }>,
): MutatedCompute => ({ endpointId, action: 'create', fields: { type, ...place, ...wireFields(config) } })

const wireFields = (config: Partial<ComputeConfig>) =>
  sentOnly({
    autoscaling_limit_min_cu: config.minCu,
    autoscaling_limit_max_cu: config.maxCu,
    suspend_timeout_seconds: config.suspendTimeout,
    disabled: config.disabled,
    passwordless_access: config.passwordless,
    provisioner: config.provisioner,
    name: config.name,
    pooler_enabled: config.poolerEnabled,
    settings: config.pgSettings && { pg_settings: config.pgSettings },
  })

const sentOnly = (fields: Mutation['fields']): Mutation['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Whether the operations of the request stop an active compute and start it again. */
function isRestarted({ project }: Draft, before: Project, endpointId: string): boolean {
  const own = project.queue.filter(({ operation }) => operation.endpointId === endpointId)
  const starts = own.some(({ plan }) => plan.kind === 'start' || (plan.kind === 'suspend' && plan.restart))
  return starts && computeOf(before, endpointId)?.state === 'active'
}
