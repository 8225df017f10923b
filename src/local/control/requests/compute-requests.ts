// Requests for computes. Branches and projects add and drop computes by the same functions.
import { type Answered, refuseRequest, schedule } from './answers.ts'
import { completeConfig, isDisruptive } from '../config.ts'
import {
  type Draft,
  type PlannedActions,
  computeOf,
  refuseUnknown,
  subjectOf,
  withCompute,
  withEffects,
  withProject,
} from '../draft.ts'
import type { ComputeRequest, Effect, NewCompute, Refusal } from '../events.ts'
import { type Compute, type ComputeConfig, type Plan, wakeCause } from '../project.ts'
import { UNUSED, closeMeter } from '../usage/meter.ts'
import { exceededQuota } from '../usage/quota.ts'
import { configRefusal, conflictOf, placeRefusal, quotaRefusal, storedDelay } from './validation.ts'

export function applyComputeRequest(draft: Draft, request: ComputeRequest): Answered {
  if (request.kind === 'create') return createCompute(draft, request)
  const compute = computeOf(draft.project, request.endpointId)
  if (!compute)
    return refuseRequest(draft, { status: 404, message: `endpoint not found: ${request.endpointId}` })
  switch (request.kind) {
    case 'update':
      return updateCompute(draft, compute, request)
    case 'delete':
      return deleteCompute(draft, compute)
    case 'start':
      return startCompute(draft, compute)
    case 'suspend':
      return suspendCompute(draft, compute)
    case 'restart':
      return restartCompute(draft, compute)
  }
}

function createCompute(draft: Draft, request: ComputeRequest & { kind: 'create' }): Answered {
  const { project, context } = draft
  const { branchId, endpointId, type = 'read_write' } = request
  const config = completeConfig(request.config, project, context.settings)
  const refusal: Refusal | undefined =
    configRefusal(config, context.settings) ??
    placeRefusal(project, { type, branchId }, context.settings) ??
    (computeOf(project, endpointId) && { status: 409, message: `endpoint ${endpointId} exists` }) ??
    conflictOf(project, undefined) ??
    (config.disabled ? undefined : quotaRefusal(project, context.now, context.settings))
  if (refusal) return refuseRequest(draft, refusal)
  const { draft: created, steps } = addCompute(draft, branchId, request)
  return schedule(created, { branchId, endpointId }, steps)
}

/** Adds a validated compute; `steps` are the operations that it needs. */
export function addCompute(
  draft: Draft,
  branchId: string,
  request: NewCompute,
): { readonly draft: Draft; readonly steps: PlannedActions } {
  const { now, settings } = draft.context
  const config = completeConfig(request.config, draft.project, settings)
  const compute: Compute = {
    id: request.endpointId,
    type: request.type ?? 'read_write',
    branchId,
    config,
    createdAt: now,
    updatedAt: now,
    state: config.disabled ? 'idle' : 'init',
    pending: config.disabled ? undefined : 'active',
    startedAt: undefined,
    suspendedAt: undefined,
    activity: { settled: undefined, recent: [] },
    wanted: undefined,
    release: undefined,
    checks: 0,
    meter: UNUSED,
  }
  return {
    draft: withProject(draft, {
      computes: [...draft.project.computes, compute],
      updatedAt: draft.project.updatedAt,
    }),
    steps: config.disabled ? [] : [['start_compute', { kind: 'start', cause: wakeCause('create') }]],
  }
}

function updateCompute(
  draft: Draft,
  compute: Compute,
  { changes, branchId = compute.branchId }: ComputeRequest & { kind: 'update' },
): Answered {
  const { project, context } = draft
  const { settings } = context
  const merged = { ...compute.config, ...changes }
  const config = { ...merged, suspendTimeout: storedDelay(merged.suspendTimeout, settings) }
  const refusal =
    configRefusal(config, settings) ??
    (branchId === compute.branchId
      ? undefined
      : placeRefusal(project, { type: compute.type, branchId }, settings)) ??
    conflictOf(project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  const disruptive = isDisruptive(compute, { config, branchId }, { changes, settings })
  const { steps, pending } = planUpdate(draft, compute, { config, disruptive })
  const changed = withCompute(draft, compute.id, { config, branchId, pending })
  return schedule(changed, { branchId, endpointId: compute.id }, steps)
}

/** The two operations that every change shows (S-58); `plan` is the actual work of the second one. */
const updateSteps = (plan: Plan, ...more: PlannedActions): PlannedActions => [
  ['apply_config', { kind: 'configure' }],
  ['suspend_compute', plan],
  ...more,
]

const suspendPlan = (restart?: 'config'): Plan => ({
  kind: 'suspend',
  restart: restart && wakeCause(restart),
  isRequested: false,
})

type UpdatePlan = {
  readonly steps: PlannedActions
  /** Pending state that the record shows meanwhile. */
  readonly pending: Compute['pending']
}

/** Operations of a change (S-57, S-58, S-64 to S-68, S-116). */
function planUpdate(
  { project, context }: Draft,
  compute: Compute,
  { config, disruptive }: { readonly config: ComputeConfig; readonly disruptive: boolean },
): UpdatePlan {
  if (compute.state === 'active')
    return planUpdateOfActive(config, disruptive, context.settings.patchListsStart)
  if (!context.settings.patchWakesIdle || compute.state === 'init')
    return { steps: [], pending: compute.pending }
  if (config.disabled || exceededQuota(project, context.now))
    return { steps: updateSteps({ kind: 'skip' }), pending: undefined }
  return { steps: updateSteps({ kind: 'suspend-unless-used' }), pending: 'active' }
}

function planUpdateOfActive(config: ComputeConfig, disruptive: boolean, listsStart: boolean): UpdatePlan {
  if (config.disabled) return { steps: updateSteps(suspendPlan()), pending: 'idle' }
  if (!disruptive) return { steps: updateSteps({ kind: 'skip' }), pending: undefined }
  if (!listsStart) return { steps: updateSteps(suspendPlan('config')), pending: 'idle' }
  const start: Plan = { kind: 'start', cause: wakeCause('config') }
  return { steps: updateSteps(suspendPlan(), ['start_compute', start]), pending: 'idle' }
}

function deleteCompute(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  const { draft: dropped, compute: last } = dropCompute(draft, compute)
  return { draft: dropped, answer: { ok: true, project: dropped.project, compute: last, operations: [] } }
}

/** Removes a compute at once: its clients are refused, its usage moves to the project, its server stops. */
export function dropCompute(
  draft: Draft,
  compute: Compute,
): { readonly draft: Draft; readonly compute: Compute } {
  const { id: endpointId, branchId } = compute
  const { meter, interval } = closeMeter(compute.meter, draft.context.now)
  const effects: Effect[] = [refuseUnknown(endpointId), { kind: 'drop-connections', endpointId }]
  if (interval) {
    effects.push(
      { kind: 'write-interval', endpointId, interval },
      { kind: 'stop-process', endpointId, grace: 0 },
    )
  }
  // a replica has data and a slot of its own
  if (compute.type === 'read_only') effects.push({ kind: 'remove-replica', endpointId, branchId })
  const { computes, spent } = draft.project
  const without = withProject(draft, {
    computes: computes.filter(({ id }) => id !== endpointId),
    spent: { awakeMs: spent.awakeMs + meter.awakeMs, cuMs: spent.cuMs + meter.cuMs },
  })
  return { draft: withEffects(without, ...effects), compute: { ...compute, meter } }
}

function startCompute(draft: Draft, compute: Compute): Answered {
  if (compute.config.disabled)
    return refuseRequest(draft, { status: 422, message: `endpoint ${compute.id} is disabled` })
  const { now, settings } = draft.context
  const refusal = conflictOf(draft.project, compute) ?? quotaRefusal(draft.project, now, settings)
  if (refusal) return refuseRequest(draft, refusal)
  return schedule(
    draft,
    subjectOf(compute),
    compute.state === 'active' ? [] : [['start_compute', { kind: 'start', cause: wakeCause('api') }]],
  )
}

function suspendCompute(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  return schedule(
    draft,
    subjectOf(compute),
    compute.state === 'active'
      ? [['suspend_compute', { kind: 'suspend', restart: undefined, isRequested: true }]]
      : [],
  )
}

/** Restarts an active compute; the switch `restartIdle` decides about others. */
function restartCompute(draft: Draft, compute: Compute): Answered {
  const conflict = conflictOf(draft.project, compute)
  if (conflict) return refuseRequest(draft, conflict)
  const { restartIdle } = draft.context.settings.errors
  if (compute.state !== 'active') {
    if (restartIdle === 'starts') return startCompute(draft, compute)
    const message = `endpoint ${compute.id} is ${compute.state}: only an active endpoint can be restarted, start it instead`
    return refuseRequest(draft, { status: restartIdle, message })
  }
  return schedule(draft, subjectOf(compute), [
    ['suspend_compute', suspendPlan()],
    ['start_compute', { kind: 'start', cause: wakeCause('api') }],
  ])
}
