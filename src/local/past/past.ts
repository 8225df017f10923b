// A past for the service: projects whose computes people and programs used for weeks, lived through by the rules of
// control/ on a virtual clock. Nothing of it is made up as a record; the records follow from what happened.
import type { UseRecord } from '../control/account.ts'
import { DEFAULT_BEHAVIOUR } from '../control/behaviour.ts'
import type { Settings } from '../control/events.ts'
import { newProject } from '../control/project-requests.ts'
import type { Catalogue, Operation, Project } from '../control/project.ts'
import {
  type Happening,
  type Latencies,
  type SimulationOptions,
  createSimulation,
} from '../control/simulated.ts'
import { type Chance, createChance } from './chance.ts'
import { clientsOf } from './clients.ts'
import { changesOf, furtherOf, previewsOf } from './people.ts'
import { KINDS, type Kind } from './sessions.ts'
import { delayOf, sizingOf } from './settings.ts'

export type PastOptions = {
  readonly seed: number
  readonly projects: number
  /** `[from, to)`, ms. */
  readonly from: number
  readonly to: number
  readonly plan: 'free' | 'paid'
  /** What the default branch of a project holds that is made now. */
  readonly catalogueOf: (now: number) => Catalogue
}

/** A project as the past left it. */
export type Lived = {
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

/** One operation of five hundred fails at first, and one start of a thousand for good. */
const FAILURES = 0.002
const ERRORS = 0.001

/** What happens to one project, without end, and the chance in how the service serves it. */
type Life = {
  readonly projectId: string
  readonly scripts: readonly Iterable<Happening>[]
  /** Extra time of the start that begins now, ms: 1 to 3 s. */
  readonly wakeLatency: () => number
  readonly takeFailure: () => boolean
  readonly takeError: () => string | undefined
}

/** Makes the projects one by one: only the one at hand is in memory. The same options give the same, ids included. */
export function* livedProjects(options: PastOptions): Generator<Lived> {
  for (let number = 0; number < options.projects; number += 1) {
    const lived = liveThrough(lifeOf(number, options), options)
    if (lived) yield lived
  }
}

type Lives = Required<
  Pick<SimulationOptions, 'latencies' | 'scripts' | 'wakeLatency' | 'takeFailure' | 'takeError'>
>

/** The lives of all projects at once, for a simulation that goes on when the past is over. */
export function livesOf(options: PastOptions): Lives {
  const lives = Array.from({ length: options.projects }, (_, number) => lifeOf(number, options))
  const byId = new Map(lives.map((life) => [life.projectId, life]))
  return {
    latencies: PAST_LATENCIES,
    scripts: lives.flatMap(({ scripts }) => scripts),
    wakeLatency: (projectId) => byId.get(projectId)?.wakeLatency() ?? 0,
    takeFailure: (projectId) => byId.get(projectId)?.takeFailure() ?? false,
    takeError: (projectId) => byId.get(projectId)?.takeError(),
  }
}

function liveThrough(life: Life, { from, to, plan }: PastOptions): Lived | undefined {
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

/** Kinds of use and their shares, in percent. The first projects are one of each, so that a small past has them all. */
const SHARES: Readonly<Record<Kind, number>> = {
  office: 30,
  batch: 12,
  preview: 14,
  chatty: 9,
  always: 8,
  rare: 16,
  bursty: 11,
}

/** What projects are called, by kind of use. */
const NAMES: Readonly<Record<Kind, readonly [string, ...string[]]>> = {
  office: ['crm', 'helpdesk', 'billing', 'backoffice', 'planning', 'hr'],
  batch: ['warehouse', 'reports', 'exports', 'etl'],
  preview: ['storefront', 'website', 'mobile-api'],
  chatty: ['queue', 'webhooks', 'sessions'],
  always: ['checkout', 'payments', 'auth'],
  rare: ['archive', 'prototype', 'hackathon'],
  bursty: ['ingest', 'search', 'notifications'],
}

const HOUR = 3_600_000

function lifeOf(number: number, options: PastOptions): Life {
  const { seed, from, to, plan } = options
  const named = (part: string): Chance => createChance(`${seed}/${number}/${part}`)
  const chance = named('project')
  const kind = KINDS[number] ?? kindBy(chance)
  const place = {
    projectId: `local-${chance.text(12)}`,
    branchId: `br-${chance.text(12)}`,
    endpointId: `ep-${chance.text(12)}`,
    plan,
  }
  const isOld = number < KINDS.length || chance.happens(0.7)
  const at = Math.round(from + (isOld ? 6 * HOUR : 0.9 * (to - from)) * chance.uniform())
  const config = { ...sizingOf(plan, chance), suspendTimeout: delayOf(kind, plan, chance) }
  const name = `${chance.pick(NAMES[kind])}-${number + 1}`
  const { endpointId, branchId } = place
  const branch = { id: branchId, name: 'main', catalogue: options.catalogueOf(at) }
  const project = newProject({ id: place.projectId, name, branch, now: at })
  const creation: Happening = {
    at,
    kind: 'create',
    project,
    request: { kind: 'create', endpointId, branchId, config },
  }
  const use = kind === 'preview' ? 'rare' : kind
  const [latency, failure, error] = [named('latency'), named('failure'), named('error')]
  return {
    projectId: project.id,
    scripts: [
      [creation],
      clientsOf({ endpointId, config, kind: use, from: at + HOUR / 60 }, named('clients')),
      changesOf(place, at, named('changes')),
      ...furtherOf(place, at, named('further')),
      ...(kind === 'preview' ? [previewsOf(place, at, named('previews'))] : []),
    ],
    wakeLatency: () => Math.round(latency.between(1000, 3000)),
    takeFailure: () => failure.happens(FAILURES),
    takeError: () => (error.happens(ERRORS) ? 'no capacity left in this region, try again' : undefined),
  }
}

function kindBy(chance: Chance): Kind {
  let left = 100 * chance.uniform()
  return KINDS.find((kind) => (left -= SHARES[kind]) < 0) ?? 'office'
}
