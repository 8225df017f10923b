import { getConnInfo } from '@hono/node-server/conninfo'
import { ensureFirstKey, loadAccount } from './setup/identity.ts'
import type { Api } from './api/context.ts'
import { createSettingsCheck } from './compute/check-settings.ts'
import { createComputes } from './compute/computes.ts'
import type { ComputeListener, ComputesOptions } from './compute/orders.ts'
import { createEngine } from './engine/engine.ts'
import { createConnectedClients, openFrontend } from './proxy/postgres-frontend.ts'
import { type Prepared, prepare } from './setup/prepare.ts'
import { createHttp } from './api/app.ts'
import type { Local, LocalOptions } from './options.ts'
import { HISTORY_BEHAVIOUR } from './history/generate.ts'
import { listenOn, openPort } from './proxy/listen.ts'
import { loadHistoryInfo, monitoringPassword, requireSeeds, seedHistory, seedProjects } from './setup/seed.ts'
import { createKeyStore } from './state/keys.ts'
import type { BehaviourChange } from './engine/behaviour-switches.ts'
import { createBehaviourSwitches } from './engine/behaviour-switches.ts'
import { buildTruth } from './engine/truth.ts'
import { createWakeQueue } from './engine/wake-queue.ts'

export type { Local, LocalOptions } from './options.ts'

/**
 * Starts the service on a folder; resolves when its ports are open. Computes of a first start come up later.
 *
 * @throws with advice: port taken, no Postgres, folder locked, no user for Postgres, invalid project. No process runs then.
 */
export async function startLocal(options: LocalOptions): Promise<Local> {
  const { plan = 'scale', preset = 'interface', projects: seeds = [] } = options
  const subscription = { plan, preset }
  requireSeeds(seeds, {
    ...createBehaviourSwitches(behaviourOf(options, false)).behaviour(),
    ...subscription,
  })
  await using stack = new AsyncDisposableStack()
  const prepared = await prepare(options, stack)
  const { store, projects, paths, clock, random, log, cluster } = prepared
  if (options.past) seedHistory(options.past, prepared, subscription)
  const switches = createBehaviourSwitches(behaviourOf(options, loadHistoryInfo(store) !== undefined))
  const settings: Api['settings'] = () => ({ ...switches.behaviour(), ...subscription })
  const clients = createConnectedClients(prepared)
  stack.defer(clients.poolers.stopAll)
  const engine = createEngine({
    store: projects,
    commit: store.commit,
    clientsOf: clients.connections.sessions,
    makeComputes: (listener) =>
      createComputes({
        ...listener,
        ...serverOptions(prepared, settings),
        clientsOf: clients.connections.sessions,
      }),
    waiting: createWakeQueue(clock),
    dropConnections: clients.drop,
    settings,
    switches,
    clock,
    random,
    log,
  })
  stack.defer(() => engine.stop())
  engine.recover()
  const frontend = await openFrontend(prepared, { engine, clients, settings })
  stack.defer(() => frontend.close())
  const keys = createKeyStore(store)
  stack.defer(keys.flush)
  const truth = (at: number) => buildTruth(engine.usages(at), at, (id) => frontend.portOf(id))
  const password = monitoringPassword(store, random)
  const { certificateFile } = cluster.certificate
  const { server, close } = createHttp({
    plane: engine,
    keys,
    store,
    settings,
    switches,
    checkSettings: createSettingsCheck(paths.template, cluster),
    account: loadAccount(store, random, clock),
    pgVersion: cluster.binaries.major,
    proxyPort: frontend.port,
    monitoringPassword: password,
    host: { suffix: prepared.suffix, certificateFile, loopback: options.loopbackHosts ?? false },
    addressOf: (call) => getConnInfo(call).remote.address ?? '',
    truth,
    applyDue: () => engine.applyDue(),
    clock,
    random,
    log,
  })
  const choice = { setting: 'port', option: 'port', configured: options.port }
  const port = await openPort(store, choice, (candidate) => listenOn(server, candidate))
  stack.defer(close)
  const apiKey = ensureFirstKey(paths.apiKey, { keys, clock, random })
  seedProjects(seeds, { plane: engine, store, clock, random })
  await frontend.settled()
  const baseUrl = `http://127.0.0.1:${port}/api/v2`
  log({ kind: 'listening', baseUrl, proxyPort: frontend.port, postgres: cluster.binaries.version })
  const resources = stack.move()
  let stopping: Promise<void> | undefined
  return {
    baseUrl,
    apiKey,
    proxyPort: frontend.port,
    monitoringPassword: password,
    truth: (at) => truth(at === undefined ? clock.now() : Date.parse(at)),
    stop: () => (stopping ??= resources.disposeAsync()),
  }
}

const serverOptions = (
  { options, paths, projects, cluster, log }: Prepared,
  settings: ComputesOptions['settings'],
): Omit<ComputesOptions, keyof ComputeListener | 'clientsOf'> => ({
  folder: paths.branches,
  template: paths.template,
  cluster,
  cacheScale: options.cacheScale ?? 1,
  activityPoll: 1000 * (options.activityPoll ?? 0.5),
  goalEvery: 1000 * (options.autoscaleEvery ?? 5),
  settings,
  applied: projects.applied,
  setApplied: projects.setApplied,
  onProblem: (message, err) => log({ kind: 'problem', message, err }),
})

const behaviourOf = (options: LocalOptions, hasHistory: boolean): BehaviourChange => ({
  // the position of Q-11 that belongs to the preset (service-facts 12)
  ...(options.preset === '2026-03' && { connectionsBasis: 'min(max, 8×min)' }),
  ...(hasHistory && { countersLag: HISTORY_BEHAVIOUR.countersLag }),
  ...(options.allowShortDelays && { delayBelowMinimum: 'accepted' }),
  ...(options.lastActiveLag !== undefined && { lastActiveLag: options.lastActiveLag }),
  ...(options.wakeLatency && { wakeLatency: options.wakeLatency }),
  ...options.behaviour,
})
