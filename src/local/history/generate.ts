// A generated history: weeks of use by people and programs, simulated by the rules of control/ on a virtual clock.
import type { UseRecord } from '../control/usage/usage.ts'
import { DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import type { Settings } from '../control/events.ts'
import type { Operation, Project } from '../control/project.ts'
import { type Latencies, createSimulation } from '../control/simulation/simulation.ts'
import { type ProjectLife, type HistoryOptions, projectLife } from './project-life.ts'

/** A project at the end of its history. */
export type GeneratedProject = Readonly<{
  project: Project
  /** Oldest first. */
  operations: readonly Operation[]
  uses: readonly UseRecord[]
}>

/** Checks availability after a day without use. */
const SIMULATED_BEHAVIOUR = {
  availabilityCheck: { first: 86_400, growth: 2 },
  faults: { failingOperations: { next: 0, retryIn: 20 } },
} as const

/** Behaviour after a history: counters lag as in the cloud (service-facts 6). */
export const HISTORY_BEHAVIOUR = { ...SIMULATED_BEHAVIOUR, countersLag: 900 } as const

/** ms. A start takes its wake latency in addition. */
export const LATENCIES: Latencies = { start: 300, stop: 400, configure: 200 }

/** Generates projects one by one, so that only one is in memory. Equal options give equal projects, ids included. */
export function* generateProjects(options: HistoryOptions): Generator<GeneratedProject> {
  for (let number = 0; number < options.projects; number += 1) {
    const generated = simulateLife(projectLife(number, options), options)
    if (generated) yield generated
  }
}

function simulateLife(
  life: ProjectLife,
  { from, to, plan, preset, delayBelowMinimum }: HistoryOptions,
): GeneratedProject | undefined {
  const settings: Settings = {
    ...DEFAULT_BEHAVIOUR,
    ...SIMULATED_BEHAVIOUR,
    ...(delayBelowMinimum && { delayBelowMinimum }),
    faults: { ...DEFAULT_BEHAVIOUR.faults, ...SIMULATED_BEHAVIOUR.faults },
    plan,
    preset,
  }
  const simulation = createSimulation({ ...life, from, settings: () => settings, latencies: LATENCIES })
  simulation.advance(to)
  const project = simulation.project(life.projectId)
  if (!project) return undefined
  const newest = simulation.operations(project.id, Infinity, undefined) ?? []
  return { project, operations: newest.toReversed(), uses: simulation.uses() }
}
