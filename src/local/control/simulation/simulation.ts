// The control plane over simulated computes on a virtual clock: weeks in seconds, many thousand projects.
import { type ComputeUsage, type UseRecord, usageAt, intervalsIn } from '../usage/usage.ts'
import { type QuerySession, type SimulatedQuery, createClientSessions, queryOf } from './client-sessions.ts'
import { createEventHeap } from './event-heap.ts'
import { computeOf } from '../draft.ts'
import { fnv1a } from '../fnv1a.ts'
import { nextDueAt } from '../queue/due.ts'
import type { Effect, Event, Report, Request, Settings, StepResult } from '../events.ts'
import { createSimulatedHistory } from './history.ts'
import { createOrderedById } from '../ordered.ts'
import type { Plane } from '../plane.ts'
import type { Operation, Project, WakeCause } from '../project.ts'
import type { ClientSessions } from '../records.ts'
import { step } from '../step.ts'
import { failureOf, operationOf, successOf } from '../queue/work.ts'

/** Durations of simulated work, ms. */
export type Latencies = Readonly<{ start: number; stop: number; configure: number }>

/** An event from outside, ms. Unknown ids and refused requests change nothing. */
export type SimulatedEvent = { readonly at: number } &
  /** A client runs one query, in its session or a new one, and wakes the compute for it. */
  (
    | Readonly<{ kind: 'connect'; endpointId: string; cause?: WakeCause; session?: QuerySession }>
    | Readonly<{ kind: 'goal'; endpointId: string; cu: number }>
    | Readonly<{ kind: 'request'; projectId: string; request: Request }>
    | Readonly<{ kind: 'create'; project: Project; request: Request }>
  )

export type SimulationOptions = Readonly<{
  projects?: readonly Project[]
  /** Start of the virtual clock, ms. */
  from: number
  settings: () => Settings
  latencies: Latencies
  /** Extra time of the next start, ms; default 0. */
  wakeLatency?: (projectId: string) => number
  /** Endpoint → instants of a client's queries, ascending, ms. */
  activity?: ReadonlyMap<string, Iterable<number>>
  /** Each in order of time, possibly endless: read event by event. */
  scripts?: readonly Iterable<SimulatedEvent>[]
  /** Whether the next operation fails at first; default false. */
  takeFailure?: (projectId: string) => boolean
  /** Why the next start fails for good; default undefined: it does not. */
  takeError?: (projectId: string) => string | undefined
}>

export type Simulation = Plane & {
  now(): number
  /** Runs all events due until `to`. */
  advance(to: number): void
  /** Call it after a change of the settings. */
  resetAlarms(): void
  /** Runs one query now, in the client's session or a new one. */
  connect(endpointId: string, cause: WakeCause, session?: QuerySession): void
  /** Open now. */
  sessions(endpointId: string): ClientSessions
  /** Usage until `at` of every compute ever started or changed, in order of its first start or change. */
  usages(at: number): ComputeUsage[]
  /** Wakes and intervals of the same computes. */
  uses(): UseRecord[]
}

/** Equal options and calls give equal results. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { settings, latencies, wakeLatency = () => 0 } = options
  const { takeFailure = () => false, takeError = () => undefined } = options
  const projects = createOrderedById(options.projects ?? [])
  // endpoint → project
  const projectOf = new Map<string, string>()
  const history = createSimulatedHistory()
  const sessions = createClientSessions()
  // project → instant of its alarm
  const alarms = new Map<string, number>()
  const heap = createEventHeap<() => void>()
  let stuckWork: (() => void)[] = []
  // project → operations so far
  const counts = new Map<string, number>()
  let now = options.from

  const nextOperationId = (projectId: string) => {
    const count = (counts.get(projectId) ?? 0) + 1
    counts.set(projectId, count)
    return uuidOf(projectId, count)
  }
  const setAlarm = (projectId: string, at: number | undefined) => {
    // a shortened delay may have passed: fires now
    const due = Math.max(at ?? Infinity, now)
    if ((alarms.get(projectId) ?? Infinity) <= due) return
    alarms.set(projectId, due)
    heap.add(due, () => {
      if (alarms.get(projectId) === due) alarms.delete(projectId)
      pollWorking(projectId)
      dispatch(projectId, { kind: 'time' })
    })
  }
  const dispatch = (projectId: string, event: Event) => {
    const before = projects.get(projectId)
    if (!before) return undefined
    const context = {
      now,
      operationId: () => nextOperationId(projectId),
      sessions: (endpointId: string) => sessions.count(endpointId, now),
      settings: settings(),
    }
    const result = step(before, event, context)
    saveResult(result, event)
    for (const effect of result.effects) carryOut(effect, projectId)
    setAlarm(projectId, result.wakeAt)
    return result
  }
  /** As the real service does before anything due: a client inside a statement is activity. */
  const pollWorking = (projectId: string) => {
    for (const { id: endpointId } of projects.get(projectId)?.computes ?? [])
      if (sessions.count(endpointId, now).working > 0)
        dispatch(projectId, { kind: 'activity', endpointId, at: now })
  }
  const index = (project: Project) => {
    for (const { id } of project.computes) projectOf.set(id, project.id)
  }
  const saveResult = ({ project, answer }: StepResult, event: Event) => {
    if (event.kind !== 'delete-project' || !answer?.ok) {
      projects.set(project)
      return index(project)
    }
    projects.delete(project.id)
    history.forget(project.id)
  }
  const reportAfter = (after: number, projectId: string, event: Event) =>
    heap.add(now + after, () => void dispatch(projectId, event))
  /** Undefined when the work succeeds. */
  const simulatedFailure = (effect: Effect, { id: operationId, projectId }: Operation): Event | undefined => {
    const message = effect.kind === 'start-process' ? takeError(projectId) : undefined
    const { retryIn } = settings().faults.failingOperations
    if (takeFailure(projectId)) return { kind: 'attempt-failed', operationId, retryIn }
    return message === undefined ? undefined : failureOf(effect, message)
  }
  /** A statement is activity at its beginning and its end. */
  const reportQuery = (endpointId: string, projectId: string, { client, works }: SimulatedQuery) => {
    if (works === 0) return
    heap.add(now + works, () => {
      if (sessions.endsWork(endpointId, client, now))
        dispatch(projectId, { kind: 'activity', endpointId, at: now })
    })
  }
  const admitClients = (endpointId: string, projectId: string) => {
    const queries = sessions.admit(endpointId, now)
    for (const query of queries) reportQuery(endpointId, projectId, query)
    // a start that no client waits for, such as an availability check's, is no activity
    if (queries.length > 0) reportAfter(0, projectId, { kind: 'activity', endpointId, at: now })
  }
  const endSessions = (success: Report): Report => {
    if (success.kind !== 'stopped') return success
    const ended = { at: now, ...sessions.count(success.endpointId, now) }
    sessions.end(success.endpointId)
    return { ...success, sessions: ended }
  }
  const carryOut = (effect: Effect, projectId: string) => {
    history.note(effect, projectId)
    if (effect.kind === 'refuse-clients') sessions.refuse(effect.endpointId)
    if (effect.kind === 'drop-connections') sessions.end(effect.endpointId)
    if (effect.kind === 'admit-clients') return admitClients(effect.endpointId, projectId)
    const success = successOf(effect)
    if (!success) return
    const duration = durationOf(effect, latencies)
    const operation = operationOf(effect, projects.get(projectId)?.queue[0]?.operation)
    if (!operation) return reportAfter(duration, projectId, success)
    const after = duration + (effect.kind === 'start-process' ? wakeLatency(projectId) : 0)
    const work = () => {
      const event = simulatedFailure(effect, operation) ?? endSessions(success)
      reportAfter(after + 1000 * settings().faults.lockTime, projectId, event)
    }
    if (settings().faults.stuckOperations) stuckWork.push(work)
    else work()
  }
  const computeAt = (endpointId: string) => {
    const project = projects.get(projectOf.get(endpointId) ?? '')
    return project && computeOf(project, endpointId)
  }
  const withOpen = (use: Omit<UseRecord, 'open'>) => ({ ...use, open: computeAt(use.endpointId)?.meter.open })
  const connect = (endpointId: string, cause: WakeCause, session?: QuerySession) => {
    const compute = computeAt(endpointId)
    if (!compute) return
    const projectId = projectOf.get(endpointId) ?? ''
    const query = queryOf(session, cause.applicationName)
    const isServing = compute.state === 'active' && !compute.pending
    if (!isServing) {
      sessions.wait(endpointId, query)
      return void dispatch(projectId, { kind: 'client-waiting', endpointId, cause })
    }
    sessions.begin(endpointId, query, now)
    dispatch(projectId, { kind: 'activity', endpointId, at: now })
    reportQuery(endpointId, projectId, query)
  }
  const createProject = (project: Project, request: Request) => {
    projects.set(project)
    const answer = dispatch(project.id, request)?.answer
    if (!answer) throw new Error(`project ${project.id} could not be made`)
    if (!answer.ok) projects.delete(project.id)
    return answer
  }
  const runEvent = (event: SimulatedEvent) => {
    switch (event.kind) {
      case 'connect':
        return connect(event.endpointId, event.cause ?? { kind: 'client' }, event.session)
      case 'goal':
        return void dispatch(projectOf.get(event.endpointId) ?? '', event)
      case 'request':
        return void dispatch(event.projectId, event.request)
      case 'create':
        return void createProject(event.project, event.request)
    }
  }
  const schedule = (script: Iterator<SimulatedEvent>) => {
    const { value: next, done } = script.next()
    if (done) return
    heap.add(Math.max(next.at, now), () => {
      runEvent(next)
      schedule(script)
    })
  }
  const resetAlarms = () => {
    const context = { now, settings: settings() }
    for (const project of projects.values()) setAlarm(project.id, nextDueAt(project, context))
  }
  for (const project of projects.values()) index(project)
  for (const [endpointId, instants] of options.activity ?? []) schedule(connectsAt(endpointId, instants))
  for (const script of options.scripts ?? []) schedule(script[Symbol.iterator]())
  resetAlarms()
  const plane: Simulation = {
    now: () => now,
    resetAlarms,
    advance: (to) => {
      for (let due = heap.take(to); due; due = heap.take(to)) {
        now = due.at
        due.item()
      }
      now = Math.max(now, to)
      if (stuckWork.length === 0 || settings().faults.stuckOperations) return
      const released = stuckWork
      stuckWork = []
      for (const work of released) work()
    },
    page: projects.page,
    createProject,
    request: (projectId, request) => dispatch(projectId, request)?.answer,
    later: (at, work) => heap.add(Math.max(at, now), () => void work(plane)),
    connect,
    sessions: (endpointId) => sessions.count(endpointId, now),
    project: projects.get,
    operation: history.operation,
    operations: history.operations,
    usages: (at) => history.uses().map((use) => usageAt(withOpen(use), at)),
    uses: () => history.uses().map(withOpen),
    intervals: (projectId, window) =>
      history.usesOf(projectId).flatMap((use) => intervalsIn(withOpen(use), window)),
  }
  return plane
}

function* connectsAt(endpointId: string, instants: Iterable<number>): Generator<SimulatedEvent> {
  for (const at of instants) yield { at, kind: 'connect', endpointId }
}

/** A branch takes as long to copy as a start, to remove as a stop. */
function durationOf({ kind }: Effect, { start, stop, configure }: Latencies): number {
  if (kind === 'configure') return configure
  return kind === 'stop-process' || kind === 'remove-branch' ? stop : start
}

/** The nth UUID of a project, equal in every simulation. Two hashes tell 100,000 projects apart. */
function uuidOf(projectId: string, count: number): string {
  const hashes = [fnv1a(projectId), fnv1a(projectId, 0x01000193)]
  const [first = '', second = ''] = hashes.map((hash) => hash.toString(16).padStart(8, '0'))
  return `${first}-${second.slice(0, 4)}-4${second.slice(4, 7)}-8000-${count.toString(16).padStart(12, '0')}`
}
