// Wiring of the local service: the managed Postgres service on this machine.
import { getConnInfo } from '@hono/node-server/conninfo'
import { loadAccount, firstKey } from './setup/identity.ts'
import type { Api } from './api/context.ts'
import type { Clock } from './clock.ts'
import { createSettingsCheck } from './compute/check-settings.ts'
import { type Computes, createComputes } from './compute/computes.ts'
import { type Engine, type Hear, createEngine } from './engine/engine.ts'
import { type ConnectedClients, createConnectedClients, openFrontend } from './proxy/postgres-frontend.ts'
import { type Prepared, prepare } from './setup/prepare.ts'
import { createHttp } from './api/app.ts'
import { seedHistory, loadHistoryInfo } from './setup/seed-history.ts'
import type { Local, LocalOptions } from './options.ts'
import { LIVED_BEHAVIOUR } from './history/generate.ts'
import { listenOnFirstFree, listenOn, portTaken } from './proxy/listen.ts'
import { makeProjects, monitoringPassword, requireSeeds } from './setup/seed-projects.ts'
import { createKeyStore } from './state/keys.ts'
import {
  type BehaviourChange,
  type BehaviourSwitches,
  createBehaviourSwitches,
} from './engine/behaviour-switches.ts'
import { type Truth, buildTruth } from './engine/truth.ts'
import { WAKE_QUEUE_LIMITS, createWakeQueue } from './engine/wake-queue.ts'

export type { Local, LocalOptions } from './options.ts'

/**
 * Starts the service on a folder and resolves when its ports are open; computes of a first start come up after that.
 *
 * @throws with what to do about it: port taken, no Postgres, folder held by another service, no user for Postgres, a
 *   project that cannot be. A start that fails leaves nothing running.
 */
export async function startLocal(options: LocalOptions): Promise<Local> {
  requireSeeds(
    options.projects ?? [],
    settingsOf(options, createBehaviourSwitches(behaviourOf(options, false)))(),
  )
  await using stack = new AsyncDisposableStack()
  const ground = await prepare(options, stack)
  const { store, paths, clock, random, log, cluster } = ground
  if (options.past) seedHistory(options.past, ground, options.plan ?? 'paid')
  const switches = createBehaviourSwitches(behaviourOf(options, loadHistoryInfo(store) !== undefined))
  const settings = settingsOf(options, switches)
  const visitors = createConnectedClients(ground)
  stack.defer(() => visitors.poolers.stopAll())
  const engine = makeEngine(ground, { visitors, switches, settings })
  stack.defer(() => engine.stop())
  engine.recover()
  const doors = await openFrontend(ground, { engine, visitors, settings })
  stack.defer(() => doors.close())
  const keys = createKeyStore(store)
  stack.defer(() => keys.flush())
  const truth = (at: number): Truth => buildTruth(engine.accounts(at), at, (id) => doors.portOf(id))
  const api: Api = {
    plane: engine,
    keys,
    store,
    settings,
    switches,
    checkSettings: createSettingsCheck(paths.template, cluster),
    account: loadAccount(store, random, clock),
    pgVersion: cluster.binaries.major,
    proxyPort: doors.port,
    monitoringPassword: monitoringPassword(store, random),
    host: {
      suffix: ground.suffix,
      certificateFile: ground.certificate.certificateFile,
      loopback: options.loopbackHosts ?? false,
    },
    addressOf: (call) => getConnInfo(call).remote.address ?? '',
    truth,
    look: () => engine.look(),
    clock,
    random,
    log,
  }
  const port = await serveApi(api, ground, stack)
  const apiKey = firstKey({ path: ground.paths.apiKey, keys, clock, random })
  makeProjects(options.projects ?? [], { plane: engine, store, clock, random })
  await doors.settled()
  const baseUrl = `http://127.0.0.1:${port}/api/v2`
  log({ kind: 'listening', baseUrl, proxyPort: doors.port, postgres: cluster.binaries.version })
  return running(
    {
      baseUrl,
      apiKey,
      proxyPort: doors.port,
      monitoringPassword: api.monitoringPassword,
      truth,
      clock,
    },
    stack.move(),
  )
}

type RunningParts = Pick<Local, 'baseUrl' | 'apiKey' | 'proxyPort' | 'monitoringPassword'> & {
  readonly truth: (at: number) => Truth
  readonly clock: Clock
}

function running({ truth, clock, ...parts }: RunningParts, stack: AsyncDisposableStack): Local {
  let stopping: Promise<void> | undefined
  return {
    ...parts,
    truth: (at) => truth(at === undefined ? clock.now() : Date.parse(at)),
    stop: () => (stopping ??= stack.disposeAsync()),
  }
}

/** The switches as the options set them at the start. */
const behaviourOf = (options: LocalOptions, hasPast: boolean): BehaviourChange => ({
  ...(hasPast && { countersLag: LIVED_BEHAVIOUR.countersLag }),
  ...(options.allowShortDelays && { delayBelowMinimum: 'accepted' }),
  ...(options.lastActiveLag !== undefined && { lastActiveLag: options.lastActiveLag }),
  ...(options.wakeLatency && { wakeLatency: options.wakeLatency }),
  ...options.behaviour,
})

const settingsOf =
  ({ plan = 'paid' }: LocalOptions, switches: BehaviourSwitches): Api['settings'] =>
  () => ({ ...switches.behaviour(), plan })

type EngineParts = {
  readonly visitors: ConnectedClients
  readonly switches: BehaviourSwitches
  readonly settings: Api['settings']
}

function makeEngine(ground: Prepared, { visitors, switches, settings }: EngineParts): Engine {
  const { store, projects, clock, random, log } = ground
  return createEngine({
    store: projects,
    commit: (write) => store.commit(write),
    makeComputes: (hear) => makeComputes(ground, hear, switches),
    waiting: createWakeQueue(clock, WAKE_QUEUE_LIMITS),
    dropConnections: (endpointId) => visitors.drop(endpointId),
    settings,
    switches,
    clock,
    random,
    log,
  })
}

const makeComputes = (
  { options, paths, projects, cluster, log }: Prepared,
  hear: Hear,
  switches: BehaviourSwitches,
): Computes =>
  createComputes({
    ...hear,
    folder: paths.branches,
    template: paths.template,
    cluster,
    cacheScale: options.cacheScale ?? 1,
    activityPoll: 1000 * (options.activityPoll ?? 0.5),
    goalEvery: 1000 * (options.autoscaleEvery ?? 5),
    behaviour: () => switches.behaviour(),
    applied: (branchId) => projects.applied(branchId),
    setApplied: (branchId, version) => projects.setApplied(branchId, version),
    onProblem: (message, err) => log({ kind: 'problem', message, err }),
  })

async function serveApi(
  api: Api,
  { options, store }: Prepared,
  stack: AsyncDisposableStack,
): Promise<number> {
  const { server, close } = createHttp(api)
  const wanted = options.port ?? 0
  const port = await listenOnFirstFree(wanted || Number(store.setting('port') ?? 0), wanted, (at) =>
    listenOn(server, at),
  )
  if (port === undefined) throw portTaken(wanted, 'port')
  stack.defer(close)
  store.setSetting('port', String(port))
  return port
}
