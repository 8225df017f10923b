// The service over simulated computes: the same API and rules, without Postgres, for thousands of projects.
import { loadAccount } from '../../src/local/setup/identity.ts'
import { createApp, createHttp } from '../../src/local/api/app.ts'
import type { Api } from '../../src/local/api/context.ts'
import { REGION } from '../../src/local/api/wire/records.ts'
import { KEY_LENGTH, firstCatalogue } from '../../src/local/setup/default-catalogue.ts'
import { type Clock, createClock } from '../../src/local/clock.ts'
import { DEFAULT_CONFIG } from '../../src/local/control/config.ts'
import { UNUSED } from '../../src/local/control/usage/meter.ts'
import type { ComputeUsage } from '../../src/local/control/usage/usage.ts'
import type { PlanAndPreset } from '../../src/local/control/sizing/plans.ts'
import type { Plane } from '../../src/local/control/plane.ts'
import { newProject } from '../../src/local/control/requests/project-requests.ts'
import type { Compute, Project, WakeCause } from '../../src/local/control/project.ts'
import {
  type SimulatedEvent,
  type Simulation,
  type SimulationOptions,
  createSimulation,
} from '../../src/local/control/simulation/simulation.ts'
import type { QuerySession } from '../../src/local/control/simulation/client-sessions.ts'
import { HISTORY_BEHAVIOUR, LATENCIES } from '../../src/local/history/generate.ts'
import { type HistoryOptions, projectLife } from '../../src/local/history/project-life.ts'
import type { Log } from '../../src/local/log.ts'
import { listenOn } from '../../src/local/proxy/listen.ts'
import { type Random, createRandom } from '../../src/local/random.ts'
import type { SeedProject } from '../../src/local/options.ts'
import { createKeyStore } from '../../src/local/state/keys.ts'
import { type Store, openStore } from '../../src/local/state/store.ts'
import { type BehaviourChange, createBehaviourSwitches } from '../../src/local/engine/behaviour-switches.ts'
import { type Truth, buildTruth } from '../../src/local/engine/truth.ts'

export type SimulatedOptions = {
  /** Each has a default branch and a primary compute, idle at first. */
  readonly projects: readonly SimulatedProject[]
  /** Generates further projects with a history of `span` seconds; their clients continue afterwards. */
  readonly past?: { readonly span: number; readonly projects: number; readonly seed: number }
  /** Further events, each sequence in order of time; they may be endless. */
  readonly scripts?: readonly Iterable<SimulatedEvent>[]
  /** Time of the simulation. Due events are applied at the next request. Default: the machine's clock. */
  readonly clock?: Clock
  /** Start of the simulation, ms. Default: now. */
  readonly since?: number
  /** Port of the API; default 0: any. */
  readonly port?: number
  /** Default scale and interface. */
  readonly plan?: PlanAndPreset['plan']
  readonly preset?: PlanAndPreset['preset']
  readonly behaviour?: BehaviourChange
  readonly log?: Log
}

export type SimulatedProject = SeedProject & {
  /** Maximum of a range with the minimum `cu`; default a fixed size. */
  readonly maxCu?: number
  /** Instants at which a client runs a query, ascending, ms. */
  readonly activity?: Iterable<number>
}

export type Simulated = {
  /** `http://127.0.0.1:PORT/api/v2`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Applies all due events, as a request does. */
  advance(): void
  /** Serves a request without a connection. */
  fetch(request: Request): Promise<Response>
  /** Lets a client run one query now, in its session or a new one. */
  connect(endpointId: string, cause: WakeCause, session?: QuerySession): void
  /** Of clients, open now. */
  sessions(endpointId: string): ReturnType<Simulation['sessions']>
  project(projectId: string): Project | undefined
  /** Exact usage of every compute that was ever started or changed, now or at an instant, ms. */
  truth(at?: number): Truth
  /** The same with the branch of each interval. */
  usages(at: number): readonly ComputeUsage[]
  stop(): Promise<void>
}

/** Durations of simulated work, ms. A start takes the middle of the configured wake latency. */
const STOP = 100
const CONFIGURE = 50

/** @throws when the port is taken */
export async function startSimulated(options: SimulatedOptions): Promise<Simulated> {
  const clock = options.clock ?? createClock()
  const random = createRandom(undefined)
  const store = openStore(':memory:')
  if (!store) throw new Error('a database in memory is held by nobody else')
  const { api, now } = simulatedApi(options, { clock, random, store })
  now()
  const apiKey = random.text(KEY_LENGTH)
  api.keys.create('simulated', apiKey, clock.now())
  const { server, close } = createHttp(api)
  const port = await listenOn(server, options.port ?? 0)
  if (port === undefined) throw new Error(`port ${options.port} on 127.0.0.1 is in use`)
  const app = createApp(api)
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v2`,
    apiKey,
    advance: () => void now(),
    fetch: async (request) => app.fetch(request),
    connect: (endpointId, cause, session) => now().connect(endpointId, cause, session),
    sessions: (endpointId) => now().sessions(endpointId),
    project: (projectId) => now().project(projectId),
    truth: (at) => api.truth(at ?? clock.now()),
    usages: (at) => now().usages(at),
    stop: async () => {
      await close()
      store.close()
    },
  }
}

type Parts = { readonly clock: Clock; readonly random: Random; readonly store: Store }

function simulatedApi(
  options: SimulatedOptions,
  { clock, random, store }: Parts,
): { readonly api: Api; readonly now: () => Simulation } {
  const { plan = 'scale', preset = 'interface' } = options
  const switches = createBehaviourSwitches({ ...(options.past && HISTORY_BEHAVIOUR), ...options.behaviour })
  const settings: Api['settings'] = () => ({ ...switches.behaviour(), plan, preset })
  const simulation = simulationOf(options, { clock, random, switches, settings })
  const now = (): Simulation => {
    simulation.advance(clock.now())
    return simulation
  }
  const api: Api = {
    plane: planeOf(now),
    keys: createKeyStore(store),
    store,
    settings,
    switches,
    checkSettings: () => Promise.resolve(undefined), // only a Postgres server could check them
    account: loadAccount(store, random, clock),
    pgVersion: 17,
    proxyPort: 0,
    monitoringPassword: random.text(24),
    host: { suffix: `${REGION}.localhost`, certificateFile: '', loopback: false },
    addressOf: () => '127.0.0.1',
    truth: (at) => buildTruth(now().usages(at), at, () => undefined),
    applyDue: () => now().resetAlarms(),
    clock,
    random,
    log: options.log ?? (() => undefined),
  }
  return { api, now }
}

type Rules = Pick<Parts, 'clock' | 'random'> & Pick<Api, 'switches' | 'settings'>

function simulationOf(options: SimulatedOptions, { clock, random, switches, settings }: Rules): Simulation {
  const { past } = options
  const to = clock.now()
  const from = past ? to - 1000 * past.span : (options.since ?? to)
  const { min, max } = switches.behaviour().wakeLatency
  const lives = projectLives({
    ...(past ?? { projects: 0, seed: 0 }),
    from,
    to,
    plan: settings().plan,
    preset: settings().preset,
    catalogueOf: (now) => firstCatalogue({ monitoringPassword: 'simulated', random, now }),
  })
  return createSimulation({
    projects: projectsOf(options.projects, random, from),
    from,
    settings,
    activity: new Map(options.projects.map(({ activity = [] }, at) => [idsOf(at).endpointId, activity])),
    scripts: [...lives.scripts, ...(options.scripts ?? [])],
    latencies: past ? lives.latencies : { start: 500 * (min + max), stop: STOP, configure: CONFIGURE },
    wakeLatency: lives.wakeLatency,
    takeError: lives.takeError,
    takeFailure: (projectId) => lives.takeFailure(projectId) || switches.take('failingOperations'),
  })
}

type ProjectLives = Required<
  Pick<SimulationOptions, 'latencies' | 'scripts' | 'wakeLatency' | 'takeFailure' | 'takeError'>
>

/** The lives of all projects together, for a simulation that continues after the history. */
export function projectLives(options: HistoryOptions): ProjectLives {
  const lives = Array.from({ length: options.projects }, (_, number) => projectLife(number, options))
  const byId = new Map(lives.map((life) => [life.projectId, life]))
  return {
    latencies: LATENCIES,
    scripts: lives.flatMap(({ scripts }) => scripts),
    wakeLatency: (projectId) => byId.get(projectId)?.wakeLatency() ?? 0,
    takeFailure: (projectId) => byId.get(projectId)?.takeFailure() ?? false,
    takeError: (projectId) => byId.get(projectId)?.takeError(),
  }
}

/** A control plane that applies all due events before each request. */
const planeOf = (now: () => Simulation): Plane => ({
  page: (query) => now().page(query),
  project: (projectId) => now().project(projectId),
  createProject: (project, asked) => now().createProject(project, asked),
  request: (projectId, asked) => now().request(projectId, asked),
  later: (at, work) => now().later(at, work),
  intervals: (projectId, window) => now().intervals(projectId, window),
  operation: (projectId, operationId) => now().operation(projectId, operationId),
  operations: (projectId, limit, before) => now().operations(projectId, limit, before),
})

type Ids = { readonly projectId: string; readonly branchId: string; readonly endpointId: string }

/** Ids of the nth project: equal in every simulation, in the order of the projects. */
export function idsOf(at: number): Ids {
  const number = String(at).padStart(6, '0')
  return { projectId: `local-${number}`, branchId: `br-${number}`, endpointId: `ep-${number}` }
}

function projectsOf(seeds: readonly SimulatedProject[], random: Random, now: number): Project[] {
  const catalogue = firstCatalogue({ monitoringPassword: 'simulated', random, now })
  return seeds.map((seed, at) => {
    const { projectId: id, branchId } = idsOf(at)
    const project = newProject({
      id,
      name: seed.name,
      branch: { id: branchId, name: 'main', catalogue },
      now,
    })
    return { ...project, computes: [sleepingCompute(seed, at, now)] }
  })
}

function sleepingCompute(
  { cu, maxCu, suspendTimeoutSeconds }: SimulatedProject,
  at: number,
  now: number,
): Compute {
  const { endpointId, branchId } = idsOf(at)
  return {
    id: endpointId,
    type: 'read_write',
    branchId,
    config: {
      ...DEFAULT_CONFIG,
      ...(cu !== undefined && { minCu: cu, maxCu: maxCu ?? cu }),
      ...(suspendTimeoutSeconds !== undefined && { suspendTimeout: suspendTimeoutSeconds }),
    },
    createdAt: now,
    updatedAt: now,
    state: 'idle',
    pending: undefined,
    startedAt: undefined,
    suspendedAt: now,
    activity: { settled: undefined, recent: [] },
    wanted: undefined,
    release: undefined,
    checks: 0,
    meter: UNUSED,
  }
}
