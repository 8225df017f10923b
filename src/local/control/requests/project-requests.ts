// Requests for projects: their settings, and their deletion.
import { type Answered, answerDone, refuseRequest } from './answers.ts'
import { NO_DEFAULTS, completeConfig } from '../config.ts'
import { type Draft, withEffects, withProject } from '../draft.ts'
import type { Effect, ProjectRequest, Refusal, Settings } from '../events.ts'
import { calendarMonth } from '../usage/month.ts'
import type { Branch, Catalogue, ComputeDefaults, Project } from '../project.ts'
import { dropCompute } from './compute-requests.ts'
import { configRefusal, conflictOf, storedDelay } from './validation.ts'

type Update = Extract<ProjectRequest, { kind: 'update-project' }>

export function applyProjectRequest(draft: Draft, request: ProjectRequest): Answered {
  if (request.kind === 'update-project') return updateProject(draft, request)
  const { project } = draft
  const conflict = conflictOf(project, undefined)
  if (conflict) return refuseRequest(draft, conflict)
  const withoutComputes = project.computes.reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const removals = project.branches.map(({ id }): Effect => ({ kind: 'remove-branch', branchId: id }))
  return answerDone(withEffects(withoutComputes, ...removals))
}

/** Updates settings, which needs no operation and therefore conflicts with none. Absent fields stay. */
function updateProject(draft: Draft, request: Update): Answered {
  const { project, context } = draft
  const defaults = { ...project.defaults, ...request.defaults }
  const refusal = defaultsRefusal(defaults, context.settings)
  if (refusal) return refuseRequest(draft, refusal)
  return answerDone(
    withProject(draft, {
      name: request.name ?? project.name,
      quota: { ...project.quota, ...request.quota },
      defaults: { ...defaults, suspendTimeout: storedDelay(defaults.suspendTimeout, context.settings) },
      historyRetention: request.historyRetention ?? project.historyRetention,
    }),
  )
}

/** Reason why a project cannot have these defaults; undefined when it can. */
export function defaultsRefusal(defaults: ComputeDefaults, settings: Settings): Refusal | undefined {
  const config = completeConfig({ suspendTimeout: defaults.suspendTimeout }, { defaults }, settings)
  return configRefusal(config, settings, 'project.default_endpoint_settings')
}

export type NewProject = Pick<Project, 'id' | 'name'> &
  Partial<Pick<Project, 'storePasswords' | 'quota' | 'defaults' | 'historyRetention'>> & {
    readonly branch: Pick<Branch, 'id' | 'name'> & { readonly catalogue: Catalogue }
    readonly now: number
  }

/** A project with its default branch and no compute. */
export function newProject({ branch, now, ...project }: NewProject): Project {
  return {
    quota: {},
    defaults: NO_DEFAULTS,
    storePasswords: true,
    historyRetention: 0,
    ...project,
    createdAt: now,
    updatedAt: now,
    branches: [
      {
        ...branch,
        parentId: undefined,
        state: 'ready',
        protected: false,
        createdAt: now,
        updatedAt: now,
      },
    ],
    computes: [],
    queue: [],
    spent: { awakeMs: 0, cuMs: 0 },
    period: { from: calendarMonth(now).from, before: { awakeMs: 0, cuMs: 0 } },
  }
}
