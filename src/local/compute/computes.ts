// The Postgres servers of this folder: one per awake compute, on the data folder of its branch.
import { join } from 'node:path'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import { copyBranch, removeFolder } from './branch-copy.ts'
import { maxConnectionsIn } from './configuration.ts'
import { createGate } from './gate.ts'
import { type Monitor, startMonitor } from './monitor.ts'
import type { ComputesOptions, ConfigureOrder, StartOrder } from './orders.ts'
import { type Replica, originOf, spawnReplica } from './replica.ts'
import { dropSlot } from './slots.ts'
import { type Spawned, catalogueOn, spawnPrimary } from './spawn.ts'

export type Computes = {
  /** Starts the server of a compute; resolves when it accepts connections, throws with the reason when it cannot. */
  start(order: StartOrder): Promise<void>
  /** Makes a running server what the order says, as far as that needs no restart. */
  configure(order: ConfigureOrder): Promise<void>
  /** Makes a running server one of another size; nobody is dropped. */
  resize(endpointId: string, cu: number): Promise<void>
  /** Resolves when the server is gone; at once when there is none. Clients get `grace` ms to leave by themselves. */
  stop(endpointId: string, grace: number): Promise<void>
  /** Makes the data of a branch out of its parent's. */
  copyBranch(branchId: string, parentId: string): Promise<void>
  /** Removes the data of a branch once nothing runs on it. */
  removeBranch(branchId: string): Promise<void>
  /** Removes the data and the slot of a replica once it does not run. */
  removeReplica(endpointId: string, branchId: string): Promise<void>
  stopAll(): Promise<void>
  /** Looks for activity now, outside the rhythm. */
  poll(endpointId: string): Promise<void>
  /** The port of the server itself, behind the proxy; undefined while none accepts connections. */
  portOf(endpointId: string): number | undefined
  /** Ports of all servers that accept connections. */
  ports(): readonly number[]
}

/** `stopping` is set when the end is wanted, so that it is no death. */
type Running = Spawned & {
  readonly branchId: string
  /** Of a replica only. */
  readonly follow: Replica['follow'] | undefined
  monitor: Monitor | undefined
  stopping: boolean
}

/** Servers started at once. Doubled, a burst of wakes makes each of them slower on a small machine. */
const STARTS_AT_ONCE = 4

export function createComputes(options: ComputesOptions): Computes {
  const running = new Map<string, Running>()
  // branch → the last thing done to its data folder, which the next one waits for
  const branches = new Map<string, Promise<unknown>>()
  const gate = createGate(STARTS_AT_ONCE)
  const closing = new AbortController()

  const inTurn = <Value>(branchId: string, work: () => Promise<Value>): Promise<Value> => {
    const before = branches.get(branchId) ?? Promise.resolve()
    const done = before.then(work, work)
    branches.set(branchId, done)
    return done
  }
  const primaryOn = (branchId: string): Running | undefined =>
    [...running.values()].find((entry) => entry.branchId === branchId && !entry.follow)
  const replicasOn = (branchId: string): [string, Running][] =>
    [...running].filter(([, entry]) => entry.branchId === branchId && entry.follow)
  const start = async (order: StartOrder): Promise<void> => {
    const { endpointId, branch } = order
    if (closing.signal.aborted) throw new Error('the local service is stopping')
    const spawned = order.type === 'read_only' ? await startReplica(order) : await startPrimary(order)
    const entry: Running = { ...spawned, branchId: branch.id, monitor: undefined, stopping: false }
    running.set(endpointId, entry)
    void entry.server.ended.then((words) => ended(endpointId, entry, words))
    void watch(endpointId, entry)
  }
  /** Replicas with fewer connections than the primary will have must end first; their clients wake them with more. */
  const startPrimary = async (order: StartOrder): Promise<Spawned & { readonly follow: undefined }> => {
    const { id: branchId } = order.branch
    const needed = maxConnectionsOf(order.config, options.behaviour().connectionsBasis)
    for (const [endpointId, replica] of replicasOn(branchId))
      if (maxConnectionsIn(join(options.folder, endpointId)) < needed) await replica.server.stop(0)
    const spawned = await spawnPrimary(order, options)
    for (const [, replica] of replicasOn(branchId)) replica.follow?.(spawned.server.port)
    return { ...spawned, follow: undefined }
  }
  const startReplica = async (order: StartOrder): Promise<Replica> => {
    const origin = originOf(join(options.folder, order.endpointId))
    if (origin !== undefined && origin !== order.branch.id) await forgetReplica(order.endpointId, origin)
    return spawnReplica(order, primaryOn(order.branch.id)?.server.port, options)
  }
  const forgetReplica = async (endpointId: string, branchId: string): Promise<void> => {
    const primary = primaryOn(branchId)
    const { password } = options.cluster
    if (primary) await dropSlot({ port: primary.server.port, password }, endpointId)
    await removeFolder(join(options.folder, endpointId))
  }
  const ended = (endpointId: string, entry: Running, words: string): void => {
    entry.monitor?.stop()
    entry.sizing.stop()
    if (running.get(endpointId) === entry) running.delete(endpointId)
    if (!entry.follow) for (const [, replica] of replicasOn(entry.branchId)) replica.follow?.(undefined)
    if (!entry.stopping) options.onDied(endpointId, words)
  }
  const watch = async (endpointId: string, entry: Running): Promise<void> => {
    try {
      const monitor = await startMonitor({
        port: entry.server.port,
        password: options.cluster.password,
        every: options.activityPoll,
        rule1: () => options.behaviour().activityRule1,
        clock: options.cluster.clock,
        onActivity: (at) => options.onActivity(endpointId, at),
        onWork: (reading) => entry.sizing.seen(reading),
        onProblem: (error) =>
          entry.stopping || options.onProblem('the activity of a compute could not be read', error),
      })
      if (running.get(endpointId) === entry && !entry.stopping) entry.monitor = monitor
      else monitor.stop()
    } catch (error) {
      if (!entry.stopping) options.onProblem('the activity of a compute cannot be watched', error)
    }
  }
  const stop = async (endpointId: string, grace: number): Promise<void> => {
    const entry = running.get(endpointId)
    if (!entry) return
    entry.stopping = true
    entry.monitor?.stop()
    entry.sizing.stop()
    await inTurn(entry.branchId, () => entry.server.stop(grace))
  }
  const resize = async (endpointId: string, cu: number): Promise<void> => {
    const entry = running.get(endpointId)
    await entry?.sizing.resize(cu)
    if (entry && running.get(endpointId) === entry && !entry.stopping) entry.setSize(cu)
  }
  const copy = async (branchId: string, parentId: string): Promise<void> => {
    const { folder, cluster } = options
    const port = primaryOn(parentId)?.server.port
    await copyBranch({ from: join(folder, parentId), to: join(folder, branchId), port }, cluster)
    options.setApplied(branchId, options.applied(parentId))
  }
  return {
    start: (order) =>
      inTurn(order.branch.id, async () => {
        await options.cluster.clock.sleep(order.latency, closing.signal)
        await gate(() => start(order))
      }),
    configure: async ({ endpointId, branch }) => {
      const entry = running.get(endpointId)
      if (entry && !entry.follow) await inTurn(branch.id, () => catalogueOn(entry.server, branch, options))
    },
    copyBranch: (branchId, parentId) =>
      inTurn(parentId, () => inTurn(branchId, () => copy(branchId, parentId))),
    removeBranch: async (branchId) => {
      await inTurn(branchId, () => removeFolder(join(options.folder, branchId)))
      branches.delete(branchId)
      options.setApplied(branchId, undefined)
    },
    removeReplica: (endpointId, branchId) => inTurn(branchId, () => forgetReplica(endpointId, branchId)),
    resize,
    stop,
    stopAll: async () => {
      closing.abort()
      await Promise.allSettled(branches.values())
      await Promise.all([...running.keys()].map((endpointId) => stop(endpointId, 0)))
    },
    poll: async (endpointId) => running.get(endpointId)?.monitor?.poll(),
    portOf: (endpointId) => running.get(endpointId)?.server.port,
    ports: () => [...running.values()].map(({ server }) => server.port),
  }
}
