// Read replicas: streaming standbys of their branch's primary, each on data of its own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import { copyBranch } from './branch-copy.ts'
import { removeFolder, writeSecret } from './files.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { SUPERUSER, maxConnectionsIn, settingLine } from './configuration.ts'
import { WALSENDER, withSession } from './connect.ts'
import { slotOf, syncSlots } from './slots.ts'
import { type Spawned, spawn, spawnPrimary, versionOf } from './spawn.ts'

/** File in a replica's data folder with the id of the branch it was copied from. */
const ORIGIN_FILE = 'replica.origin'
const PASSWORD_FILE = 'replica.pass'

/** Time without progress after which a replica counts as unable to catch up, and the time between two looks, ms. */
const STALL_TIMEOUT = 3000
const LOOK_INTERVAL = 10

/**
 * Starts a replica and resolves when it shows all that its primary had when this was called. It is copied anew when the
 * primary no longer has the log it missed. `primary` is the port of the primary; undefined while that sleeps.
 */
export async function spawnReplica(
  order: StartOrder,
  primary: number | undefined,
  options: ComputesOptions,
): Promise<Spawned> {
  const { folder, cluster } = options
  const { id: branchId } = order.branch
  const dataFolder = join(folder, order.endpointId)
  if (primary === undefined) await prepareBranch(order, options)
  else await syncSlots({ ...cluster, port: primary }, order.replicaIds)
  const isFresh = originOf(dataFolder) !== branchId
  if (isFresh) {
    await removeFolder(dataFolder)
    const complete = (partial: string): void => {
      writeSecret(join(partial, PASSWORD_FILE), `*:*:*:${SUPERUSER}:${cluster.password}\n`, cluster.owner)
      writeFileSync(join(partial, 'standby.signal'), '')
      writeFileSync(join(partial, ORIGIN_FILE), branchId)
    }
    await copyBranch({ from: join(folder, branchId), to: dataFolder, port: primary, complete }, cluster)
  }
  try {
    return await startAndCatchUp(order, primary, options)
  } catch (error) {
    if (isFresh) throw error
    await removeFolder(dataFolder)
    return spawnReplica(order, primary, options)
  }
}

/** Brings the data of a sleeping branch up to date: it exists, has its roles, and was shut down in order. */
async function prepareBranch(order: StartOrder, options: ComputesOptions): Promise<void> {
  const { branch } = order
  const dataFolder = join(options.folder, branch.id)
  const exists = existsSync(dataFolder)
  const hasCatalogue = options.applied(branch.id) === versionOf(branch, options.behaviour())
  if (exists && hasCatalogue && endOfLog(dataFolder) !== undefined) return
  // as many connections as before, because awake replicas may not have fewer
  const extraLines = exists ? [`max_connections = ${maxConnectionsIn(dataFolder)}`] : []
  const { server } = await spawnPrimary(order, options, extraLines)
  await server.stop(0)
}

/** Id of the branch a replica's data was copied from; undefined while it has none. */
export function originOf(dataFolder: string): string | undefined {
  const path = join(dataFolder, ORIGIN_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

async function startAndCatchUp(order: StartOrder, primary: number | undefined, options: ComputesOptions) {
  const origin = join(options.folder, order.branch.id)
  const goal = primary === undefined ? endOfLog(origin) : await positionOf(primary, FLUSHED, options)
  const spawned = await spawn(order, options, {
    dataFolder: join(options.folder, order.endpointId),
    primary,
    extraLines: (port) => standbyLines(order, port, options),
  })
  try {
    await waitForPosition(spawned.server.port, goal ?? 0n, options)
    return spawned
  } catch (error) {
    await spawned.server.stop(0)
    throw error
  }
}

/**
 * Lines of configuration of a standby. While its primary sleeps, it reads the rest of the log from its folder. It needs at
 * least its primary's connections; the proxy enforces its own limit.
 */
function standbyLines(order: StartOrder, port: number | undefined, options: ComputesOptions): string[] {
  const origin = join(options.folder, order.branch.id)
  const ownMaxConnections = maxConnectionsOf(order.config, options.behaviour().connectionsBasis)
  const connection =
    port === undefined
      ? ''
      : `host=127.0.0.1 port=${port} user=${SUPERUSER} application_name=${WALSENDER} passfile=${PASSWORD_FILE} sslmode=disable`
  return [
    `max_connections = ${Math.max(ownMaxConnections, maxConnectionsIn(origin))}`,
    settingLine('primary_conninfo', connection),
    settingLine('primary_slot_name', slotOf(order.endpointId)),
    settingLine('restore_command', copyCommand(join(origin, 'pg_wal'))),
    `wal_retrieve_retry_interval = '${port === undefined ? 5 : 1}s'`,
  ]
}

/** Shell command that copies a log file out of this folder. */
const copyCommand = (folder: string): string =>
  `cp '${folder.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'/%f "%p"`

const FLUSHED = 'pg_current_wal_flush_lsn()'
const REPLAYED = 'pg_last_wal_replay_lsn()'

/** A position in the log, bytes; 0 when the server has none. */
const positionOf = (port: number, position: string, { cluster }: ComputesOptions): Promise<bigint> =>
  withSession({ ...cluster, port }, async (client) => {
    const sql = `select pg_wal_lsn_diff(${position}, '0/0')::text as bytes`
    const { rows } = await client.query<{ readonly bytes: string | null }>(sql)
    return BigInt(rows[0]?.bytes ?? 0)
  })

async function waitForPosition(port: number, goal: bigint, options: ComputesOptions): Promise<void> {
  const { clock } = options.cluster
  let movedAt = clock.now()
  for (let previous = -1n; clock.now() < movedAt + STALL_TIMEOUT; await clock.sleep(LOOK_INTERVAL)) {
    const position = await positionOf(port, REPLAYED, options)
    if (position >= goal) return
    if (position > previous) movedAt = clock.now()
    previous = position
  }
  throw new Error('the replica could not catch up with its primary')
}

/** Offsets in `pg_control`, bytes, the same from Postgres 14 to 18: state, and position of the last checkpoint. */
const STATE_OFFSET = 16
const CHECKPOINT_OFFSET = 32

/** State of a server that was shut down in order. */
const SHUT_DOWN = 1

/** End of the log of a server that was shut down in order; undefined when it was not. */
export function endOfLog(dataFolder: string): bigint | undefined {
  const control = readFileSync(join(dataFolder, 'global', 'pg_control'))
  const isShutDown = control.readInt32LE(STATE_OFFSET) === SHUT_DOWN
  return isShutDown ? control.readBigUInt64LE(CHECKPOINT_OFFSET) : undefined
}
