// The control plane over computes without processes, on a virtual clock: weeks in seconds, many thousand projects.
import { type ComputeAccount, accountAt } from './account.ts'
import { createAgenda } from './agenda.ts'
import { computeOf } from './draft.ts'
import { wakeAtOf } from './due.ts'
import type { Effect, Event, Settings, StepResult } from './events.ts'
import { createHistory } from './history.ts'
import { createOrdered, firstFitting } from './ordered.ts'
import type { Plane } from './plane.ts'
import type { Project, WakeCause } from './project.ts'
import { step } from './step.ts'
import { isWorkOf } from './work.ts'

/** How long a simulated process takes, ms. A branch is copied in the time of a start. */
export type Latencies = { readonly start: number; readonly stop: number; readonly configure: number }

export type SimulationOptions = {
  readonly projects: readonly Project[]
  /** Where the virtual clock stands at first, ms. */
  readonly from: number
  readonly settings: () => Settings
  readonly latencies: Latencies
  /** Endpoint id → instants at which a client is active, ascending, ms. An instant in which the compute sleeps wakes it. */
  readonly activity: ReadonlyMap<string, readonly number[]>
  /** Whether the operation that begins now fails at first; default none does. */
  readonly takeFailure?: () => boolean
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
  accounts(at: number): ComputeAccount[]
}

/** A client of the trace has no name. */
const TRACE: WakeCause = { kind: 'client', applicationName: undefined, user: undefined }

type Due =
  | { readonly kind: 'event'; readonly projectId: string; readonly event: Event }
  | { readonly kind: 'alarm'; readonly projectId: string }
  | { readonly kind: 'trace'; readonly endpointId: string; readonly index: number }

/** The same options and the same calls give the same simulation. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { settings, latencies, activity, takeFailure = () => false } = options
  const projects = createOrdered(options.projects.map((project) => [project.id, project] as const))
  const projectOf = new Map(
    options.projects.flatMap(({ id, computes }) => computes.map((compute) => [compute.id, id])),
  )
  const history = createHistory()
  const alarms = new Map<string, number>()
  const agenda = createAgenda<Due>()
  let stuck: (() => void)[] = []
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
  const carryOut = (effect: Effect, projectId: string): void => {
    history.note(effect, projectId)
    const report = consequenceOf(effect, now, latencies)
    const operation = projects.get(projectId)?.queue[0]?.operation
    if (!report) return
    if (!operation || !isWorkOf(effect, operation) || effect.kind === 'admit-clients')
      return agenda.add(now + report.after, { kind: 'event', projectId, event: report.event })
    const happens = (): void => {
      const { lockTime, failingOperations } = settings().faults
      const { retryIn } = failingOperations
      const event: Event = takeFailure()
        ? { kind: 'attempt-failed', operationId: operation.id, retryIn }
        : report.event
      agenda.add(now + report.after + 1000 * lockTime, { kind: 'event', projectId, event })
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
  const look = (): void => {
    const context = { now, settings: settings() }
    for (const project of projects.values()) setAlarm(project.id, wakeAtOf(project, context))
  }
  for (const endpointId of activity.keys()) follow(endpointId, 0)
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
    page: ({ after, limit, fits }) => firstFitting(projects.after(after), fits, limit),
    createProject: (project, asked) => {
      projects.set(project.id, project)
      const answer = dispatch(project.id, asked)?.answer
      if (!answer) throw new Error(`project ${project.id} could not be made`)
      if (!answer.ok) projects.delete(project.id)
      return answer
    },
    request: (projectId, asked) => dispatch(projectId, asked)?.answer,
    connect,
    project: (projectId) => projects.get(projectId),
    operation: (projectId, id) => history.operation(projectId, id),
    operations: (projectId, limit, before) => history.operations(projectId, limit, before),
    accounts: (at) => history.uses((id) => projects.get(id)).map((use) => accountAt(use, at)),
    accountsOf: (projectId, at) => {
      const project = projects.get(projectId)
      return project ? history.usesOf(project).map((use) => accountAt(use, at)) : []
    },
  }
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
