// What a client of the API may ask for, each request answered at once; the work follows in the queue.
import { type Answered, refuseRequest, schedule } from './answers.ts'
import { branchRequest } from './branch-requests.ts'
import { catalogueRequest } from './catalogue-requests.ts'
import { completeConfig, isDisruptive } from '../config.ts'
import {
  type Draft,
  type PlannedActions,
  computeOf,
  subjectOf,
  withCompute,
  withEffects,
  withProject,
} from '../draft.ts'
import type { ComputeRequest, Effect, NewCompute, Refusal, Request } from '../events.ts'
import { UNUSED, closeMeter } from '../usage/meter.ts'
import type { Compute, ComputeConfig, Plan, WakeCause } from '../project.ts'
import { projectRequest } from './project-requests.ts'
import { BY_CONFIG } from '../queue/queue.ts'
import { exceededQuota } from '../usage/quota.ts'
import { cleanUpEffects, placeRefusal } from './replicas.ts'
import { conflictOf, storedDelay, quotaRefusal, configRefusal } from './validation.ts'

const BY_API: WakeCause = { kind: 'api', applicationName: undefined, user: undefined }
const BY_CREATION: WakeCause = { kind: 'create', applicationName: undefined, user: undefined }

/** The draft with the request's operations queued but not begun, and the answer as of this instant. */
export function applyRequest(draft: Draft, asked: Request): Answered {
  switch (asked.kind) {
    case 'create':
    case 'update':
    case 'delete':
    case 'start':
    case 'suspend':
    case 'restart':
      return computeRequest(draft, asked)
    case 'create-branch':
    case 'update-branch':
    case 'delete-branch':
      return branchRequest(draft, asked, { addCompute, dropCompute })
    case 'create-role':
    case 'reset-password':
    case 'delete-role':
    case 'create-database':
    case 'delete-database':
      return catalogueRequest(draft, asked)
    case 'update-project':
    case 'delete-project':
      return projectRequest(draft, asked, dropCompute)
  }
}

function computeRequest(draft: Draft, asked: ComputeRequest): Answered {
  if (asked.kind === 'create') return create(draft, asked)
  const compute = computeOf(draft.project, asked.endpointId)
  if (!compute)
    return refuseRequest(draft, { status: 404, message: `endpoint not found: ${asked.endpointId}` })
  switch (asked.kind) {
    case 'update':
      return update(draft, compute, asked)
    case 'delete':
      return remove(draft, compute)
    case 'start':
      return start(draft, compute)
    case 'suspend':
      return suspend(draft, compute)
    case 'restart':
      return restart(draft, compute)
  }
}

function create(draft: Draft, asked: ComputeRequest & { kind: 'create' }): Answered {
  const { project, context } = draft
  const config = completeConfig(asked.config, project, context.settings)
  const refusal: Refusal | undefined =
    configRefusal(config, context.settings) ??
    placeRefusal(project, { type: asked.type ?? 'read_write', branchId: asked.branchId }, context.settings) ??
    (computeOf(project, asked.endpointId) && {
      status: 409,
      message: `endpoint ${asked.endpointId} exists`,
    }) ??
    conflictOf(project, undefined) ??
    (config.disabled ? undefined : quotaRefusal(project, context.now, context.settings))
  if (refusal) return refuseRequest(draft, refusal)
  const { draft: grown, steps } = addCompute(draft, asked.branchId, asked)
  return schedule(grown, { branchId: asked.branchId, endpointId: asked.endpointId }, steps)
}

/** Adds a compute that was found to be in order, and says what is to be done for it. */
function addCompute(
  draft: Draft,
  branchId: string,
  asked: NewCompute,
): { readonly draft: Draft; readonly steps: PlannedActions } {
  const { now, settings } = draft.context
  const config = completeConfig(asked.config, draft.project, settings)
  const compute: Compute = {
    id: asked.endpointId,
    type: asked.type ?? 'read_write',
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
    steps: config.disabled ? [] : [['start_compute', { kind: 'start', cause: BY_CREATION }]],
  }
}

function update(draft: Draft, compute: Compute, asked: ComputeRequest & { kind: 'update' }): Answered {
  const { project, context } = draft
  const { settings } = context
  const merged = { ...compute.config, ...asked.changes }
  const config = { ...merged, suspendTimeout: storedDelay(merged.suspendTimeout, settings) }
  const branchId = asked.branchId ?? compute.branchId
  const refusal =
    configRefusal(config, settings) ??
    (branchId === compute.branchId
      ? undefined
      : placeRefusal(project, { type: compute.type, branchId }, settings)) ??
    conflictOf(project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  const disruptive = isDisruptive(compute, { config, branchId }, { asked: asked.changes, settings })
  const { steps, pending } = stepsOfUpdate(draft, compute, { config, disruptive })
  const changed = withCompute(draft, compute.id, { config, branchId, pending })
  return schedule(changed, { branchId, endpointId: compute.id }, steps)
}

/** The two operations every change shows (S-58); `plan` is what the second one really does. */
const follow = (plan: Plan, ...more: PlannedActions): PlannedActions => [
  ['apply_config', { kind: 'configure' }],
  ['suspend_compute', plan],
  ...more,
]

type StepsOfUpdate = { readonly steps: PlannedActions; readonly pending: Compute['pending'] }

/** What follows from a change (S-57, S-58, S-64 to S-68, S-116): `pending` is what the record shows meanwhile. */
function stepsOfUpdate(
  { project, context }: Draft,
  compute: Compute,
  { config, disruptive }: { readonly config: ComputeConfig; readonly disruptive: boolean },
): StepsOfUpdate {
  if (compute.state === 'active')
    return stepsWhileActive(config, disruptive, context.settings.patchListsStart)
  if (!context.settings.patchWakesIdle || compute.state === 'init')
    return { steps: [], pending: compute.pending }
  if (config.disabled || exceededQuota(project, context.now))
    return { steps: follow({ kind: 'skip' }), pending: undefined }
  return { steps: follow({ kind: 'suspend-unless-used' }), pending: 'active' }
}

function stepsWhileActive(config: ComputeConfig, disruptive: boolean, listsStart: boolean): StepsOfUpdate {
  if (config.disabled)
    return { steps: follow({ kind: 'suspend', restart: undefined, asked: false }), pending: 'idle' }
  if (!disruptive) return { steps: follow({ kind: 'skip' }), pending: undefined }
  if (!listsStart)
    return { steps: follow({ kind: 'suspend', restart: BY_CONFIG, asked: false }), pending: 'idle' }
  const again: Plan = { kind: 'start', cause: BY_CONFIG }
  return {
    steps: follow({ kind: 'suspend', restart: undefined, asked: false }, ['start_compute', again]),
    pending: 'idle',
  }
}

function remove(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  const { draft: gone, compute: last } = dropCompute(draft, compute)
  return { draft: gone, answer: { ok: true, project: gone.project, compute: last, operations: [] } }
}

/** Takes a compute out at once: its clients are told, its use stays with the project, its server ends. */
function dropCompute(draft: Draft, compute: Compute): { readonly draft: Draft; readonly compute: Compute } {
  const { id: endpointId } = compute
  const { meter, interval } = closeMeter(compute.meter, draft.context.now)
  const effects: Effect[] = [
    { kind: 'refuse-clients', endpointId, because: `endpoint not found: ${endpointId}` },
    { kind: 'drop-connections', endpointId },
  ]
  if (interval) {
    effects.push(
      { kind: 'write-interval', endpointId, interval },
      { kind: 'stop-process', endpointId, grace: 0 },
    )
  }
  const { computes, spent } = draft.project
  const without = withProject(draft, {
    computes: computes.filter(({ id }) => id !== endpointId),
    spent: { awakeMs: spent.awakeMs + meter.awakeMs, cuMs: spent.cuMs + meter.cuMs },
  })
  return {
    draft: withEffects(without, ...effects, ...cleanUpEffects(compute)),
    compute: { ...compute, meter },
  }
}

function start(draft: Draft, compute: Compute): Answered {
  if (compute.config.disabled)
    return refuseRequest(draft, { status: 422, message: `endpoint ${compute.id} is disabled` })
  const { now, settings } = draft.context
  const refusal = conflictOf(draft.project, compute) ?? quotaRefusal(draft.project, now, settings)
  if (refusal) return refuseRequest(draft, refusal)
  return schedule(
    draft,
    subjectOf(compute),
    compute.state === 'active' ? [] : [['start_compute', { kind: 'start', cause: BY_API }]],
  )
}

function suspend(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuseRequest(draft, refusal)
  return schedule(
    draft,
    subjectOf(compute),
    compute.state === 'active'
      ? [['suspend_compute', { kind: 'suspend', restart: undefined, asked: true }]]
      : [],
  )
}

/** Works on an active compute; what it does to another one is Q-07. */
function restart(draft: Draft, compute: Compute): Answered {
  const conflict = conflictOf(draft.project, compute)
  if (conflict) return refuseRequest(draft, conflict)
  const { restartIdle } = draft.context.settings.errors
  if (compute.state !== 'active') {
    if (restartIdle === 'starts') return start(draft, compute)
    const message = `endpoint ${compute.id} is ${compute.state}: only an active endpoint can be restarted, start it instead`
    return refuseRequest(draft, { status: restartIdle, message })
  }
  return schedule(draft, subjectOf(compute), [
    ['suspend_compute', { kind: 'suspend', restart: undefined, asked: false }],
    ['start_compute', { kind: 'start', cause: BY_API }],
  ])
}
