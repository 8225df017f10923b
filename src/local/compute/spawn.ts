// Starts a server with its size, roles, databases and slots.
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

export type Spawned = Readonly<{
  server: Server
  sizing: SizeModel
  /** Without a restart. */
  setSize: (cu: number) => void
  /** Makes a replica stream from this port; undefined while the primary sleeps. */
  follow: (port: number | undefined) => void
}>

type SpawnData = Readonly<{
  dataFolder: string
  /** Port that a replica follows at first. */
  primary?: number | undefined
  /** Further lines, by the port that the server follows. */
  extraLines: (primary: number | undefined) => readonly string[]
}>

/** Transient: another program took the port, or children of a killed server still end. */
const TRANSIENT_FAILURE = /Address already in use|pre-existing shared memory|lock file "postmaster\.pid"/

/** 2 s together; delay in ms. */
const MAX_ATTEMPTS = 40
const RETRY_DELAY = 50

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
    // saves a session where no replica is or was
    if (order.replicaIds.length > 0 || hasSlots(dataFolder))
      await syncSlots({ ...options.cluster, port: spawned.server.port }, order.replicaIds)
    return spawned
  } catch (error) {
    await spawned.server.stop(0)
    throw new Error('the roles, databases and slots of a branch could not be made', { cause: error })
  }
}

/** Starts a server on data that exists. */
export async function spawn(
  order: StartOrder,
  options: ComputesOptions,
  { dataFolder, primary, extraLines }: SpawnData,
): Promise<Spawned> {
  const { config } = order
  const { cacheScale, cluster } = options
  const rules = options.settings()
  let [cu, followedPort] = [config.minCu, primary]
  const configure = () => {
    const extra = extraLines(followedPort)
    writeSizeConfiguration(dataFolder, config, { cacheScale, rules, cu, extraLines: extra })
  }
  configure()
  // every start resets all counters (S-113), whichever Postgres wrote the files
  removeEntries(join(dataFolder, 'pg_stat'), (name) => name.endsWith('.stat'))
  const sizing = createSizeModel(dataFolder, order, options)
  const server = await startWithRetries(dataFolder, cluster)
  sizing.attach(server)
  const reconfigure = (newCu: number, port: number | undefined) => {
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

/** Version of a branch's catalogue and access rules. */
export const versionOf = ({ catalogue }: Branch, { postgresConnect }: Behaviour): string =>
  `${catalogue.revision}${postgresConnect ? '' : ' closed'}`

/** Does nothing when the data has this version. */
export async function updateCatalogue(port: number, branch: Branch, options: ComputesOptions): Promise<void> {
  const behaviour = options.settings()
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
