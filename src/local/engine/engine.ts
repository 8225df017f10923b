// The shell around control/: keeps the projects, makes every step durable, carries out its effects and reports back.
import type { Clock } from '../clock.ts'
import { type ComputeUsage, type UseRecord, usageAt, clipIntervals } from '../control/usage/usage.ts'
import { computeOf } from '../control/draft.ts'
import type { Answer, Event, Settings, StepResult } from '../control/events.ts'
import { createOrderedById } from '../control/ordered.ts'
import type { Plane } from '../control/plane.ts'
import type { Compute, Project, WakeCause } from '../control/project.ts'
import { step } from '../control/step.ts'
import type { Computes } from '../compute/computes.ts'
import type { ComputeListener } from '../compute/orders.ts'
import { createEffects } from './effects.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import type { ProjectStore } from '../state/projects.ts'
import type { BehaviourSwitches } from './behaviour-switches.ts'
import { createProjectTimers } from './timers.ts'
import type { WakeAdmission, WakeQueue } from './wake-queue.ts'

export type Engine = Plane & {
  compute(endpointId: string): Compute | undefined
  /** Waits until the compute serves or the client has disconnected, and starts it when it sleeps. Never rejects. */
  admit(endpointId: string, cause: WakeCause, disconnected: AbortSignal): Promise<WakeAdmission>
  /** Usage until `at`, ms, of every compute that was ever started. */
  usages(at: number): ComputeUsage[]
  /** Calls for every project now, and again whenever its computes change; a deleted project has none. */
  watchComputes(listener: (project: Project) => void): void
  /** The port of a compute's server, behind the proxy; undefined while none accepts connections. */
  serverPort(endpointId: string): number | undefined
  /** Ports of all running servers, behind the proxy. */
  serverPorts(): readonly number[]
  /** Closes and resumes what a killed service left open. Call it once at the start, while no server runs. */
  recover(): void
  /** Applies what is due after the behaviour changed. */
  applyDue(): void
  /** Stops every server and closes every interval. Resolves when nothing runs. */
  stop(): Promise<void>
}

export type EngineOptions = {
  readonly store: ProjectStore
  /** Makes all that `write` does durable, or nothing. */
  readonly commit: (write: () => void) => void
  readonly makeComputes: (listener: ComputeListener) => Computes
  readonly waiting: WakeQueue
  readonly dropConnections: (endpointId: string) => void
  readonly settings: () => Settings
  readonly switches: BehaviourSwitches
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Loads the projects. No effect is carried out before the first request, client or `recover`. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, random, waiting } = options
  const projects = createOrderedById(store.load())
  const projectOf = new Map<string, string>()
  const listeners: ((project: Project) => void)[] = []
  let isClosed = false
  const timers = createProjectTimers(clock, (projectId) => void handleAlarm(projectId))
  const computes = options.makeComputes({
    onActivity: (endpointId, at) => {
      report(endpointId, { kind: 'activity', endpointId, at })
      options.log({ kind: 'activity', endpointId, at })
    },
    onGoal: (endpointId, cu) => void report(endpointId, { kind: 'goal', endpointId, cu }),
    onDied: (endpointId, message) => {
      const projectId = report(endpointId, { kind: 'died', endpointId, message })
      if (projectId) options.log({ kind: 'died', endpointId, projectId, message })
    },
  })
  const effects = createEffects({
    ...options,
    computes,
    report: (projectId, event) => void dispatch(projectId, event),
  })

  const dispatch = (projectId: string, event: Event): StepResult | undefined => {
    const before = projects.get(projectId)
    if (!before || isClosed) return undefined
    const context = { now: clock.now(), operationId: () => random.uuid(), settings: options.settings() }
    const result = step(before, event, context)
    const isDeleted = event.kind === 'delete-project' && result.answer?.ok === true
    if (isWorthWriting(before, event, result)) save(result, isDeleted)
    if (isDeleted) projects.delete(projectId)
    else projects.set(result.project)
    reindex(before, result.project)
    const operation = result.project.queue[0]?.operation
    for (const effect of result.effects) effects.carryOut(effect, projectId, operation)
    timers.arm(projectId, result.wakeAt)
    return result
  }
  /** A request that cannot be written fails. A report holds even so, because the servers have already changed. */
  const save = (result: StepResult, isDeleted: boolean): void => {
    try {
      options.commit(() => {
        write(store, result)
        if (isDeleted) store.deleteProject(result.project.id)
      })
    } catch (err) {
      if (result.answer) throw err
      options.log({ kind: 'problem', message: 'the state of a project could not be written', err })
    }
  }
  const report = (endpointId: string, event: Event): string | undefined => {
    const projectId = projectOf.get(endpointId)
    if (projectId) dispatch(projectId, event)
    return projectId
  }
  const reindex = (before: Project | undefined, project: Project): void => {
    const [previous, current] = [endpointIds(before), endpointIds(project)]
    if (previous.join() === current.join()) return
    for (const id of previous) projectOf.delete(id)
    for (const id of current) projectOf.set(id, project.id)
    for (const listener of listeners) listener(project)
  }
  /** Polls for activity before anything is suspended: the last poll may be almost a period old. */
  const handleAlarm = async (projectId: string): Promise<void> => {
    const active = projects.get(projectId)?.computes.filter(({ state }) => state === 'active') ?? []
    await Promise.all(active.map(({ id }) => computes.poll(id)))
    dispatch(projectId, { kind: 'time' })
  }
  const recover = (resumes: boolean): void => {
    for (const { id } of projects.values()) dispatch(id, { kind: 'recovered', resumes })
  }
  for (const project of projects.values()) reindex(undefined, project)
  return {
    page: (query) => projects.page(query),
    project: (projectId) => projects.get(projectId),
    createProject: (project, request) => {
      projects.set(project)
      let answer: Answer | undefined
      try {
        answer = dispatch(project.id, request)?.answer
      } finally {
        if (!answer?.ok) projects.delete(project.id)
      }
      if (!answer) throw new Error('the service is stopping')
      return answer
    },
    request: (projectId, request) => dispatch(projectId, request)?.answer,
    operation: (projectId, operationId) => store.operation(projectId, operationId),
    operations: (projectId, limit, before) => store.operations(projectId, limit, before),
    intervals: (projectId, window) => {
      const open = projects.get(projectId)?.computes.flatMap(({ meter }) => meter.open ?? []) ?? []
      return clipIntervals(store.intervals(projectId, window), open, window)
    },
    compute: (endpointId) => {
      const project = projects.get(projectOf.get(endpointId) ?? '')
      return project && computeOf(project, endpointId)
    },
    admit: (endpointId, cause, disconnected) => {
      const admission = waiting.join(endpointId, disconnected)
      if (!report(endpointId, { kind: 'client-waiting', endpointId, cause })) {
        waiting.settle(endpointId, { ok: false, code: '08004', message: `endpoint not found: ${endpointId}` })
      }
      return admission
    },
    usages: (at) => withOpen(store.uses(), (id) => projects.get(id)).map((use) => usageAt(use, at)),
    watchComputes: (listener) => {
      listeners.push(listener)
      for (const project of projects.values()) listener(project)
    },
    serverPort: (endpointId) => computes.portOf(endpointId),
    serverPorts: () => computes.ports(),
    recover: () => recover(true),
    applyDue: () => {
      for (const { id } of projects.values()) dispatch(id, { kind: 'time' })
    },
    stop: async () => {
      timers.clear()
      waiting.settleAll({ ok: false, code: '57P03', message: 'the service is shutting down' })
      await computes.stopAll()
      recover(false)
      timers.clear()
      isClosed = true // late reports, such as the last poll of a server, change nothing
    },
  }
}

const endpointIds = (project: Project | undefined): readonly string[] =>
  project?.computes.map(({ id }) => id) ?? []

/** Whether a step must be durable. Activity alone need not be: a crash loses only its last instants. */
const isWorthWriting = (before: Project, event: Event, { project, effects }: StepResult): boolean =>
  effects.length > 0 || (project !== before && event.kind !== 'activity')

function write(store: ProjectStore, { project, effects }: StepResult): void {
  store.saveProject(project)
  for (const effect of effects) {
    if (effect.kind === 'write-operation') store.saveOperation(effect.operation)
    if (effect.kind === 'write-interval') store.saveInterval(project.id, effect.endpointId, effect.interval)
    if (effect.kind === 'write-wake') store.saveWake(project.id, effect.endpointId, effect.wake)
  }
}

/** Adds the awake intervals in progress to the stored usage. */
const withOpen = (
  uses: readonly UseRecord[],
  projectOf: (projectId: string) => Project | undefined,
): UseRecord[] =>
  uses.map((use) => {
    const project = projectOf(use.projectId)
    return { ...use, open: project && computeOf(project, use.endpointId)?.meter.open }
  })
