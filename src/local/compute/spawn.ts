// Starts a server on the data of a branch, with its size, roles, databases and slots.
import { join } from 'node:path'
import type { Behaviour } from '../control/behaviour.ts'
import type { Branch } from '../control/project.ts'
import { applyCatalogue } from './catalogue.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { writeSizeConfiguration } from './configuration.ts'
import { freePort } from '../proxy/listen.ts'
import { type Cluster, type Server, startServer } from './server.ts'
import { copyFolder, makeWhole, removeEntries } from './files.ts'
import { type SizeModel, createSizeModel } from './sizing.ts'
import { hasSlots, syncSlots } from './slots.ts'

/** A server that accepts connections. */
export type Spawned = Readonly<{
  server: Server
  sizing: SizeModel
  /** Changes the size without a restart. */
  setSize: (cu: number) => void
  /** Makes a replica stream from the primary at this port; undefined while the primary sleeps. */
  follow: (port: number | undefined) => void
}>

export type SpawnData = Readonly<{
  dataFolder: string
  /** Port that a replica follows at first. */
  primary?: number | undefined
  /** Lines of configuration beyond those of the size, by the port that the server follows. */
  extraLines: (primary: number | undefined) => readonly string[]
}>

/** Failures that pass by themselves: another program took the port, or children of a killed server still end. */
const TRANSIENT_FAILURE = /Address already in use|pre-existing shared memory|lock file "postmaster\.pid"/

/** Attempts to start a server despite transient failures, and the time between two, ms: 2 s together. */
const MAX_ATTEMPTS = 40
const RETRY_DELAY = 50

/** Starts the primary of a branch: its size, fresh counters, roles, databases and slots. */
export async function spawnPrimary(
  order: StartOrder,
  options: ComputesOptions,
  extraLines: readonly string[] = [],
): Promise<Spawned> {
  const { branch } = order
  const dataFolder = join(options.folder, branch.id)
  await makeWhole(dataFolder, (partial) => copyFolder(options.template, partial))
  const spawned = await spawn(order, options, { dataFolder, extraLines: () => extraLines })
  try {
    await updateCatalogue(spawned.server.port, branch, options)
    // without replicas and old slots, the start need not wait for one more session
    if (order.replicaIds.length > 0 || hasSlots(dataFolder))
      await syncSlots({ ...options.cluster, port: spawned.server.port }, order.replicaIds)
    return spawned
  } catch (error) {
    await spawned.server.stop(0)
    throw new Error('the roles, databases and slots of a branch could not be made', { cause: error })
  }
}

/** Starts a server on a data folder that exists. */
export async function spawn(
  order: StartOrder,
  options: ComputesOptions,
  { dataFolder, primary, extraLines }: SpawnData,
): Promise<Spawned> {
  const { config } = order
  const { cacheScale, cluster } = options
  const { connectionsBasis: basis } = options.behaviour()
  let [cu, followedPort] = [config.minCu, primary]
  const configure = (): void => {
    const extra = extraLines(followedPort)
    writeSizeConfiguration(dataFolder, config, { cacheScale, basis, cu, extraLines: extra })
  }
  configure()
  // every counter begins at 0 with a start (S-113), whichever Postgres wrote the files
  removeEntries(join(dataFolder, 'pg_stat'), (name) => name.endsWith('.stat'))
  const sizing = createSizeModel(dataFolder, order, options)
  const server = await startWithRetries(dataFolder, cluster)
  sizing.attach(server)
  const reconfigure = (newCu: number, port: number | undefined): void => {
    cu = newCu
    followedPort = port
    configure()
    server.reload()
  }
  return {
    server,
    sizing,
    setSize: (newCu) => reconfigure(newCu, followedPort),
    follow: (port) => reconfigure(cu, port),
  }
}

/** Version of a branch's catalogue and of its access rules: equal versions need no further work on the data. */
export const versionOf = ({ catalogue }: Branch, { postgresConnect }: Behaviour): string =>
  `${catalogue.revision}${postgresConnect ? '' : ' closed'}`

/** Applies the catalogue of a branch to its server, unless its data has this version already. */
export async function updateCatalogue(port: number, branch: Branch, options: ComputesOptions): Promise<void> {
  const behaviour = options.behaviour()
  const version = versionOf(branch, behaviour)
  if (options.applied(branch.id) === version) return
  await applyCatalogue({ ...options.cluster, port }, branch.catalogue, behaviour)
  options.setApplied(branch.id, version)
}

async function startWithRetries(dataFolder: string, cluster: Cluster): Promise<Server> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await startServer({ ...cluster, dataFolder, port: await freePort() })
    } catch (error) {
      const isTransient = error instanceof Error && TRANSIENT_FAILURE.test(error.message)
      if (!isTransient || attempts === MAX_ATTEMPTS) throw error
      await cluster.clock.sleep(RETRY_DELAY)
    }
  }
}
