// Read replicas: streaming standbys of their branch's primary, on data of their own.
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

/** File in a replica's data folder: the branch it was copied from. */
const ORIGIN_FILE = 'replica.origin'
const PASSWORD_FILE = 'replica.pass'

/** Without progress for this time it cannot catch up; time between two looks, ms. */
const STALL_TIMEOUT = 3000
const LOOK_INTERVAL = 10

/**
 * Resolves when the replica shows all that its primary has now. It is copied anew when the primary lost log it needs.
 * `primary`: port, undefined while that sleeps.
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
    const complete = (partial: string) => {
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

/** Makes a sleeping branch's data ready: present, with its roles, shut down in order. */
async function prepareBranch(order: StartOrder, options: ComputesOptions): Promise<void> {
  const { branch } = order
  const dataFolder = join(options.folder, branch.id)
  const exists = existsSync(dataFolder)
  const hasCatalogue = options.applied(branch.id) === versionOf(branch, options.settings())
  if (exists && hasCatalogue && endOfLog(dataFolder) !== undefined) return
  // as many as before: awake replicas may not have fewer
  const extraLines = exists ? [`max_connections = ${maxConnectionsIn(dataFolder)}`] : []
  const { server } = await spawnPrimary(order, options, extraLines)
  await server.stop(0)
}

/** Branch that a replica was copied from. */
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

/** While its primary sleeps, a standby reads the log from its folder. The proxy enforces the standby's connection limit. */
function standbyLines(order: StartOrder, port: number | undefined, options: ComputesOptions): string[] {
  const origin = join(options.folder, order.branch.id)
  const ownMaxConnections = maxConnectionsOf(order.config, options.settings())
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

const copyCommand = (folder: string) =>
  `cp '${folder.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'/%f "%p"`

const FLUSHED = 'pg_current_wal_flush_lsn()'
const REPLAYED = 'pg_last_wal_replay_lsn()'

/** Position in the log, bytes; 0 for none. */
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

/** Offsets in `pg_control` of Postgres 14 to 18, bytes: state, last checkpoint. */
const STATE_OFFSET = 16
const CHECKPOINT_OFFSET = 32

const SHUT_DOWN = 1

/** End of the log of a server shut down in order, else undefined. */
export function endOfLog(dataFolder: string): bigint | undefined {
  const control = readFileSync(join(dataFolder, 'global', 'pg_control'))
  const isShutDown = control.readInt32LE(STATE_OFFSET) === SHUT_DOWN
  return isShutDown ? control.readBigUInt64LE(CHECKPOINT_OFFSET) : undefined
}
