// A past for the service: projects whose computes people and programs used for weeks, lived through by the rules of
// control/ on a virtual clock. Nothing of it is made up as a record; the records follow from what happened.
import type { UseRecord } from '../control/usage/usage.ts'
import { DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import type { Settings } from '../control/events.ts'
import type { Operation, Project } from '../control/project.ts'
import { type Latencies, type SimulationOptions, createSimulation } from '../control/simulation/simulation.ts'
import { type ProjectLife, type HistoryOptions, projectLife } from './project-life.ts'

/** A project as the past left it. */
export type GeneratedProject = {
  readonly project: Project
  /** Oldest first. */
  readonly operations: readonly Operation[]
  readonly uses: readonly UseRecord[]
}

/** How the service behaves while it makes a past: it also checks computes that nobody has used for a day. */
const PAST_BEHAVIOUR = {
  availabilityCheck: { first: 86_400, growth: 2 },
  faults: { failingOperations: { next: 0, retryIn: 20 } },
} as const

/** The same for a service whose past goes on; its counters lag as they do in the cloud (service-facts 6). */
export const LIVED_BEHAVIOUR = { ...PAST_BEHAVIOUR, countersLag: 900 } as const

/** How long simulated work takes, ms; a start takes its wake latency in addition. */
const PAST_LATENCIES: Latencies = { start: 300, stop: 400, configure: 200 }

/** Makes the projects one by one: only the one at hand is in memory. The same options give the same, ids included. */
export function* generateProjects(options: HistoryOptions): Generator<GeneratedProject> {
  for (let number = 0; number < options.projects; number += 1) {
    const lived = liveThrough(projectLife(number, options), options)
    if (lived) yield lived
  }
}

type Lives = Required<
  Pick<SimulationOptions, 'latencies' | 'scripts' | 'wakeLatency' | 'takeFailure' | 'takeError'>
>

/** The lives of all projects at once, for a simulation that goes on when the past is over. */
export function projectLives(options: HistoryOptions): Lives {
  const lives = Array.from({ length: options.projects }, (_, number) => projectLife(number, options))
  const byId = new Map(lives.map((life) => [life.projectId, life]))
  return {
    latencies: PAST_LATENCIES,
    scripts: lives.flatMap(({ scripts }) => scripts),
    wakeLatency: (projectId) => byId.get(projectId)?.wakeLatency() ?? 0,
    takeFailure: (projectId) => byId.get(projectId)?.takeFailure() ?? false,
    takeError: (projectId) => byId.get(projectId)?.takeError(),
  }
}

function liveThrough(life: ProjectLife, { from, to, plan }: HistoryOptions): GeneratedProject | undefined {
  const settings: Settings = {
    ...DEFAULT_BEHAVIOUR,
    ...PAST_BEHAVIOUR,
    faults: { ...DEFAULT_BEHAVIOUR.faults, ...PAST_BEHAVIOUR.faults },
    plan,
  }
  const simulation = createSimulation({
    projects: [],
    from,
    settings: () => settings,
    latencies: PAST_LATENCIES,
    activity: new Map(),
    scripts: life.scripts,
    wakeLatency: life.wakeLatency,
    takeFailure: life.takeFailure,
    takeError: life.takeError,
  })
  simulation.advance(to)
  const project = simulation.project(life.projectId)
  if (!project) return undefined
  const newest = simulation.operations(project.id, Infinity, undefined) ?? []
  return { project, operations: newest.toReversed(), uses: simulation.uses() }
}
