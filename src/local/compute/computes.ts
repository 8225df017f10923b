// The Postgres servers of this folder: one per awake compute, on the data folder of its branch.
import { join } from 'node:path'
import type { ComputeConfig } from '../control/project.ts'
import { writeSizeConfiguration } from './configuration.ts'
import { runStatements } from './connect.ts'
import { createGate } from './gate.ts'
import { type Monitor, startMonitor } from './monitor.ts'
import { freePort } from './ports.ts'
import { type Server, startServer } from './server.ts'
import { type Cluster, copyTemplate, forgetStatistics } from './template.ts'

export type StartOrder = {
  readonly endpointId: string
  readonly branchId: string
  readonly config: ComputeConfig
  /** Extra time before the server is spawned, ms. */
  readonly latency: number
}

export type Computes = {
  /** Starts the server of a compute; resolves when it accepts connections, throws with the reason when it cannot. */
  start(order: StartOrder): Promise<void>
  /** Resolves when the server is gone; at once when there is none. */
  stop(endpointId: string): Promise<void>
  stopAll(): Promise<void>
  /** Looks for activity now, outside the rhythm. */
  poll(endpointId: string): Promise<void>
  /** The port of the server itself, behind the proxy; undefined while none accepts connections. */
  portOf(endpointId: string): number | undefined
  /** Ports of all servers that accept connections. */
  ports(): readonly number[]
}

export type ComputesOptions = {
  /** Holds one data folder per branch, and the template. */
  readonly folder: string
  readonly template: string
  readonly cluster: Cluster
  readonly cacheScale: number
  readonly activityPoll: number
  /** SQL that sets the passwords of a branch's roles; undefined when that was done before. */
  readonly preparation: (branchId: string) => { readonly sql: string; readonly done: () => void } | undefined
  readonly onActivity: (endpointId: string, at: number) => void
  readonly onDied: (endpointId: string, words: string) => void
  readonly onProblem: (message: string, error: unknown) => void
}

/** `stopping` is set when the end is wanted, so that it is no death. */
type Running = { readonly server: Server; monitor: Monitor | undefined; stopping: boolean }

/** Servers started at once. Doubled, a burst of wakes makes each of them slower on a small machine. */
const STARTS_AT_ONCE = 4

/** Failures that pass by themselves: a port taken in between, or children of a killed server not yet gone. */
const PASSING = /Address already in use|pre-existing shared memory|lock file "postmaster\.pid"/
const TRIES = 40
const TRY_EVERY = 50

export function createComputes(options: ComputesOptions): Computes {
  const running = new Map<string, Running>()
  // branch → the last thing done to its data folder, which the next one waits for
  const branches = new Map<string, Promise<unknown>>()
  const branchOf = new Map<string, string>()
  const gate = createGate(STARTS_AT_ONCE)
  const closing = new AbortController()

  const inTurn = <Value>(branchId: string, work: () => Promise<Value>): Promise<Value> => {
    const before = branches.get(branchId) ?? Promise.resolve()
    const done = before.then(work, work)
    branches.set(branchId, done)
    return done
  }
  const start = async (order: StartOrder): Promise<void> => {
    await options.cluster.clock.sleep(order.latency, closing.signal)
    if (closing.signal.aborted) throw new Error('the local service is stopping')
    const server = await spawnOn(order, options)
    const entry: Running = { server, monitor: undefined, stopping: false }
    running.set(order.endpointId, entry)
    branchOf.set(order.endpointId, order.branchId)
    void server.ended.then((words) => ended(order.endpointId, entry, words))
    void watch(order.endpointId, entry)
  }
  const ended = (endpointId: string, entry: Running, words: string): void => {
    entry.monitor?.stop()
    if (running.get(endpointId) === entry) running.delete(endpointId)
    if (!entry.stopping) options.onDied(endpointId, words)
  }
  const watch = async (endpointId: string, entry: Running): Promise<void> => {
    try {
      const monitor = await startMonitor({
        port: entry.server.port,
        password: options.cluster.password,
        every: options.activityPoll,
        clock: options.cluster.clock,
        onActivity: (at) => options.onActivity(endpointId, at),
        onProblem: (error) =>
          entry.stopping || options.onProblem('the activity of a compute could not be read', error),
      })
      if (running.get(endpointId) === entry) entry.monitor = monitor
      else monitor.stop()
    } catch (error) {
      if (!entry.stopping) options.onProblem('the activity of a compute cannot be watched', error)
    }
  }
  const stop = async (endpointId: string): Promise<void> => {
    const entry = running.get(endpointId)
    if (!entry) return
    entry.stopping = true
    entry.monitor?.stop()
    await inTurn(branchOf.get(endpointId) ?? endpointId, () => entry.server.stop())
  }
  return {
    start: (order) => inTurn(order.branchId, () => gate(() => start(order))),
    stop,
    stopAll: async () => {
      closing.abort()
      await Promise.allSettled(branches.values())
      await Promise.all([...running.keys()].map(stop))
    },
    poll: async (endpointId) => running.get(endpointId)?.monitor?.poll(),
    portOf: (endpointId) => running.get(endpointId)?.server.port,
    ports: () => [...running.values()].map(({ server }) => server.port),
  }
}

/** A server on the branch's data folder with everything a client may count on: size, fresh counters, roles. */
async function spawnOn({ branchId, config }: StartOrder, options: ComputesOptions): Promise<Server> {
  const dataFolder = join(options.folder, branchId)
  await copyTemplate(options.template, dataFolder)
  writeSizeConfiguration(dataFolder, config, options.cacheScale)
  forgetStatistics(dataFolder)
  const server = await patiently(dataFolder, options.cluster)
  const preparation = options.preparation(branchId)
  if (!preparation) return server
  try {
    const { password } = options.cluster
    await runStatements({ port: server.port, password, database: 'postgres' }, [preparation.sql])
    preparation.done()
    return server
  } catch (error) {
    await server.stop()
    throw new Error('the roles of a new branch could not be made', { cause: error })
  }
}

async function patiently(dataFolder: string, { binaries, owner, clock }: Cluster): Promise<Server> {
  const never = new AbortController().signal
  for (let tries = 1; ; tries += 1) {
    try {
      return await startServer({ binaries, owner, clock, dataFolder, port: await freePort() })
    } catch (error) {
      const passes = error instanceof Error && PASSING.test(error.message)
      if (!passes || tries === TRIES) throw error
      await clock.sleep(TRY_EVERY, never)
    }
  }
}
