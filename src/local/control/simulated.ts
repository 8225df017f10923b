// The control plane over computes without processes, on a virtual clock: weeks in seconds, many thousand projects.
import { type ComputeAccount, type UseRecord, accountAt } from './account.ts'
import { createAgenda } from './agenda.ts'
import { computeOf } from './draft.ts'
import type { Answer, Effect, Event, Interval, Request, Settings, StepResult, Wake } from './events.ts'
import type { Operation, Project, WakeCause } from './project.ts'
import { step, wakeAtOf } from './step.ts'

/** How long a simulated process takes, ms. */
export type Latencies = { readonly start: number; readonly stop: number; readonly configure: number }

export type SimulationOptions = {
  readonly projects: readonly Project[]
  /** Where the virtual clock stands at first, ms. */
  readonly from: number
  readonly settings: Settings
  readonly latencies: Latencies
  /** Endpoint id → instants at which a client is active, ascending, ms. An instant in which the compute sleeps wakes it. */
  readonly activity: ReadonlyMap<string, readonly number[]>
}

export type Simulation = {
  now(): number
  /** Lets everything happen that is due until `to`, which is then the time. */
  advance(to: number): void
  /** Asks as a client of the API does, now; undefined for an unknown project. */
  request(projectId: string, asked: Request): Answer | undefined
  /** A client connects and runs one query, now. */
  connect(endpointId: string, cause: WakeCause): void
  project(projectId: string): Project | undefined
  /** Newest first. */
  operations(projectId: string): readonly Operation[]
  /** The truth as of `at`: every compute that was ever started, in order of its first start. */
  accounts(at: number): ComputeAccount[]
}

/** A client of the trace has no name. */
const TRACE: WakeCause = { kind: 'client', applicationName: undefined, user: undefined }

type Due =
  | { readonly kind: 'event'; readonly projectId: string; readonly event: Event }
  | { readonly kind: 'alarm'; readonly projectId: string }
  | { readonly kind: 'trace'; readonly endpointId: string; readonly index: number }

type Use = { readonly projectId: string; readonly wakes: Wake[]; readonly intervals: Interval[] }

/** The same options and the same calls give the same simulation. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { settings, latencies, activity } = options
  const projects = new Map(options.projects.map((project) => [project.id, project]))
  const projectOf = new Map(
    options.projects.flatMap(({ id, computes }) => computes.map((compute) => [compute.id, id])),
  )
  const history = createHistory()
  const alarms = new Map<string, number>()
  const agenda = createAgenda<Due>()
  let now = options.from
  let operations = 0

  const operationId = (): string => {
    operations += 1
    return `00000000-0000-4000-8000-${operations.toString(16).padStart(12, '0')}`
  }
  const setAlarm = (projectId: string, at: number | undefined): void => {
    if (at === undefined || (alarms.get(projectId) ?? Infinity) <= at) return
    alarms.set(projectId, at)
    agenda.add(at, { kind: 'alarm', projectId })
  }
  const dispatch = (projectId: string, event: Event): StepResult | undefined => {
    const before = projects.get(projectId)
    if (!before) return undefined
    const result = step(before, event, { now, operationId, settings })
    projects.set(projectId, result.project)
    if (event.kind === 'create') projectOf.set(event.endpointId, projectId)
    for (const effect of result.effects) carryOut(effect, projectId)
    setAlarm(projectId, result.wakeAt)
    return result
  }
  const carryOut = (effect: Effect, projectId: string): void => {
    history.note(effect, projectId)
    const event = consequenceOf(effect, now, latencies)
    if (event) agenda.add(event.at, { kind: 'event', projectId, event: event.event })
  }
  const connect = (endpointId: string, cause: WakeCause): void => {
    const projectId = projectOf.get(endpointId)
    const project = projectId === undefined ? undefined : projects.get(projectId)
    const compute = project && computeOf(project, endpointId)
    if (!project || !compute) return
    const serves = compute.state === 'active' && !compute.pending
    dispatch(
      project.id,
      serves ? { kind: 'activity', endpointId, at: now } : { kind: 'client-waiting', endpointId, cause },
    )
  }
  const follow = (endpointId: string, index: number): void => {
    const at = activity.get(endpointId)?.[index]
    if (at !== undefined) agenda.add(Math.max(at, now), { kind: 'trace', endpointId, index })
  }
  const happen = (due: Due): void => {
    switch (due.kind) {
      case 'event':
        return void dispatch(due.projectId, due.event)
      case 'alarm':
        if (alarms.get(due.projectId) === now) alarms.delete(due.projectId)
        return void dispatch(due.projectId, { kind: 'time' })
      case 'trace':
        connect(due.endpointId, TRACE)
        return follow(due.endpointId, due.index + 1)
    }
  }
  for (const endpointId of activity.keys()) follow(endpointId, 0)
  for (const project of options.projects) setAlarm(project.id, wakeAtOf(project))
  return {
    now: () => now,
    advance: (to) => {
      for (let due = agenda.take(to); due; due = agenda.take(to)) {
        now = due.at
        happen(due.item)
      }
      now = Math.max(now, to)
    },
    request: (projectId, asked) => dispatch(projectId, asked)?.answer,
    connect,
    project: (projectId) => projects.get(projectId),
    operations: (projectId) => history.operations(projectId),
    accounts: (at) => history.uses(projects).map((use) => accountAt(use, at)),
  }
}

/** What a process would report, and when; undefined for effects that no process answers. */
function consequenceOf(
  effect: Effect,
  now: number,
  latencies: Latencies,
): { readonly at: number; readonly event: Event } | undefined {
  switch (effect.kind) {
    case 'start-process':
      return { at: now + latencies.start, event: { kind: 'started', endpointId: effect.endpointId } }
    case 'stop-process':
      return { at: now + latencies.stop, event: { kind: 'stopped', endpointId: effect.endpointId } }
    case 'configure':
      return { at: now + latencies.configure, event: { kind: 'configured', endpointId: effect.endpointId } }
    case 'admit-clients':
      return { at: now, event: { kind: 'activity', endpointId: effect.endpointId, at: now } }
    case 'drop-connections':
    case 'refuse-clients':
    case 'write-operation':
    case 'write-interval':
    case 'write-wake':
      return undefined
  }
}

type History = {
  note(effect: Effect, projectId: string): void
  operations(projectId: string): readonly Operation[]
  uses(projects: ReadonlyMap<string, Project>): UseRecord[]
}

/** What the shell of the real service writes to its disk. */
function createHistory(): History {
  const uses = new Map<string, Use>()
  // project → operation id → its newest record, in order of creation
  const operations = new Map<string, Map<string, Operation>>()
  const useOf = (endpointId: string, projectId: string): Use => {
    const known = uses.get(endpointId) ?? { projectId, wakes: [], intervals: [] }
    uses.set(endpointId, known)
    return known
  }
  return {
    note: (effect, projectId) => {
      if (effect.kind === 'write-wake') useOf(effect.endpointId, projectId).wakes.push(effect.wake)
      if (effect.kind === 'write-interval')
        useOf(effect.endpointId, projectId).intervals.push(effect.interval)
      if (effect.kind !== 'write-operation') return
      const known = operations.get(projectId) ?? new Map<string, Operation>()
      operations.set(projectId, known.set(effect.operation.id, effect.operation))
    },
    operations: (projectId) => [...(operations.get(projectId)?.values() ?? [])].toReversed(),
    uses: (projects) =>
      [...uses].map(([endpointId, { projectId, wakes, intervals }]) => {
        const project = projects.get(projectId)
        const open = project && computeOf(project, endpointId)?.meter.open
        return { endpointId, projectId, wakes, intervals, open }
      }),
  }
}
