// A project of a generated history: settings, clients, failures.
import { newProject } from '../control/requests/project-requests.ts'
import type { Catalogue } from '../control/project.ts'
import type { PlanAndPreset } from '../control/sizing/plans.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import { type Chance, createChance } from './chance.ts'
import { clientEvents } from './clients.ts'
import { settingChanges, extraBranches, previewBranches } from './user-actions.ts'
import { KINDS, type Kind, USES, chooseDelay, chooseSizing } from './kinds.ts'
import { HOUR, MINUTE } from './sessions.ts'

export type HistoryOptions = PlanAndPreset &
  Readonly<{
    seed: number
    projects: number
    /** `[from, to)`, ms. */
    from: number
    to: number
    /** Catalogue of the default branch of a project created at `now`, ms. */
    catalogueOf: (now: number) => Catalogue
  }>

/** Endless events, and the service's random behaviour. */
export type ProjectLife = Readonly<{
  projectId: string
  scripts: readonly Iterable<SimulatedEvent>[]
  /** 1,000 to 3,000 ms. */
  wakeLatency: () => number
  takeFailure: () => boolean
  takeError: () => string | undefined
}>

/** Share of operations that fail at first; of starts that fail for good. */
const FAILURES = 0.002
const ERRORS = 0.001

/** Does not depend on the other projects. */
export function projectLife(number: number, options: HistoryOptions): ProjectLife {
  const { seed, from, to, plan, preset } = options
  const subscription = { plan, preset }
  const chanceOf = (part: string) => createChance(`${seed}/${number}/${part}`)
  const chance = chanceOf('project')
  const kind = KINDS[number] ?? chooseKind(chance)
  const projectId = `local-${chance.text(12)}`
  const branchId = `br-${chance.text(12)}`
  const endpointId = `ep-${chance.text(12)}`
  const isOld = number < KINDS.length || chance.happens(0.7)
  const at = Math.round(from + (isOld ? 6 * HOUR : 0.9 * (to - from)) * chance.uniform())
  const config = {
    ...chooseSizing(subscription, chance),
    suspendTimeout: chooseDelay(kind, subscription, chance),
  }
  const name = `${chance.pick(USES[kind].names)}-${number + 1}`
  const branch = { id: branchId, name: 'main', catalogue: options.catalogueOf(at) }
  const project = newProject({ id: projectId, name, branch, now: at })
  const request = { kind: 'create', endpointId, branchId, config } as const
  const branchRef = { projectId, branchId, endpointId, subscription }
  const use = kind === 'preview' ? 'rare' : kind
  const [latency, failure, error] = [chanceOf('latency'), chanceOf('failure'), chanceOf('error')]
  return {
    projectId,
    scripts: [
      [{ at, kind: 'create', project, request }],
      clientEvents({ endpointId, config, kind: use, from: at + MINUTE }, chanceOf('clients')),
      settingChanges(branchRef, at, chanceOf('changes')),
      ...extraBranches(branchRef, at, chanceOf('further')),
      ...(kind === 'preview' ? [previewBranches(branchRef, at, chanceOf('previews'))] : []),
    ],
    wakeLatency: () => Math.round(latency.between(1000, 3000)),
    takeFailure: () => failure.happens(FAILURES),
    takeError: () => (error.happens(ERRORS) ? 'no capacity left in this region, try again' : undefined),
  }
}

function chooseKind(chance: Chance): Kind {
  let remaining = 100 * chance.uniform()
  return KINDS.find((kind) => (remaining -= USES[kind].share) < 0) ?? 'office'
}
