// Postgres servers: one per awake compute, on its branch's data folder.
import { join } from 'node:path'
import type { ProcessOrder } from '../control/events.ts'
import type { SessionsAt, Stop } from '../control/records.ts'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import { copyBranch } from './branch-copy.ts'
import { maxConnectionsIn } from './configuration.ts'
import { removeFolder } from './files.ts'
import { createGate } from './gate.ts'
import { type Monitor, type MonitorListener, startMonitor, WORKING_TIMEOUT } from './monitor.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { originOf, spawnReplica } from './replica.ts'
import { dropSlot } from './slots.ts'
import { type Spawned, updateCatalogue, spawnPrimary } from './spawn.ts'

export type Computes = {
  /** Resolves when the server accepts connections; throws with the reason when it cannot. */
  start(order: StartOrder): Promise<void>
  /** Applies what needs no restart. */
  configure(order: ProcessOrder): Promise<void>
  /** No client is dropped. */
  resize(endpointId: string, cu: number): Promise<void>
  /** Resolves when no server runs, with the sessions it ended. Clients get `grace` ms to leave. */
  stop(endpointId: string, grace: number): Promise<SessionsAt | undefined>
  copyBranch(branchId: string, parentId: string): Promise<void>
  removeBranch(branchId: string): Promise<void>
  /** Removes data and slot of a replica that does not run. */
  removeReplica(endpointId: string, branchId: string): Promise<void>
  stopAll(): Promise<void>
  poll(endpointId: string): Promise<void>
  /** Client sessions inside a statement or transaction at the last look for activity. */
  working(endpointId: string): number
  /** Port of the server behind the proxy; undefined while it accepts no connections. */
  portOf(endpointId: string): number | undefined
  ports(): readonly number[]
}

type Running = Spawned & {
  readonly branchId: string
  readonly isReplica: boolean
  monitor?: Monitor
  /** Resolves when the monitor is connected, or cannot be. */
  watching?: Promise<void>
  /** Set once its stop has counted the sessions: a monitor that connects later would be a client that the stop waits for. */
  isUnwatched?: boolean
  /** Set once the service stops it: its end is no failure then. */
  isStopping: boolean
  /** Set once the service stops it for another compute. */
  stop?: Stop
}

/** More make each start of a burst slower on a small machine. */
const MAX_CONCURRENT_STARTS = 4

export function createComputes(options: ComputesOptions): Computes {
  const running = new Map<string, Running>()
  // branch → the last work on its data, which the next one waits for
  const branches = new Map<string, Promise<unknown>>()
  const gate = createGate(MAX_CONCURRENT_STARTS)
  const closing = new AbortController()

  const runInTurn = <Value>(branchId: string, work: () => Promise<Value>) => {
    const previous = branches.get(branchId) ?? Promise.resolve()
    const result = previous.then(work, work)
    branches.set(branchId, result)
    return result
  }
  const primaryOn = (branchId: string) =>
    [...running.values()].find((entry) => entry.branchId === branchId && !entry.isReplica)
  const replicasOn = (branchId: string) =>
    [...running].filter(([, entry]) => entry.branchId === branchId && entry.isReplica)
  const start = async (order: StartOrder) => {
    const { endpointId, branch } = order
    if (closing.signal.aborted) throw new Error('the local service is stopping')
    const isReplica = order.type === 'read_only'
    const spawned = await (isReplica ? startReplica(order) : startPrimary(order))
    const entry: Running = { ...spawned, branchId: branch.id, isReplica, isStopping: false }
    running.set(endpointId, entry)
    void entry.server.ended.then((words) => handleEnd(endpointId, entry, words))
    entry.watching = watchActivity(endpointId, entry)
  }
  /** A replica needs its primary's connections at least: those with fewer stop, and wake with more. */
  const startPrimary = async (order: StartOrder) => {
    const { id: branchId } = order.branch
    const needed = maxConnectionsOf(order.config, options.settings())
    for (const [endpointId, replica] of replicasOn(branchId)) {
      if (maxConnectionsIn(join(options.folder, endpointId)) >= needed) continue
      const working = await countWorking(replica)
      replica.stop = { ...sessionsAt(endpointId, working), why: 'config' }
      await replica.server.stop(0)
    }
    const spawned = await spawnPrimary(order, options)
    for (const [, replica] of replicasOn(branchId)) replica.follow(spawned.server.port)
    return spawned
  }
  const startReplica = async (order: StartOrder) => {
    const origin = originOf(join(options.folder, order.endpointId))
    if (origin !== undefined && origin !== order.branch.id) await removeReplica(order.endpointId, origin)
    return spawnReplica(order, primaryOn(order.branch.id)?.server.port, options)
  }
  const removeReplica = async (endpointId: string, branchId: string) => {
    const primary = primaryOn(branchId)
    if (primary) await dropSlot({ ...options.cluster, port: primary.server.port }, endpointId)
    await removeFolder(join(options.folder, endpointId))
  }
  const handleEnd = (endpointId: string, entry: Running, words: string) => {
    entry.monitor?.stop()
    entry.sizing.stop()
    if (running.get(endpointId) === entry) running.delete(endpointId)
    if (!entry.isReplica) for (const [, replica] of replicasOn(entry.branchId)) replica.follow(undefined)
    if (!entry.isStopping) options.onDied(endpointId, words, entry.stop)
  }
  const watchActivity = async (endpointId: string, entry: Running) => {
    const reportProblem: ComputesOptions['onProblem'] = (message, error) =>
      entry.isStopping || options.onProblem(message, error)
    try {
      const listener: MonitorListener = {
        onActivity: (at) => options.onActivity(endpointId, at),
        onWork: (reading) => entry.sizing.addReading(reading),
        onProblem: (error) => reportProblem('the activity of a compute could not be read', error),
      }
      const monitor = await startMonitor(entry.server.port, listener, options)
      if (running.get(endpointId) === entry && !entry.isUnwatched) entry.monitor = monitor
      else monitor.stop()
    } catch (error) {
      reportProblem('the activity of a compute cannot be watched', error)
    }
  }
  const sessionsAt = (endpointId: string, working: number): SessionsAt => {
    const clients = options.clientsOf(endpointId)
    return { at: options.cluster.clock.now(), ...clients, working: Math.min(working, clients.open) }
  }
  /** A server that is stopped right after its start has no monitor yet. */
  const countWorking = async (entry: Running): Promise<number> => {
    await Promise.race([entry.watching, options.cluster.clock.sleep(WORKING_TIMEOUT)])
    return (await entry.monitor?.countWorking()) ?? 0
  }
  const shutDown = async (endpointId: string, entry: Running, grace: number) => {
    const working = await countWorking(entry)
    entry.isUnwatched = true
    entry.monitor?.stop()
    let sessions: SessionsAt | undefined
    await entry.server.stop(grace, () => (sessions = sessionsAt(endpointId, working)))
    return sessions ?? sessionsAt(endpointId, 0)
  }
  const stop = async (endpointId: string, grace: number) => {
    const entry = running.get(endpointId)
    if (!entry) return undefined
    entry.isStopping = true
    entry.sizing.stop()
    return runInTurn(entry.branchId, () => shutDown(endpointId, entry, grace))
  }
  const resize = async (endpointId: string, cu: number) => {
    const entry = running.get(endpointId)
    await entry?.sizing.resize(cu)
    if (entry && running.get(endpointId) === entry && !entry.isStopping) entry.setSize(cu)
  }
  const copy = async (branchId: string, parentId: string) => {
    const { folder, cluster } = options
    const port = primaryOn(parentId)?.server.port
    await copyBranch({ from: join(folder, parentId), to: join(folder, branchId), port }, cluster)
    options.setApplied(branchId, options.applied(parentId))
  }
  return {
    start: (order) =>
      runInTurn(order.branch.id, async () => {
        await options.cluster.clock.sleep(order.latency, closing.signal)
        await gate(() => start(order))
      }),
    configure: async ({ endpointId, branch }) => {
      const entry = running.get(endpointId)
      if (entry && !entry.isReplica)
        await runInTurn(branch.id, () => updateCatalogue(entry.server.port, branch, options))
    },
    copyBranch: (branchId, parentId) =>
      runInTurn(parentId, () => runInTurn(branchId, () => copy(branchId, parentId))),
    removeBranch: async (branchId) => {
      await runInTurn(branchId, () => removeFolder(join(options.folder, branchId)))
      branches.delete(branchId)
      options.setApplied(branchId, undefined)
    },
    removeReplica: (endpointId, branchId) => runInTurn(branchId, () => removeReplica(endpointId, branchId)),
    resize,
    stop,
    stopAll: async () => {
      closing.abort()
      await Promise.allSettled(branches.values())
      await Promise.all([...running.keys()].map((endpointId) => stop(endpointId, 0)))
    },
    poll: async (endpointId) => running.get(endpointId)?.monitor?.poll(),
    working: (endpointId) => running.get(endpointId)?.monitor?.lastWorking() ?? 0,
    portOf: (endpointId) => running.get(endpointId)?.server.port,
    ports: () => [...running.values()].map(({ server }) => server.port),
  }
}
