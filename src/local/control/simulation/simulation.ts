// The control plane over computes without processes, on a virtual clock: weeks in seconds, many thousand projects.
import { type ComputeUsage, type UseRecord, usageAt, intervalsIn } from '../usage/usage.ts'
import { createEventHeap } from './agenda.ts'
import { computeOf } from '../draft.ts'
import { nextDueAt } from '../queue/due.ts'
import type { Answer, Effect, Event, Request, Settings, StepResult } from '../events.ts'
import { createSimulatedHistory } from '../usage/history.ts'
import { createOrderedById, takeFitting } from '../ordered.ts'
import type { Plane } from '../plane.ts'
import type { Operation, Project, WakeCause } from '../project.ts'
import { step } from '../step.ts'
import { isWorkOf } from '../queue/work.ts'

/** How long a simulated process takes, ms. A branch is copied in the time of a start. */
export type Latencies = { readonly start: number; readonly stop: number; readonly configure: number }

/** What comes from outside, at an instant, ms. What meets nothing of that id, or is refused, changes nothing. */
export type SimulatedEvent = { readonly at: number } & (
  | {
      /** A client runs one query, which wakes a compute that sleeps. */
      readonly kind: 'connect'
      readonly endpointId: string
      /** Default: a client without a name. */
      readonly cause?: WakeCause
    }
  /** The size the autoscaler aims at. */
  | { readonly kind: 'goal'; readonly endpointId: string; readonly cu: number }
  | { readonly kind: 'request'; readonly projectId: string; readonly request: Request }
  /** A new project, with its first request. */
  | { readonly kind: 'create'; readonly project: Project; readonly request: Request }
)

export type SimulationOptions = {
  readonly projects: readonly Project[]
  /** Where the virtual clock stands at first, ms. */
  readonly from: number
  readonly settings: () => Settings
  readonly latencies: Latencies
  /** Extra time of a start that begins now, ms; default none. */
  readonly wakeLatency?: (projectId: string) => number
  /** Endpoint id → instants at which a client is active, ascending, ms. An instant in which the compute sleeps wakes it. */
  readonly activity: ReadonlyMap<string, Iterable<number>>
  /** What else happens, each in order of time. They may be endless: of each, only the next is taken. */
  readonly scripts?: readonly Iterable<SimulatedEvent>[]
  /** Whether the operation of this project that begins now fails at first; default none does. */
  readonly takeFailure?: (projectId: string) => boolean
  /** Why the start that begins now fails for good; undefined, and by default, it does not. */
  readonly takeError?: (projectId: string) => string | undefined
}

export type Simulation = Plane & {
  now(): number
  /** Lets everything happen that is due until `to`, which is then the time. */
  advance(to: number): void
  /** Looks again at when things are due, after the settings changed. */
  look(): void
  /** A client connects and runs one query, now. */
  connect(endpointId: string, cause: WakeCause): void
  /** The truth as of `at`: every compute that was ever started, in order of its first start. */
  accounts(at: number): ComputeUsage[]
  /** What the accounts are made of. */
  uses(): UseRecord[]
}

const NAMELESS: WakeCause = { kind: 'client', applicationName: undefined, user: undefined }

type Due =
  | { readonly kind: 'event'; readonly projectId: string; readonly event: Event }
  | { readonly kind: 'alarm'; readonly projectId: string }
  | { readonly kind: 'script'; readonly script: Iterator<SimulatedEvent>; readonly happening: SimulatedEvent }

/** The same options and the same calls give the same simulation. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { activity, settings, latencies, wakeLatency = () => 0 } = options
  const { takeFailure = () => false, takeError = () => undefined } = options
  const projects = createOrderedById(options.projects.map((project) => [project.id, project] as const))
  const projectOf = new Map(
    options.projects.flatMap(({ id, computes }) => computes.map((compute) => [compute.id, id])),
  )
  const history = createSimulatedHistory()
  const alarms = new Map<string, number>()
  const agenda = createEventHeap<Due>()
  let stuck: (() => void)[] = []
  // project → operations so far
  const counts = new Map<string, number>()
  let now = options.from

  const operationIdOf = (projectId: string): string => {
    const count = (counts.get(projectId) ?? 0) + 1
    counts.set(projectId, count)
    return uuidOf(projectId, count)
  }
  const setAlarm = (projectId: string, at: number | undefined): void => {
    // a delay that was shortened may be over already: what is late happens now
    const due = Math.max(at ?? Infinity, now)
    if (at === undefined || (alarms.get(projectId) ?? Infinity) <= due) return
    alarms.set(projectId, due)
    agenda.add(due, { kind: 'alarm', projectId })
  }
  const dispatch = (projectId: string, event: Event): StepResult | undefined => {
    const before = projects.get(projectId)
    if (!before) return undefined
    const operationId = (): string => operationIdOf(projectId)
    const result = step(before, event, { now, operationId, settings: settings() })
    keep(result, event)
    for (const effect of result.effects) carryOut(effect, projectId)
    setAlarm(projectId, result.wakeAt)
    return result
  }
  const keep = ({ project, answer }: StepResult, event: Event): void => {
    if (event.kind !== 'delete-project' || !answer?.ok) {
      projects.set(project.id, project)
      for (const { id } of project.computes) projectOf.set(id, project.id)
      return
    }
    projects.delete(project.id)
    history.forget(project.id)
  }
  /** What goes wrong with the work of an operation; undefined when nothing does. */
  const misfortuneOf = (effect: Effect, { id: operationId, projectId }: Operation): Event | undefined => {
    const message = effect.kind === 'start-process' ? takeError(projectId) : undefined
    const { retryIn } = settings().faults.failingOperations
    if (takeFailure(projectId)) return { kind: 'attempt-failed', operationId, retryIn }
    if (effect.kind !== 'start-process' || message === undefined) return undefined
    return { kind: 'start-failed', endpointId: effect.endpointId, message }
  }
  const carryOut = (effect: Effect, projectId: string): void => {
    history.note(effect, projectId)
    const report = consequenceOf(effect, now, latencies)
    const operation = projects.get(projectId)?.queue[0]?.operation
    if (!report) return
    if (!operation || !isWorkOf(effect, operation) || effect.kind === 'admit-clients')
      return agenda.add(now + report.after, { kind: 'event', projectId, event: report.event })
    const after = report.after + (effect.kind === 'start-process' ? wakeLatency(projectId) : 0)
    const happens = (): void => {
      const event = misfortuneOf(effect, operation) ?? report.event
      agenda.add(now + after + 1000 * settings().faults.lockTime, { kind: 'event', projectId, event })
    }
    if (settings().faults.stuckOperations) stuck.push(happens)
    else happens()
  }
  const connect = (endpointId: string, cause: WakeCause): void => {
    const project = projects.get(projectOf.get(endpointId) ?? '')
    const compute = project && computeOf(project, endpointId)
    if (!project || !compute) return
    const serves = compute.state === 'active' && !compute.pending
    dispatch(
      project.id,
      serves ? { kind: 'activity', endpointId, at: now } : { kind: 'client-waiting', endpointId, cause },
    )
  }
  const create = (project: Project, asked: Request): Answer => {
    projects.set(project.id, project)
    const answer = dispatch(project.id, asked)?.answer
    if (!answer) throw new Error(`project ${project.id} could not be made`)
    if (!answer.ok) projects.delete(project.id)
    return answer
  }
  const follow = (script: Iterator<SimulatedEvent>): void => {
    const { value: happening, done } = script.next()
    if (!done) agenda.add(Math.max(happening.at, now), { kind: 'script', script, happening })
  }
  const meet = (happening: SimulatedEvent): void => {
    switch (happening.kind) {
      case 'connect':
        return connect(happening.endpointId, happening.cause ?? NAMELESS)
      case 'goal':
        return void dispatch(projectOf.get(happening.endpointId) ?? '', happening)
      case 'request':
        return void dispatch(happening.projectId, happening.request)
      case 'create':
        return void create(happening.project, happening.request)
    }
  }
  const happen = (due: Due): void => {
    switch (due.kind) {
      case 'event':
        return void dispatch(due.projectId, due.event)
      case 'alarm':
        if (alarms.get(due.projectId) === now) alarms.delete(due.projectId)
        return void dispatch(due.projectId, { kind: 'time' })
      case 'script':
        meet(due.happening)
        return follow(due.script)
    }
  }
  const look = (): void => {
    const context = { now, settings: settings() }
    for (const project of projects.values()) setAlarm(project.id, nextDueAt(project, context))
  }
  for (const [endpointId, instants] of activity) follow(clientOf(endpointId, instants)[Symbol.iterator]())
  for (const script of options.scripts ?? []) follow(script[Symbol.iterator]())
  look()
  return {
    now: () => now,
    look,
    advance: (to) => {
      for (let due = agenda.take(to); due; due = agenda.take(to)) {
        now = due.at
        happen(due.item)
      }
      now = Math.max(now, to)
      if (stuck.length === 0 || settings().faults.stuckOperations) return
      const freed = stuck
      stuck = []
      for (const happens of freed) happens()
    },
    page: ({ after, limit, fits }) => takeFitting(projects.after(after), fits, limit),
    createProject: create,
    request: (projectId, asked) => dispatch(projectId, asked)?.answer,
    connect,
    project: (projectId) => projects.get(projectId),
    operation: (projectId, id) => history.operation(projectId, id),
    operations: (projectId, limit, before) => history.operations(projectId, limit, before),
    accounts: (at) => history.uses((id) => projects.get(id)).map((use) => usageAt(use, at)),
    uses: () => history.uses((id) => projects.get(id)),
    intervals: (projectId, window) => {
      const project = projects.get(projectId)
      return project ? history.usesOf(project).flatMap((use) => intervalsIn(use, window)) : []
    },
  }
}

/** A client that runs one query at each of these instants. */
function* clientOf(endpointId: string, instants: Iterable<number>): Iterable<SimulatedEvent> {
  for (const at of instants) yield { at, kind: 'connect', endpointId }
}

type Consequence = { readonly after: number; readonly event: Event }

/** What a process would report, and after how many ms; undefined for effects that no process answers. */
function consequenceOf(effect: Effect, now: number, latencies: Latencies): Consequence | undefined {
  switch (effect.kind) {
    case 'start-process':
      return { after: latencies.start, event: { kind: 'started', endpointId: effect.endpointId } }
    case 'stop-process':
      return { after: latencies.stop, event: { kind: 'stopped', endpointId: effect.endpointId } }
    case 'configure':
      return { after: latencies.configure, event: { kind: 'configured', endpointId: effect.endpointId } }
    case 'copy-branch':
      return { after: latencies.start, event: { kind: 'branch-copied', branchId: effect.branchId } }
    case 'remove-branch':
      return { after: latencies.stop, event: { kind: 'branch-removed', branchId: effect.branchId } }
    case 'admit-clients':
      return { after: 0, event: { kind: 'activity', endpointId: effect.endpointId, at: now } }
    case 'resize':
    case 'remove-replica':
    case 'drop-connections':
    case 'refuse-clients':
    case 'write-operation':
    case 'write-interval':
    case 'write-wake':
      return undefined
  }
}

/** The nth UUID of a project, the same in every simulation. */
function uuidOf(projectId: string, count: number): string {
  const [one, two] = [hashOf(projectId, 0x811c9dc5), hashOf(projectId, 0x01000193)]
  return `${one}-${two.slice(0, 4)}-4${two.slice(4, 7)}-8000-${count.toString(16).padStart(12, '0')}`
}

/** FNV-1a from this basis: 32 bits in hexadecimal. Together, two of them tell a hundred thousand projects apart. */
function hashOf(text: string, basis: number): string {
  let hash = basis
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
