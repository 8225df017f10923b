// The shell around control/: keeps projects, makes steps durable, carries out effects and reports back.
import type { Clock } from '../clock.ts'
import { type ComputeUsage, usageAt, clipIntervals } from '../control/usage/usage.ts'
import { computeOf } from '../control/draft.ts'
import type { Answer, Event, Settings, StepResult } from '../control/events.ts'
import { createOrderedById } from '../control/ordered.ts'
import type { Plane } from '../control/plane.ts'
import type { Compute, Project, WakeCause } from '../control/project.ts'
import type { ClientSessions } from '../control/records.ts'
import { step } from '../control/step.ts'
import type { Computes } from '../compute/computes.ts'
import type { ComputeListener } from '../compute/orders.ts'
import { type EffectsOptions, createEffects } from './effects.ts'
import type { ProjectStore } from '../state/projects.ts'
import { type WakeAdmission, refuseWake } from './wake-queue.ts'

export type Engine = Plane & {
  compute(endpointId: string): Compute | undefined
  /** Wakes the compute; waits until it serves or the client has disconnected. Never rejects. */
  admit(endpointId: string, cause: WakeCause, disconnected: AbortSignal): Promise<WakeAdmission>
  /** Usage until `at`, ms, of every compute ever started or changed. */
  usages(at: number): ComputeUsage[]
  /** Calls for every project now and whenever its computes change; a deleted project has none. */
  watchComputes(listener: (project: Project) => void): void
  /** Port of a server behind the proxy; undefined while it accepts no connections. */
  serverPort(endpointId: string): number | undefined
  serverPorts(): readonly number[]
  /** Closes and resumes what a killed service left open: once at the start, while no server runs. */
  recover(): void
  /** Call it after a change of behaviour. */
  applyDue(): void
  /** Stops every server, closes every interval. Resolves when nothing runs. */
  stop(): Promise<void>
}

type EngineOptions = Omit<EffectsOptions, 'computes' | 'report'> &
  Readonly<{
    store: ProjectStore
    /** Client sessions at the proxy; `isLost`: also those that the server has just closed. */
    clientsOf: (endpointId: string, isLost?: boolean) => Omit<ClientSessions, 'working'>
    /** Makes all of `write` durable, or nothing. */
    commit: (write: () => void) => void
    makeComputes: (listener: ComputeListener) => Computes
    settings: () => Settings
  }>

/** No effect before the first request, client or `recover`. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, random, waiting } = options
  const projects = createOrderedById(store.load())
  const projectOf = new Map<string, string>()
  const listeners: ((project: Project) => void)[] = []
  let isClosed = false
  const sessionsOf = (endpointId: string, isLost = false): ClientSessions => {
    const clients = options.clientsOf(endpointId, isLost)
    return { ...clients, working: Math.min(clients.open, computes.working(endpointId)) }
  }
  const timers = createTimers(clock, (projectId) => void handleAlarm(projectId))
  const computes = options.makeComputes({
    onActivity: (endpointId, at) => {
      report(endpointId, { kind: 'activity', endpointId, at })
      options.log({ kind: 'activity', endpointId, at })
    },
    onGoal: (endpointId, cu) => void report(endpointId, { kind: 'goal', endpointId, cu }),
    onDied: (endpointId, message, stop) => {
      const crash = { at: clock.now(), why: 'crash', ...sessionsOf(endpointId, true) } as const
      const projectId = report(endpointId, { kind: 'died', endpointId, message, stop: stop ?? crash })
      if (projectId) options.log({ kind: 'died', endpointId, projectId, message })
    },
  })
  const reportTo: EffectsOptions['report'] = (projectId, event) => void dispatch(projectId, event)
  const carryOut = createEffects({ ...options, computes, report: reportTo })

  const dispatch = (projectId: string, event: Event) => {
    const before = projects.get(projectId)
    if (!before || isClosed) return undefined
    const context = {
      now: clock.now(),
      operationId: () => random.uuid(),
      sessions: sessionsOf,
      settings: options.settings(),
    }
    const result = step(before, event, context)
    const isDeleted = event.kind === 'delete-project' && result.answer?.ok === true
    if (isWorthWriting(before, event, result)) save(result, isDeleted)
    if (isDeleted) projects.delete(projectId)
    else projects.set(result.project)
    reindex(before, result.project)
    const operation = result.project.queue[0]?.operation
    for (const effect of result.effects) carryOut(effect, projectId, operation)
    timers.arm(projectId, result.wakeAt)
    return result
  }
  /** A request that cannot be written fails; a report holds, because the servers have changed. */
  const save = (result: StepResult, isDeleted: boolean) => {
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
  const report = (endpointId: string, event: Event) => {
    const projectId = projectOf.get(endpointId)
    if (projectId) dispatch(projectId, event)
    return projectId
  }
  const reindex = (before: Project | undefined, project: Project) => {
    const [previous, current] = [endpointIds(before), endpointIds(project)]
    if (previous.join() === current.join()) return
    for (const id of previous) projectOf.delete(id)
    for (const id of current) projectOf.set(id, project.id)
    for (const listener of listeners) listener(project)
  }
  /** Polls first: the last poll may be almost a period old. */
  const handleAlarm = async (projectId: string) => {
    const active = projects.get(projectId)?.computes.filter(({ state }) => state === 'active') ?? []
    await Promise.all(active.map(({ id }) => computes.poll(id)))
    dispatch(projectId, { kind: 'time' })
  }
  const dispatchToAll = (event: Event) => {
    for (const { id } of projects.values()) dispatch(id, event)
  }
  const compute = (endpointId: string) => {
    const project = projects.get(projectOf.get(endpointId) ?? '')
    return project && computeOf(project, endpointId)
  }
  for (const project of projects.values()) reindex(undefined, project)
  const engine: Engine = {
    page: projects.page,
    project: projects.get,
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
    later: (at, work) =>
      void clock.after(at - clock.now(), () => {
        if (isClosed) return
        try {
          work(engine)
        } catch (err) {
          options.log({ kind: 'problem', message: 'a late request could not be carried out', err })
        }
      }),
    operation: store.operation,
    operations: store.operations,
    intervals: (projectId, window) => {
      const open = projects.get(projectId)?.computes.flatMap(({ meter }) => meter.open ?? []) ?? []
      return clipIntervals(store.intervals(projectId, window), open, window)
    },
    compute,
    admit: (endpointId, cause, disconnected) => {
      const admission = waiting.join(endpointId, disconnected)
      if (!report(endpointId, { kind: 'client-waiting', endpointId, cause }))
        waiting.settle(endpointId, refuseWake('08004', `endpoint not found: ${endpointId}`))
      return admission
    },
    usages: (at) =>
      store.uses().map((use) => usageAt({ ...use, open: compute(use.endpointId)?.meter.open }, at)),
    watchComputes: (listener) => {
      listeners.push(listener)
      for (const project of projects.values()) listener(project)
    },
    serverPort: (endpointId) => computes.portOf(endpointId),
    serverPorts: () => computes.ports(),
    recover: () => dispatchToAll({ kind: 'recovered', resumes: true }),
    applyDue: () => dispatchToAll({ kind: 'time' }),
    stop: async () => {
      timers.clear()
      waiting.settleAll(refuseWake('57P03', 'the service is shutting down'))
      await computes.stopAll()
      dispatchToAll({ kind: 'recovered', resumes: false })
      timers.clear()
      isClosed = true // late reports, such as a last poll, change nothing
    },
  }
  return engine
}

const endpointIds = (project: Project | undefined) => project?.computes.map(({ id }) => id) ?? []

/** False for activity alone: a crash loses only its last instants. */
const isWorthWriting = (before: Project, event: Event, { project, effects }: StepResult) =>
  effects.length > 0 || (project !== before && event.kind !== 'activity')

function write(store: ProjectStore, { project, effects }: StepResult): void {
  store.saveProject(project)
  for (const effect of effects) {
    if (effect.kind === 'write-operation') store.saveOperation(effect.operation)
    if (effect.kind === 'write-interval') store.saveInterval(project.id, effect.endpointId, effect.interval)
    if (effect.kind === 'write-wake') store.saveWake(project.id, effect.endpointId, effect.wake)
    if (effect.kind === 'write-stop') store.saveStop(project.id, effect.endpointId, effect.stop)
    if (effect.kind === 'write-mutation') store.saveMutation(project.id, effect.endpointId, effect.mutation)
  }
}

/** Timers may fire early, so that activity needs no new one; the receiver checks the time and arms again. */
function createTimers(clock: Clock, fire: (projectId: string) => void) {
  const armed = new Map<string, Readonly<{ at: number; cancel: () => void }>>()
  return {
    /** Fires at `at`, ms, or earlier; undefined changes nothing. */
    arm: (projectId: string, at: number | undefined) => {
      const previous = armed.get(projectId)
      if (at === undefined || (previous && previous.at <= at)) return
      previous?.cancel()
      const cancel = clock.after(at - clock.now(), () => {
        armed.delete(projectId)
        fire(projectId)
      })
      armed.set(projectId, { at, cancel })
    },
    clear: () => {
      for (const { cancel } of armed.values()) cancel()
      armed.clear()
    },
  }
}
