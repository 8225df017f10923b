// One project of a past: what it is, who uses it, and what goes wrong with it.
import { newProject } from '../control/requests/project-requests.ts'
import type { Catalogue } from '../control/project.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import { type Chance, createChance } from './chance.ts'
import { clientEvents } from './clients.ts'
import { settingChanges, extraBranches, previewBranches } from './user-actions.ts'
import { KINDS, type Kind } from './sessions.ts'
import { chooseDelay, chooseSizing } from './settings.ts'

export type HistoryOptions = {
  readonly seed: number
  readonly projects: number
  /** `[from, to)`, ms. */
  readonly from: number
  readonly to: number
  readonly plan: 'free' | 'paid'
  /** What the default branch of a project holds that is made now. */
  readonly catalogueOf: (now: number) => Catalogue
}

/** What happens to one project, without end, and the chance in how the service serves it. */
export type ProjectLife = {
  readonly projectId: string
  readonly scripts: readonly Iterable<SimulatedEvent>[]
  /** Extra time of the start that begins now, ms: 1 to 3 s. */
  readonly wakeLatency: () => number
  readonly takeFailure: () => boolean
  readonly takeError: () => string | undefined
}

/** One operation of five hundred fails at first, and one start of a thousand for good. */
const FAILURES = 0.002
const ERRORS = 0.001

const HOUR = 3_600_000

/** The life of the nth project: the same whatever the others are. */
export function projectLife(number: number, options: HistoryOptions): ProjectLife {
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
  const config = { ...chooseSizing(plan, chance), suspendTimeout: chooseDelay(kind, plan, chance) }
  const name = `${chance.pick(NAMES[kind])}-${number + 1}`
  const { endpointId, branchId } = place
  const branch = { id: branchId, name: 'main', catalogue: options.catalogueOf(at) }
  const project = newProject({ id: place.projectId, name, branch, now: at })
  const creation: SimulatedEvent = {
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
      clientEvents({ endpointId, config, kind: use, from: at + HOUR / 60 }, named('clients')),
      settingChanges(place, at, named('changes')),
      ...extraBranches(place, at, named('further')),
      ...(kind === 'preview' ? [previewBranches(place, at, named('previews'))] : []),
    ],
    wakeLatency: () => Math.round(latency.between(1000, 3000)),
    takeFailure: () => failure.happens(FAILURES),
    takeError: () => (error.happens(ERRORS) ? 'no capacity left in this region, try again' : undefined),
  }
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

function kindBy(chance: Chance): Kind {
  let left = 100 * chance.uniform()
  return KINDS.find((kind) => (left -= SHARES[kind]) < 0) ?? 'office'
}
