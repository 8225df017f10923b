// What people do to a project: sizes, delays, restarts, further branches and computes. In office hours, in UTC.
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import type { Chance } from './chance.ts'
import { type Clients, clientEvents } from './clients.ts'
import { isWeekday } from './sessions.ts'
import { chooseDelay, chooseSizing } from './settings.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export type BranchRef = {
  readonly projectId: string
  readonly branchId: string
  readonly endpointId: string
  readonly plan: 'free' | 'paid'
}

/** The next working minute after some days. */
function workingTime(from: number, days: number, chance: Chance): number {
  const day = Math.floor((from + days * DAY) / DAY) * DAY
  const at = day + chance.between(8, 17) * HOUR
  const later = isWeekday(day) ? at : at + 2 * DAY
  return Math.round(Math.max(later, from + MINUTE))
}

/** How many days pass between two changes of one compute, on average. Halved, a person looks at it every other week. */
const DAYS_BETWEEN_CHANGES = 28

/** Changes of the settings of a compute, and its restarts. */
export function* settingChanges(place: BranchRef, from: number, chance: Chance): Generator<SimulatedEvent> {
  const { projectId, endpointId, plan } = place
  for (let at = from; ;) {
    at = workingTime(at, chance.wait(DAYS_BETWEEN_CHANGES), chance)
    const deed = chance.uniform()
    const asked = { at, kind: 'request', projectId } as const
    if (deed < 0.35) {
      const changes = chooseSizing(plan, chance)
      yield { ...asked, request: { kind: 'update', endpointId, changes } }
    } else if (deed < 0.65) {
      const changes = { suspendTimeout: chooseDelay('office', plan, chance) }
      yield { ...asked, request: { kind: 'update', endpointId, changes } }
    } else if (deed < 0.85) yield { ...asked, request: { kind: 'restart', endpointId } }
    else yield { ...asked, request: { kind: chance.pick(['start', 'suspend']), endpointId } }
  }
}

/** Branches that live for some days each, one after the other, each with a compute that is used and then deleted. */
export function* previewBranches(place: BranchRef, from: number, chance: Chance): Generator<SimulatedEvent> {
  for (let [at, number] = [from, 1]; ; number += 1) {
    const begins = workingTime(at, chance.wait(2.5), chance)
    const ends = workingTime(begins, chance.between(1, 7), chance)
    yield* branchOf(
      { ...place, name: `preview/pr-${100 + number}`, kind: 'preview', from: begins, to: ends },
      chance,
    )
    at = ends
  }
}

/** Sometimes a second branch that stays, and sometimes a read replica that comes and goes. */
export function extraBranches(
  place: BranchRef,
  from: number,
  chance: Chance,
): readonly Iterable<SimulatedEvent>[] {
  const scripts: Iterable<SimulatedEvent>[] = []
  if (chance.happens(0.12)) {
    const begins = workingTime(from, chance.between(1, 12), chance)
    const kind = chance.pick(['office', 'rare', 'batch'] as const)
    scripts.push(branchOf({ ...place, name: 'staging', kind, from: begins }, chance))
  }
  if (place.plan === 'paid' && chance.happens(0.1)) scripts.push(replicaOf(place, from, chance))
  return scripts
}

type Branching = BranchRef & Omit<Clients, 'endpointId' | 'config'> & { readonly name: string }

function* branchOf(branching: Branching, chance: Chance): Generator<SimulatedEvent> {
  const { projectId, branchId: parentId, plan, name, kind, from: at, to } = branching
  const [branchId, endpointId] = [`br-${chance.text(12)}`, `ep-${chance.text(12)}`]
  const config = { ...chooseSizing(plan, chance), suspendTimeout: chooseDelay(kind, plan, chance) }
  yield {
    at,
    kind: 'request',
    projectId,
    request: {
      kind: 'create-branch',
      branchId,
      parentId,
      name,
      protected: false,
      computes: [{ endpointId, config }],
    },
  }
  yield* clientEvents(
    { endpointId, config, kind, from: at + MINUTE, ...(to !== undefined && { to }) },
    chance,
  )
  if (to !== undefined)
    yield { at: to, kind: 'request', projectId, request: { kind: 'delete-branch', branchId } }
}

function* replicaOf(
  { projectId, branchId }: BranchRef,
  from: number,
  chance: Chance,
): Generator<SimulatedEvent> {
  const endpointId = `ep-${chance.text(12)}`
  const at = workingTime(from, chance.between(2, 20), chance)
  const to = workingTime(at, chance.between(10, 60), chance)
  const [kind, config] = [chance.pick(['office', 'bursty'] as const), chooseSizing('paid', chance)]
  const asked = { kind: 'request', projectId } as const
  yield { ...asked, at, request: { kind: 'create', endpointId, branchId, type: 'read_only', config } }
  yield* clientEvents({ endpointId, config, kind, from: at + MINUTE, to }, chance)
  yield { ...asked, at: to, request: { kind: 'delete', endpointId } }
}
