// Projects: their settings, and their end.
import { type Answered, answerDone, refuseRequest } from './answers.ts'
import { NO_DEFAULTS, completeConfig } from '../config.ts'
import { type Draft, withEffects, withProject } from '../draft.ts'
import type { Effect, ProjectRequest, Refusal, Settings } from '../events.ts'
import { calendarMonth } from '../usage/month.ts'
import type { Branch, Catalogue, Compute, ComputeDefaults, Project } from '../project.ts'
import { conflictOf, storedDelay, configRefusal } from './validation.ts'

type Update = Extract<ProjectRequest, { kind: 'update-project' }>

export function projectRequest(
  draft: Draft,
  asked: ProjectRequest,
  dropCompute: (draft: Draft, compute: Compute) => { readonly draft: Draft },
): Answered {
  if (asked.kind === 'update-project') return update(draft, asked)
  const conflict = conflictOf(draft.project, undefined)
  if (conflict) return refuseRequest(draft, conflict)
  const emptied = draft.project.computes.reduce((next, compute) => dropCompute(next, compute).draft, draft)
  const removed = draft.project.branches.map(({ id }): Effect => ({ kind: 'remove-branch', branchId: id }))
  return answerDone(withEffects(emptied, ...removed))
}

/** Settings need no work, so nothing conflicts with them. What is not said stays. */
function update(draft: Draft, asked: Update): Answered {
  const { project, context } = draft
  const said = { ...project.defaults, ...asked.defaults }
  const refusal = defaultsRefusal(said, context.settings)
  if (refusal) return refuseRequest(draft, refusal)
  return answerDone(
    withProject(draft, {
      name: asked.name ?? project.name,
      quota: { ...project.quota, ...asked.quota },
      defaults: { ...said, suspendTimeout: storedDelay(said.suspendTimeout, context.settings) },
      historyRetention: asked.historyRetention ?? project.historyRetention,
    }),
  )
}

/** Why a project cannot have these defaults; undefined when it can. */
export function defaultsRefusal(defaults: ComputeDefaults, settings: Settings): Refusal | undefined {
  const config = completeConfig({ suspendTimeout: defaults.suspendTimeout }, { defaults }, settings)
  return configRefusal(config, settings, 'project.default_endpoint_settings')
}

export type NewProject = Pick<Project, 'id' | 'name'> &
  Partial<Pick<Project, 'storePasswords' | 'quota' | 'defaults' | 'historyRetention'>> & {
    readonly branch: Pick<Branch, 'id' | 'name'> & { readonly catalogue: Catalogue }
    readonly now: number
  }

/** A project with its default branch and no compute yet. */
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
