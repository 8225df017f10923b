import type { Context, Event, Settings, StepResult } from '../../../src/local/control/events.ts'
import { UNUSED } from '../../../src/local/control/usage/meter.ts'
import type { Catalogue, Compute, ComputeConfig, Project } from '../../../src/local/control/project.ts'
import { DEFAULT_BEHAVIOUR } from '../../../src/local/control/behaviour.ts'
import { DEFAULT_CONFIG } from '../../../src/local/control/config.ts'
import { newProject } from '../../../src/local/control/requests/project-requests.ts'
import { step } from '../../../src/local/control/step.ts'

/** 2026-01-05T00:00:00Z. */
export const START = Date.UTC(2026, 0, 5)

export const settings = (changes: Partial<Settings> = {}): Settings => ({
  plan: 'scale',
  preset: 'interface',
  ...DEFAULT_BEHAVIOUR,
  ...changes,
})

/** A compute that is active since START. */
export const compute = (changes: Partial<Compute> = {}, config: Partial<ComputeConfig> = {}): Compute => ({
  id: 'ep-one',
  type: 'read_write',
  branchId: 'br-one',
  config: { ...DEFAULT_CONFIG, ...config },
  createdAt: START,
  updatedAt: START,
  state: 'active',
  pending: undefined,
  startedAt: START,
  suspendedAt: undefined,
  activity: { settled: START, recent: [] },
  wanted: undefined,
  release: undefined,
  checks: 0,
  meter: { ...UNUSED, open: { from: START, cu: 0.25, branchId: 'br-one' } },
  ...changes,
})

/** A compute that is idle since START. */
export const sleeping = (config: Partial<ComputeConfig> = {}): Compute =>
  compute({ state: 'idle', startedAt: undefined, suspendedAt: START, meter: UNUSED }, config)

const ROLE = { name: 'app_owner', password: 'secret', createdAt: START, updatedAt: START }

/** Roles and databases of a new branch. */
export const CATALOGUE: Catalogue = {
  roles: [ROLE],
  databases: [{ id: 1, name: 'app', owner: 'app_owner', createdAt: START, updatedAt: START }],
  dropped: { roles: [], databases: [] },
  revision: 1,
}

/** Two branches; the first is the default. */
export function project(computes: readonly Compute[] = [compute()], changes: Partial<Project> = {}): Project {
  const branch = { id: 'br-one', name: 'main', catalogue: CATALOGUE }
  const made = newProject({ id: 'project-one', name: 'one', branch, now: START })
  const other = made.branches.map((main) => ({ ...main, id: 'br-two', name: 'other', parentId: 'br-one' }))
  return { ...made, branches: [...made.branches, ...other], computes, ...changes }
}

/** A context at `seconds` after START whose operation ids count up. */
export function context(seconds = 0, changes: Partial<Settings> = {}): Context {
  let number = 0
  return {
    now: START + seconds * 1000,
    settings: settings(changes),
    sessions: () => ({ open: 0, openPooled: 0, working: 0 }),
    operationId: () => {
      number += 1
      return `operation-${seconds}-${number}`
    },
  }
}

/** Applies events, each with its second after START. */
export function play(
  first: Project,
  events: readonly (readonly [number, Event])[],
  changes: Partial<Settings> = {},
): StepResult & { readonly results: readonly StepResult[] } {
  const results: StepResult[] = []
  for (const [at, event] of events) {
    results.push(step(results.at(-1)?.project ?? first, event, context(at, changes)))
  }
  const last = results.at(-1) ?? { project: first, effects: [], answer: undefined, wakeAt: undefined }
  return { ...last, results }
}
