// A server on the data of a branch, with everything a client may count on.
import { join } from 'node:path'
import type { Behaviour } from '../control/behaviour.ts'
import type { Branch } from '../control/project.ts'
import { applyCatalogue } from './catalogue.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { writeSizeConfiguration } from './configuration.ts'
import { freePort } from './ports.ts'
import { type Server, startServer } from './server.ts'
import { type SizeModel, createSizeModel } from './sizing.ts'
import { hasSlots, syncSlots } from './slots.ts'
import { type Cluster, copyTemplate, forgetStatistics } from './template.ts'

/** A server that accepts connections. */
export type Spawned = {
  readonly server: Server
  readonly sizing: SizeModel
  /** Makes it one of another size, without a restart. */
  readonly setSize: (cu: number) => void
  /** Makes it read its configuration as that is now. */
  readonly reconfigure: () => void
}

export type SpawnPlace = {
  readonly dataFolder: string
  readonly options: ComputesOptions
  /** Lines of configuration beyond those of the size, as they are now. */
  readonly more: () => readonly string[]
}

/** Failures that pass by themselves: a port taken in between, or children of a killed server not yet gone. */
const PASSING = /Address already in use|pre-existing shared memory|lock file "postmaster\.pid"/
const TRIES = 40
const TRY_EVERY = 50

/** A primary: size, fresh counters, roles and databases. */
export async function spawnPrimary(
  order: StartOrder,
  options: ComputesOptions,
  more: readonly string[] = [],
): Promise<Spawned> {
  const { branch } = order
  const dataFolder = join(options.folder, branch.id)
  await copyTemplate(options.template, dataFolder)
  const spawned = await spawn(order, { dataFolder, options, more: () => more })
  try {
    await catalogueOn(spawned.server, branch, options)
    // without replicas, and none that are gone, the start need not wait for one more session
    if (order.replicaIds.length > 0 || hasSlots(dataFolder))
      await syncSlots({ port: spawned.server.port, password: options.cluster.password }, order.replicaIds)
    return spawned
  } catch (error) {
    await spawned.server.stop(0)
    throw new Error('the roles, databases and slots of a branch could not be made', { cause: error })
  }
}

/** A server on data that is there. */
export async function spawn({ endpointId, config }: StartOrder, place: SpawnPlace): Promise<Spawned> {
  const { dataFolder, options, more } = place
  const { cacheScale, cluster } = options
  const { connectionsBasis: basis } = options.behaviour()
  let cu = config.minCu
  const configure = (): void =>
    writeSizeConfiguration(dataFolder, config, { cacheScale, basis, cu, more: more() })
  configure()
  forgetStatistics(dataFolder)
  const sizing = createSizeModel({
    dataFolder,
    config,
    cacheScale,
    goalEvery: options.goalEvery,
    readEvery: 2 * options.activityPoll,
    password: cluster.password,
    clock: cluster.clock,
    onGoal: (goal) => options.onGoal(endpointId, goal),
    onProblem: (error) => options.onProblem('the file cache of a compute could not be read', error),
  })
  const server = await patiently(dataFolder, cluster)
  sizing.attach(server)
  const reconfigure = (): void => {
    configure()
    server.reload()
  }
  const setSize = (wanted: number): void => {
    cu = wanted
    reconfigure()
  }
  return { server, sizing, setSize, reconfigure }
}

/** What of a branch's catalogue, and of who may connect where, its data shows once it is applied. */
export const versionOf = ({ catalogue }: Branch, { postgresConnect }: Behaviour): string =>
  `${catalogue.revision}${postgresConnect ? '' : ' closed'}`

/** Nothing, when the data of the branch shows all of it already. */
export async function catalogueOn(
  { port }: Pick<Server, 'port'>,
  branch: Branch,
  options: ComputesOptions,
): Promise<void> {
  const behaviour = options.behaviour()
  const version = versionOf(branch, behaviour)
  if (options.applied(branch.id) === version) return
  await applyCatalogue({ port, password: options.cluster.password }, branch.catalogue, behaviour)
  options.setApplied(branch.id, version)
}

async function patiently(dataFolder: string, cluster: Cluster): Promise<Server> {
  const never = new AbortController().signal
  for (let tries = 1; ; tries += 1) {
    try {
      return await startServer({ ...cluster, dataFolder, port: await freePort() })
    } catch (error) {
      const passes = error instanceof Error && PASSING.test(error.message)
      if (!passes || tries === TRIES) throw error
      await cluster.clock.sleep(TRY_EVERY, never)
    }
  }
}
