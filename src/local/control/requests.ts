// What a client of the API may ask for, each request answered at once; the work follows in the queue.
import { type Draft, computeOf, enqueue, withCompute, withEffects } from './draft.ts'
import type { Answer, Effect, Refusal, Request } from './events.ts'
import { UNUSED, closeMeter } from './meter.ts'
import type { Action, Compute, ComputeConfig, Plan, Project, WakeCause } from './project.ts'
import { BY_CONFIG } from './queue.ts'
import { conflictOf, refusalOf } from './rules.ts'
import { DEFAULT_CU } from './sizes.ts'

type Answered = { readonly draft: Draft; readonly answer: Answer }
type Steps = readonly (readonly [Action, Plan])[]

const BY_API: WakeCause = { kind: 'api', applicationName: undefined, user: undefined }
const BY_CREATION: WakeCause = { kind: 'create', applicationName: undefined, user: undefined }

/** The configuration of a compute about which nothing was said. Default size: not in the interface. */
export const DEFAULT_CONFIG: ComputeConfig = {
  minCu: DEFAULT_CU,
  maxCu: DEFAULT_CU,
  suspendTimeout: 0,
  disabled: false,
  passwordless: true,
  provisioner: 'k8s-neonvm',
  name: undefined,
}

/** The draft with the request's operations queued but not begun, and the answer as of this instant. */
export function request(draft: Draft, asked: Request): Answered {
  if (asked.kind === 'create') return create(draft, asked)
  const compute = computeOf(draft.project, asked.endpointId)
  if (!compute) return refuse(draft, { status: 404, message: `endpoint not found: ${asked.endpointId}` })
  switch (asked.kind) {
    case 'update':
      return update(draft, compute, asked.changes)
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

const refuse = (draft: Draft, refusal: Refusal): Answered => ({ draft, answer: { ok: false, refusal } })

/** Queues `steps` for a compute of the draft and answers with its record and exactly these operations. */
function schedule(draft: Draft, endpointId: string, steps: Steps): Answered {
  const before = computeOf(draft.project, endpointId)
  if (!before) return refuse(draft, { status: 404, message: `endpoint not found: ${endpointId}` })
  const queued = steps.length > 0 ? enqueue(draft, before, steps) : draft
  const operations = queued.project.queue.slice(draft.project.queue.length).map(({ operation }) => operation)
  return { draft: queued, answer: { ok: true, compute: before, operations } }
}

function create(draft: Draft, asked: Request & { kind: 'create' }): Answered {
  const { now, settings } = draft.context
  const config = completeConfig(asked.config)
  const refusal =
    refusalOf(config, settings) ??
    branchRefusal(draft.project, asked.branchId) ??
    conflictOf(draft.project, undefined)
  if (refusal) return refuse(draft, refusal)
  const compute: Compute = {
    id: asked.endpointId,
    branchId: asked.branchId,
    config,
    createdAt: now,
    updatedAt: now,
    state: config.disabled ? 'idle' : 'init',
    pending: config.disabled ? undefined : 'active',
    startedAt: undefined,
    suspendedAt: undefined,
    activity: { settled: undefined, recent: [] },
    wanted: undefined,
    meter: UNUSED,
  }
  const grown = { ...draft, project: { ...draft.project, computes: [...draft.project.computes, compute] } }
  return schedule(
    grown,
    compute.id,
    config.disabled ? [] : [['start_compute', { kind: 'start', cause: BY_CREATION }]],
  )
}

/** One limit alone is a fixed size of that many CU. */
function completeConfig(asked: Partial<ComputeConfig>): ComputeConfig {
  const minCu = asked.minCu ?? asked.maxCu ?? DEFAULT_CONFIG.minCu
  return { ...DEFAULT_CONFIG, ...asked, minCu, maxCu: asked.maxCu ?? minCu }
}

function branchRefusal({ branches, computes }: Project, branchId: string): Refusal | undefined {
  if (!branches.some(({ id }) => id === branchId))
    return { status: 404, message: `branch not found: ${branchId}` }
  if (!computes.some((compute) => compute.branchId === branchId)) return undefined
  return { status: 409, message: `branch ${branchId} already has a read-write endpoint` }
}

function update(draft: Draft, compute: Compute, changes: Partial<ComputeConfig>): Answered {
  const config = { ...compute.config, ...changes }
  const refusal = refusalOf(config, draft.context.settings) ?? conflictOf(draft.project, compute)
  if (refusal) return refuse(draft, refusal)
  const { steps, pending } = stepsOfUpdate(compute, config, draft.context.settings.patchWakesIdle)
  return schedule(withCompute(draft, compute.id, { config, pending }), compute.id, steps)
}

/** The two operations every change shows (S-58); `plan` is what the second one really does. */
const follow = (plan: Plan): Steps => [
  ['apply_config', { kind: 'configure' }],
  ['suspend_compute', plan],
]

/** What follows from a change (S-57, S-58, S-64 to S-68, S-116): `pending` is what the record shows meanwhile. */
function stepsOfUpdate(
  compute: Compute,
  config: ComputeConfig,
  patchWakesIdle: boolean,
): { readonly steps: Steps; readonly pending: Compute['pending'] } {
  const resized = config.minCu !== compute.config.minCu || config.maxCu !== compute.config.maxCu
  if (compute.state === 'active') {
    if (config.disabled) return { steps: follow({ kind: 'suspend', restart: undefined }), pending: 'idle' }
    if (resized) return { steps: follow({ kind: 'suspend', restart: BY_CONFIG }), pending: 'idle' }
    return { steps: follow({ kind: 'skip' }), pending: undefined }
  }
  if (!patchWakesIdle) return { steps: [], pending: undefined }
  if (config.disabled) return { steps: follow({ kind: 'skip' }), pending: undefined }
  return { steps: follow({ kind: 'suspend-unless-used' }), pending: 'active' }
}

function remove(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuse(draft, refusal)
  const { id: endpointId } = compute
  const { meter, interval } = closeMeter(compute.meter, draft.context.now)
  const effects: Effect[] = [
    { kind: 'refuse-clients', endpointId, because: `endpoint not found: ${endpointId}` },
    { kind: 'drop-connections', endpointId },
  ]
  if (interval)
    effects.push({ kind: 'write-interval', endpointId, interval }, { kind: 'stop-process', endpointId })
  const { computes, spent } = draft.project
  const project = {
    ...draft.project,
    updatedAt: draft.context.now,
    computes: computes.filter(({ id }) => id !== endpointId),
    spent: { awakeMs: spent.awakeMs + meter.awakeMs, cuMs: spent.cuMs + meter.cuMs },
  }
  const gone: Draft = withEffects({ ...draft, project }, ...effects)
  return { draft: gone, answer: { ok: true, compute: { ...compute, meter }, operations: [] } }
}

function start(draft: Draft, compute: Compute): Answered {
  if (compute.config.disabled)
    return refuse(draft, { status: 422, message: `endpoint ${compute.id} is disabled` })
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuse(draft, refusal)
  return schedule(
    draft,
    compute.id,
    compute.state === 'active' ? [] : [['start_compute', { kind: 'start', cause: BY_API }]],
  )
}

function suspend(draft: Draft, compute: Compute): Answered {
  const refusal = conflictOf(draft.project, compute)
  if (refusal) return refuse(draft, refusal)
  return schedule(
    draft,
    compute.id,
    compute.state === 'active' ? [['suspend_compute', { kind: 'suspend', restart: undefined }]] : [],
  )
}

/** Works on an active compute only. */
function restart(draft: Draft, compute: Compute): Answered {
  const conflict = conflictOf(draft.project, compute)
  if (conflict) return refuse(draft, conflict)
  if (compute.state !== 'active') {
    const message = `endpoint ${compute.id} is ${compute.state}: only an active endpoint can be restarted, start it instead`
    return refuse(draft, { status: 422, message })
  }
  return schedule(draft, compute.id, [
    ['suspend_compute', { kind: 'suspend', restart: undefined }],
    ['start_compute', { kind: 'start', cause: BY_API }],
  ])
}
