import { type Outcome, type RequestHandlers, accept } from './answers.ts'
import { NO_DEFAULTS, completeConfig } from '../config.ts'
import { type Draft, withEffects, withProject } from '../draft.ts'
import type { Effect, Refusal, Request, Settings } from '../events.ts'
import { NO_USAGE } from '../usage/meter.ts'
import { calendarMonth } from '../usage/month.ts'
import { type Branch, type ComputeDefaults, type Project, datedAt } from '../project.ts'
import { dropCompute } from './compute-requests.ts'
import { configRefusal, conflictOf, storedDelay } from './validation.ts'

export const PROJECT_REQUESTS = {
  'update-project': updateProject,
  'announce-update': announceUpdate,
  'delete-project': deleteProject,
} satisfies Partial<RequestHandlers>

/** Needs no operation, so it conflicts with none. */
function updateProject(draft: Draft, request: Request<'update-project'>): Outcome {
  const { project, context } = draft
  const defaults = { ...project.defaults, ...request.defaults }
  const updated = withProject(draft, {
    name: request.name ?? project.name,
    quota: { ...project.quota, ...request.quota },
    defaults: { ...defaults, suspendTimeout: storedDelay(defaults.suspendTimeout, context.settings) },
    historyRetention: request.historyRetention ?? project.historyRetention,
    maintenanceWindow: request.maintenanceWindow ?? project.maintenanceWindow,
  })
  return defaultsRefusal(defaults, context.settings, project.defaults) ?? accept(updated, undefined, [])
}

/** An update that is moved stays announced since it first was. */
function announceUpdate(draft: Draft, { scheduledFor }: Request<'announce-update'>): Outcome {
  const announcedAt = draft.project.update?.announcedAt ?? draft.context.now
  const update = scheduledFor === undefined ? undefined : { scheduledFor, announcedAt }
  return accept(withProject(draft, { update }), undefined, [])
}

function deleteProject(draft: Draft): Outcome {
  const refusal = conflictOf(draft)
  if (refusal) return refusal
  const { computes, branches } = draft.project
  const withoutComputes = computes.reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const removals = branches.map(({ id }): Effect => ({ kind: 'remove-branch', branchId: id }))
  return accept(withEffects(withoutComputes, ...removals))
}

/** @param before of an update: what stays as it is, is allowed */
export function defaultsRefusal(
  defaults: ComputeDefaults,
  settings: Settings,
  before?: ComputeDefaults,
): Refusal | undefined {
  const complete = (given: ComputeDefaults) =>
    completeConfig({ suspendTimeout: given.suspendTimeout }, { defaults: given }, settings)
  return configRefusal(complete(defaults), settings, {
    field: 'project.default_endpoint_settings',
    ...(before && { before: complete(before) }),
  })
}

type NewProject = Pick<Project, 'id' | 'name'> &
  Partial<Pick<Project, 'storePasswords' | 'quota' | 'defaults' | 'historyRetention' | 'maintenanceWindow'>> &
  Readonly<{ branch: Pick<Branch, 'id' | 'name' | 'catalogue'>; now: number }>

/** A project with its default branch and no compute. */
export function newProject({ branch, now, ...project }: NewProject): Project {
  const dates = datedAt(now)
  return {
    quota: {},
    defaults: NO_DEFAULTS,
    storePasswords: true,
    historyRetention: 0,
    maintenanceWindow: undefined,
    update: undefined,
    ...project,
    ...dates,
    branches: [{ ...branch, parentId: undefined, state: 'ready', protected: false, ...dates }],
    computes: [],
    queue: [],
    spent: NO_USAGE,
    period: { from: calendarMonth(now).from, before: NO_USAGE },
  }
}
