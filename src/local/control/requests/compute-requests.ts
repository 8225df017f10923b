// Requests for computes; branches and projects add and drop computes by the same functions.
import { type Outcome, type RequestHandlers, accept, schedule } from './answers.ts'
import { completeConfig, hasSize, isDisruptive } from '../config.ts'
import {
  type Draft,
  type PlannedActions,
  computeOf,
  enqueue,
  refuseUnknown,
  subjectOf,
  withCompute,
  withEffects,
  withProject,
} from '../draft.ts'
import type { Effect, NewCompute, Request } from '../events.ts'
import { type Compute, type Plan, datedAt } from '../project.ts'
import type { Stop } from '../records.ts'
import { UNUSED, addUsage, closeMeter } from '../usage/meter.ts'
import { exceededQuota } from '../usage/quota.ts'
import { configRefusal, conflictOf, placeRefusal, quotaRefusal, refuse, storedDelay } from './validation.ts'

export const COMPUTE_REQUESTS = {
  create: createCompute,
  update: ofCompute(updateCompute),
  delete: ofCompute(deleteCompute),
  start: ofCompute(startCompute),
  suspend: ofCompute(suspendCompute),
  restart: ofCompute(restartCompute),
} satisfies Partial<RequestHandlers>

function ofCompute<Wanted extends { readonly endpointId: string }>(
  handle: (draft: Draft, compute: Compute, request: Wanted) => Outcome,
) {
  return (draft: Draft, request: Wanted): Outcome => {
    const { endpointId } = request
    const compute = computeOf(draft.project, endpointId)
    return compute ? handle(draft, compute, request) : refuse(404, `endpoint not found: ${endpointId}`)
  }
}

function createCompute(draft: Draft, request: Request<'create'>): Outcome {
  const { project, context } = draft
  const { branchId, endpointId, type = 'read_write' } = request
  const config = completeConfig(request.config, project, context.settings)
  const refusal =
    configRefusal(config, context.settings) ??
    placeRefusal(draft, { type, branchId }) ??
    (computeOf(project, endpointId) && refuse(409, `endpoint ${endpointId} exists`)) ??
    conflictOf(draft) ??
    (config.disabled ? undefined : quotaRefusal(draft))
  if (refusal) return refusal
  const created = addCompute(draft, branchId, request)
  return accept(created, computeOf(created.project, endpointId))
}

/** The compute is valid already. Queues its start. */
export function addCompute(draft: Draft, branchId: string, request: NewCompute): Draft {
  const { project, context } = draft
  const config = completeConfig(request.config, project, context.settings)
  const compute: Compute = {
    id: request.endpointId,
    type: request.type ?? 'read_write',
    branchId,
    config,
    ...datedAt(context.now),
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
  const added = { ...draft, project: { ...project, computes: [...project.computes, compute] } }
  if (config.disabled) return added
  return enqueue(added, subjectOf(compute), [['start_compute', { kind: 'start', cause: { kind: 'create' } }]])
}

function updateCompute(draft: Draft, compute: Compute, request: Request<'update'>): Outcome {
  const { settings } = draft.context
  const { changes, branchId = compute.branchId } = request
  const merged = { ...compute.config, ...changes }
  const config = { ...merged, suspendTimeout: storedDelay(merged.suspendTimeout, settings) }
  const refusal =
    configRefusal(config, settings, { before: compute.config }) ??
    (branchId === compute.branchId ? undefined : placeRefusal(draft, { type: compute.type, branchId })) ??
    conflictOf(draft, compute)
  if (refusal) return refusal
  const setsSize = settings.patchEqualRestarts && hasSize(changes)
  const disruptive = setsSize || isDisruptive(compute, { config, branchId })
  const { steps, pending } = planUpdate(draft, compute, { isDisabled: config.disabled, disruptive })
  const changed = withCompute(draft, compute.id, { config, branchId, pending })
  return schedule(changed, { branchId, endpointId: compute.id }, steps)
}

/** The operations that every change shows (S-58); `plan` is the work of the second. */
export const updateSteps = (plan: Plan): PlannedActions => [
  ['apply_config', { kind: 'configure' }],
  ['suspend_compute', plan],
]

/** Operations of a change, and the pending state meanwhile (S-57, S-58, S-64 to S-68, S-116). */
function planUpdate(
  draft: Draft,
  { state, pending }: Compute,
  { isDisabled, disruptive }: Readonly<{ isDisabled: boolean; disruptive: boolean }>,
): Readonly<{ steps: PlannedActions; pending: Compute['pending'] }> {
  const { patchListsStart, patchWakesIdle } = draft.context.settings
  const cause = { kind: 'config' } as const
  if (state === 'active') {
    if (isDisabled) return { steps: updateSteps({ kind: 'suspend', why: 'disabled' }), pending: 'idle' }
    if (!disruptive) return { steps: updateSteps({ kind: 'skip' }), pending: undefined }
    const suspend = { kind: 'suspend', why: 'config' } as const
    if (!patchListsStart) return { steps: updateSteps({ ...suspend, restart: cause }), pending: 'idle' }
    const steps = [...updateSteps(suspend), ['start_compute', { kind: 'start', cause }]] as const
    return { steps, pending: 'idle' }
  }
  if (!patchWakesIdle || state === 'init') return { steps: [], pending }
  if (isDisabled || exceededQuota(draft)) return { steps: updateSteps({ kind: 'skip' }), pending: undefined }
  return { steps: updateSteps({ kind: 'suspend-unless-used', why: 'config' }), pending: 'active' }
}

function deleteCompute(draft: Draft, compute: Compute): Outcome {
  const refusal = conflictOf(draft, compute)
  if (refusal) return refusal
  const { draft: dropped, compute: last } = dropCompute(draft, compute)
  return accept(dropped, last)
}

/** Removes a compute at once: refuses clients, moves the usage to the project, stops the server. */
export function dropCompute(draft: Draft, compute: Compute): Readonly<{ draft: Draft; compute: Compute }> {
  const { id: endpointId, branchId } = compute
  const { now, sessions } = draft.context
  const { meter, interval } = closeMeter(compute.meter, now)
  const effects: Effect[] = [refuseUnknown(endpointId), { kind: 'drop-connections', endpointId }]
  const stop = { kind: 'stop-process', endpointId, grace: 0 } as const
  if (interval) {
    const ended: Stop = { at: now, why: 'deleted', ...sessions(endpointId) }
    effects.push({ kind: 'write-stop', endpointId, stop: ended })
    effects.push({ kind: 'write-interval', endpointId, interval }, stop)
  }
  // it has data and a slot of its own
  if (compute.type === 'read_only') effects.push({ kind: 'remove-replica', endpointId, branchId })
  const { computes, spent } = draft.project
  const without = withProject(draft, {
    computes: computes.filter(({ id }) => id !== endpointId),
    spent: addUsage(spent, meter),
  })
  return { draft: withEffects(without, ...effects), compute: { ...compute, meter } }
}

function startCompute(draft: Draft, compute: Compute): Outcome {
  if (compute.config.disabled) return refuse(422, `endpoint ${compute.id} is disabled`)
  const steps: PlannedActions =
    compute.state === 'active' ? [] : [['start_compute', { kind: 'start', cause: { kind: 'api' } }]]
  return conflictOf(draft, compute) ?? quotaRefusal(draft) ?? schedule(draft, subjectOf(compute), steps)
}

function suspendCompute(draft: Draft, compute: Compute): Outcome {
  const steps: PlannedActions =
    compute.state === 'active' ? [['suspend_compute', { kind: 'suspend', why: 'suspend-call' }]] : []
  return conflictOf(draft, compute) ?? schedule(draft, subjectOf(compute), steps)
}

/** The switch `restartIdle` decides about idle ones. */
function restartCompute(draft: Draft, compute: Compute): Outcome {
  const conflict = conflictOf(draft, compute)
  if (conflict) return conflict
  const { restartIdle } = draft.context.settings.errors
  if (compute.state === 'active')
    return schedule(draft, subjectOf(compute), [
      ['suspend_compute', { kind: 'suspend', why: 'restart-call' }],
      ['start_compute', { kind: 'start', cause: { kind: 'api' } }],
    ])
  if (restartIdle === 'starts') return startCompute(draft, compute)
  const message = `endpoint ${compute.id} is ${compute.state}: only an active endpoint can be restarted, start it instead`
  return refuse(restartIdle, message)
}
