// What people do to a project in office hours (UTC): sizes, delays, restarts, branches, computes.
import type { PlanAndPreset } from '../control/sizing/plans.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import type { SizeRange } from '../control/project.ts'
import { type Chance, createChance } from './chance.ts'
import { type Clients, clientEvents } from './clients.ts'
import { type DrawnKind, chooseDelay, chooseSizing } from './kinds.ts'
import { DAY, HOUR, MINUTE, isWeekday } from './sessions.ts'

type BranchRef = Readonly<{
  projectId: string
  branchId: string
  endpointId: string
  subscription: PlanAndPreset
}>

/** A time in office hours, about `days` after `from`. */
function workingTime(from: number, days: number, chance: Chance): number {
  const day = Math.floor((from + days * DAY) / DAY) * DAY
  const at = day + chance.between(8, 17) * HOUR
  const onWeekday = isWeekday(day) ? at : at + 2 * DAY
  return Math.round(Math.max(onWeekday, from + MINUTE))
}

/** Mean, per compute. */
const DAYS_BETWEEN_CHANGES = 28

/** Settings and restarts of a compute. */
export function* settingChanges(branch: BranchRef, from: number, chance: Chance): Generator<SimulatedEvent> {
  const { projectId, endpointId, subscription } = branch
  for (let at = from; ;) {
    at = workingTime(at, chance.wait(DAYS_BETWEEN_CHANGES), chance)
    const choice = chance.uniform()
    const event = { at, kind: 'request', projectId } as const
    if (choice < 0.35) {
      const changes = chooseSizing(subscription, chance)
      yield { ...event, request: { kind: 'update', endpointId, changes } }
    } else if (choice < 0.65) {
      const changes = { suspendTimeout: chooseDelay('office', subscription, chance) }
      yield { ...event, request: { kind: 'update', endpointId, changes } }
    } else if (choice < 0.85) yield { ...event, request: { kind: 'restart', endpointId } }
    else yield { ...event, request: { kind: chance.pick(['start', 'suspend']), endpointId } }
  }
}

/** Preview branches one after the other, each with a compute, for some days. */
export function* previewBranches(branch: BranchRef, from: number, chance: Chance): Generator<SimulatedEvent> {
  for (let [at, number] = [from, 101]; ; number += 1) {
    const start = workingTime(at, chance.wait(2.5), chance)
    at = workingTime(start, chance.between(1, 7), chance)
    const name = `preview/pr-${number}`
    yield* branchEvents({ ...branch, name, kind: 'preview', from: start, to: at }, chance)
  }
}

/** Size and delay of a preview, as on the wire: smallest, default. */
const PREVIEW_CONFIG = { minCu: 0.25, maxCu: 0.25, suspendTimeout: 0 } as const

/** On each working day of `[from, to)` a preview branch, deleted on the next working day or the one after. */
export function dailyBranches(
  branch: BranchRef,
  { from, to }: Readonly<{ from: number; to: number }>,
  chance: Chance,
): readonly Iterable<SimulatedEvent>[] {
  const first = Math.ceil(from / DAY)
  const days = Array.from({ length: Math.ceil(to / DAY) - first }, (_, day) => (first + day) * DAY)
  return days.filter(isWeekday).map((day, at) => {
    const start = workingTime(day, 0, chance)
    const end = workingTime(start, chance.pick([1, 2]), chance)
    const preview = { kind: 'preview', config: PREVIEW_CONFIG, from: start, to: end } as const
    return branchEvents({ ...branch, ...preview, name: `preview/pr-${at + 201}` }, createChanceOf(chance))
  })
}

/** A sequence of its own, so that events of several branches can be read in any order. */
const createChanceOf = (chance: Chance): Chance => createChance(chance.text(12))

/** Some projects get a permanent second branch, some a read replica for a while. */
export function* extraBranches(
  branch: BranchRef,
  from: number,
  chance: Chance,
): Generator<Iterable<SimulatedEvent>> {
  if (chance.happens(0.12)) {
    const start = workingTime(from, chance.between(1, 12), chance)
    const kind = chance.pick(['office', 'rare', 'batch'] as const)
    yield branchEvents({ ...branch, name: 'staging', kind, from: start }, chance)
  }
  if (branch.subscription.plan !== 'free' && chance.happens(0.1)) yield replicaEvents(branch, from, chance)
}

type NewBranch = BranchRef &
  Omit<Clients, 'endpointId' | 'config' | 'kind'> &
  Readonly<{
    name: string
    kind: DrawnKind
    /** Default: drawn. */
    config?: SizeRange & { readonly suspendTimeout: number }
  }>

function* branchEvents(newBranch: NewBranch, chance: Chance): Generator<SimulatedEvent> {
  const { projectId, branchId: parentId, subscription, name, kind, from: at, to } = newBranch
  const [branchId, endpointId] = [`br-${chance.text(12)}`, `ep-${chance.text(12)}`]
  const config = newBranch.config ?? {
    ...chooseSizing(subscription, chance),
    suspendTimeout: chooseDelay(kind, subscription, chance),
  }
  const event = { kind: 'request', projectId } as const
  const branch = { branchId, parentId, name, protected: false, computes: [{ endpointId, config }] }
  yield { ...event, at, request: { kind: 'create-branch', ...branch } }
  yield* clientEvents({ endpointId, config, kind, from: at + MINUTE, to }, chance)
  if (to !== undefined) yield { ...event, at: to, request: { kind: 'delete-branch', branchId } }
}

function* replicaEvents(branch: BranchRef, from: number, chance: Chance): Generator<SimulatedEvent> {
  const { projectId, branchId, subscription } = branch
  const endpointId = `ep-${chance.text(12)}`
  const at = workingTime(from, chance.between(2, 20), chance)
  const to = workingTime(at, chance.between(10, 60), chance)
  const [kind, config] = [chance.pick(['office', 'bursty'] as const), chooseSizing(subscription, chance)]
  const event = { kind: 'request', projectId } as const
  yield { ...event, at, request: { kind: 'create', endpointId, branchId, type: 'read_only', config } }
  yield* clientEvents({ endpointId, config, kind, from: at + MINUTE, to }, chance)
  yield { ...event, at: to, request: { kind: 'delete', endpointId } }
}
