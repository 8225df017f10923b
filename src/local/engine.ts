// The shell around control/: keeps the projects, makes every step durable, carries out its effects, reports back.
import type { Clock } from './clock.ts'
import { type ComputeAccount, type UseRecord, accountAt } from './control/account.ts'
import type { Answer, Effect, Event, Request, Settings, StepResult } from './control/events.ts'
import type { Project, WakeCause } from './control/project.ts'
import { step } from './control/step.ts'
import type { Computes } from './compute/computes.ts'
import type { Log } from './log.ts'
import type { Random } from './random.ts'
import type { ProjectStore } from './state/projects.ts'
import { createTimers } from './timers.ts'
import type { Admission, Waiting } from './waiting.ts'

export type Engine = {
  /** By id ascending. */
  projects(): readonly Project[]
  project(projectId: string): Project | undefined
  /** Adds a project that is not there yet; durable when this returns. */
  addProject(project: Project): void
  /** The answer is durable when this returns; undefined for an unknown project. */
  request(projectId: string, asked: Request): Answer | undefined
  /** Waits until the compute serves, and starts it when it sleeps. Never rejects. */
  admit(endpointId: string, cause: WakeCause): Promise<Admission>
  /** Every compute that was ever started, and what it used until `at`, ms. */
  accounts(at: number): ComputeAccount[]
  /** Calls for every project now, and for one whenever a compute of it came or went. */
  watchComputes(listener: (project: Project) => void): void
  /** Ports of the servers that run, behind the proxy. */
  serverPorts(): readonly number[]
  /** When no process runs, at the start of the service: closes what a killed service left open. */
  recover(): void
  /** Stops every server and closes every interval. Resolves when nothing runs. */
  stop(): Promise<void>
}

/** What the servers have to say. */
export type Hear = {
  readonly onActivity: (endpointId: string, at: number) => void
  readonly onDied: (endpointId: string, words: string) => void
}

export type EngineOptions = {
  readonly store: ProjectStore
  /** Durable as one, or not at all. */
  readonly commit: (write: () => void) => void
  readonly makeComputes: (hear: Hear) => Computes
  readonly waiting: Waiting
  readonly dropConnections: (endpointId: string) => void
  readonly settings: Settings
  /** Extra seconds of a start, drawn anew for each. */
  readonly wakeLatency: { readonly min: number; readonly max: number }
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Loads the projects. No effect is carried out before the first request, client or `recover`. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, random, settings, waiting } = options
  const projects = new Map(store.load().map((project) => [project.id, project]))
  const projectOf = new Map<string, string>()
  const listeners: ((project: Project) => void)[] = []
  let closed = false
  const timers = createTimers(clock, (projectId) => void timeReached(projectId))
  const computes = options.makeComputes({
    onActivity: (endpointId, at) => void report(endpointId, { kind: 'activity', endpointId, at }),
    onDied: (endpointId, message) => {
      const projectId = report(endpointId, { kind: 'died', endpointId, message })
      if (projectId) options.log({ kind: 'died', endpointId, projectId, message })
    },
  })

  const dispatch = (projectId: string, event: Event): StepResult | undefined => {
    const before = projects.get(projectId)
    if (!before || closed) return undefined
    const result = step(before, event, { now: clock.now(), operationId: () => random.uuid(), settings })
    if (isWorthWriting(before, event, result)) save(result)
    projects.set(projectId, result.project)
    reindex(before, result.project)
    for (const effect of result.effects) carryOut(effect, projectId)
    timers.arm(projectId, result.wakeAt)
    return result
  }
  /** A request that cannot be written is not done; what has happened already is true even so. */
  const save = (result: StepResult): void => {
    try {
      options.commit(() => write(store, result))
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
    if (before?.computes.length === project.computes.length) return
    for (const { id } of before?.computes ?? []) projectOf.delete(id)
    for (const { id } of project.computes) projectOf.set(id, project.id)
    for (const listener of listeners) listener(project)
  }
  const carryOut = (effect: Effect, projectId: string): void => {
    switch (effect.kind) {
      case 'start-process':
        return void startProcess(effect, projectId)
      case 'stop-process':
        return void stopProcess(effect.endpointId, projectId)
      case 'configure':
        // nothing that a running server could take over without a restart can change today
        return queueMicrotask(() =>
          dispatch(projectId, { kind: 'configured', endpointId: effect.endpointId }),
        )
      case 'drop-connections':
        return options.dropConnections(effect.endpointId)
      case 'admit-clients':
        return waiting.settle(
          effect.endpointId,
          admissionTo(effect.endpointId, computes.portOf(effect.endpointId)),
        )
      case 'refuse-clients':
        return waiting.settle(effect.endpointId, { ok: false, code: '57P03', message: effect.because })
      case 'write-operation':
      case 'write-interval':
      case 'write-wake':
        return undefined
    }
  }
  const startProcess = async (
    effect: Effect & { kind: 'start-process' },
    projectId: string,
  ): Promise<void> => {
    const { endpointId } = effect
    const { min, max } = options.wakeLatency
    const askedAt = clock.now()
    try {
      await computes.start({ ...effect, latency: 1000 * (min + (max - min) * random.uniform()) })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      options.log({ kind: 'start-failed', endpointId, projectId, message })
      dispatch(projectId, { kind: 'start-failed', endpointId, message })
      return
    }
    dispatch(projectId, { kind: 'started', endpointId })
    options.log({ kind: 'started', endpointId, projectId, seconds: (clock.now() - askedAt) / 1000 })
  }
  const stopProcess = async (endpointId: string, projectId: string): Promise<void> => {
    await computes.stop(endpointId)
    dispatch(projectId, { kind: 'stopped', endpointId })
    options.log({ kind: 'stopped', endpointId, projectId })
  }
  /** Looks once more before it suspends: the last poll may be almost a period old. */
  const timeReached = async (projectId: string): Promise<void> => {
    const active = projects.get(projectId)?.computes.filter(({ state }) => state === 'active') ?? []
    await Promise.all(active.map(({ id }) => computes.poll(id)))
    dispatch(projectId, { kind: 'time' })
  }
  const recover = (): void => {
    for (const projectId of projects.keys()) dispatch(projectId, { kind: 'recovered' })
    timers.clear()
  }
  for (const project of projects.values()) reindex(undefined, project)
  return {
    projects: () => [...projects.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    project: (projectId) => projects.get(projectId),
    addProject: (project) => {
      options.commit(() => store.saveProject(project))
      projects.set(project.id, project)
      reindex(undefined, project)
    },
    request: (projectId, asked) => dispatch(projectId, asked)?.answer,
    admit: (endpointId, cause) => {
      const admission = waiting.join(endpointId)
      if (!report(endpointId, { kind: 'client-waiting', endpointId, cause })) {
        waiting.settle(endpointId, { ok: false, code: '08004', message: `endpoint not found: ${endpointId}` })
      }
      return admission
    },
    accounts: (at) => withOpen(store.uses(), projects).map((use) => accountAt(use, at)),
    watchComputes: (listener) => {
      listeners.push(listener)
      for (const project of projects.values()) listener(project)
    },
    serverPorts: () => computes.ports(),
    recover,
    stop: async () => {
      timers.clear()
      waiting.settleAll({ ok: false, code: '57P03', message: 'the service is shutting down' })
      await computes.stopAll()
      recover()
      closed = true // what comes in late, such as the last poll of a server, finds nothing to change
    },
  }
}

/** Activity alone is not: what a crash loses of it are its last instants. */
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

const admissionTo = (endpointId: string, port: number | undefined): Admission =>
  port === undefined
    ? { ok: false, code: '57P03', message: `endpoint ${endpointId} has just stopped, try again` }
    : { ok: true, port }

/** Adds the intervals that still run to what is on disk. */
function withOpen(uses: readonly UseRecord[], projects: ReadonlyMap<string, Project>): UseRecord[] {
  const open = new Map(
    [...projects.values()].flatMap(({ computes }) =>
      computes.map(({ id, meter }) => [id, meter.open] as const),
    ),
  )
  return uses.map((use) => ({ ...use, open: open.get(use.endpointId) }))
}
