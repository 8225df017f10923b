// A read replica: a streaming standby of its branch's primary, on data of its own.
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import { copyBranch, removeFolder } from './branch-copy.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { SUPERUSER, maxConnectionsIn, settingLine } from './configuration.ts'
import { WALSENDER, connectSuperuser } from './connect.ts'
import { slotOf, syncSlots } from './slots.ts'
import { type Spawned, spawn, spawnPrimary, versionOf } from './spawn.ts'

/** A replica that serves; it follows the primary wherever that one listens. */
export type Replica = Spawned & {
  /** Streams from this port, or from nobody while the primary sleeps: what that one wrote last is in its folder. */
  readonly follow: (port: number | undefined) => void
}

/** The file that says whose copy the data of a replica is. */
const ORIGIN = 'replica.origin'

const PASSWORDS = 'replica.pass'

/** How long a replica on its way to what its primary had may stand still, ms, and how often we look. */
const STALL_BOUND = 3000
const LOOK_EVERY = 10

/**
 * Starts a replica and resolves when it shows all that its primary had when this was called. One that cannot catch up,
 * because the primary had to let go of what it missed, is cloned anew.
 *
 * @param primary - the port of the primary; undefined while that one sleeps
 */
export async function spawnReplica(
  order: StartOrder,
  primary: number | undefined,
  options: ComputesOptions,
): Promise<Replica> {
  if (primary === undefined) await prepareBranch(order, options)
  else await syncSlots({ port: primary, password: options.cluster.password }, order.replicaIds)
  const isFresh = await clone(order, primary, options)
  try {
    return await caughtUp(order, primary, options)
  } catch (error) {
    if (isFresh) throw error
    await removeFolder(join(options.folder, order.endpointId))
    await clone(order, primary, options)
    return caughtUp(order, primary, options)
  }
}

/** Leaves the data of a sleeping branch as a primary would: there, with its roles, and shut down in order. */
async function prepareBranch(order: StartOrder, options: ComputesOptions): Promise<void> {
  const { branch } = order
  const dataFolder = join(options.folder, branch.id)
  const exists = existsSync(dataFolder)
  const isReady =
    exists &&
    options.applied(branch.id) === versionOf(branch, options.behaviour()) &&
    endOfLog(dataFolder) !== undefined
  if (isReady) return
  // not more connections than before: other replicas may be awake
  const more = exists ? [`max_connections = ${maxConnectionsIn(dataFolder)}`] : []
  const { server } = await spawnPrimary(order, options, more)
  await server.stop(0)
}

/** Copies the branch unless the replica has a copy of it; says whether it did. */
async function clone(
  { endpointId, branch }: StartOrder,
  port: number | undefined,
  { folder, cluster }: ComputesOptions,
): Promise<boolean> {
  const to = join(folder, endpointId)
  if (originOf(to) === branch.id) return false
  await removeFolder(to)
  const complete = (partial: string): void => {
    const passwords = join(partial, PASSWORDS)
    writeFileSync(passwords, `*:*:*:${SUPERUSER}:${cluster.password}\n`, { mode: 0o600 })
    if (cluster.owner) chownSync(passwords, cluster.owner.uid, cluster.owner.gid)
    writeFileSync(join(partial, 'standby.signal'), '')
    writeFileSync(join(partial, ORIGIN), branch.id)
  }
  await copyBranch({ from: join(folder, branch.id), to, port, complete }, cluster)
  return true
}

/** The branch a replica's data was copied from; undefined while it has none. */
export function originOf(dataFolder: string): string | undefined {
  const path = join(dataFolder, ORIGIN)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

async function caughtUp(
  order: StartOrder,
  primary: number | undefined,
  options: ComputesOptions,
): Promise<Replica> {
  const origin = join(options.folder, order.branch.id)
  const goal = primary === undefined ? endOfLog(origin) : await positionOf(primary, FLUSHED, options)
  let following = primary
  const spawned = await spawn(order, {
    dataFolder: join(options.folder, order.endpointId),
    options,
    more: () => standbyLines(order, following, options),
  })
  const replica: Replica = {
    ...spawned,
    follow: (port) => {
      following = port
      spawned.reconfigure()
    },
  }
  try {
    await reached(spawned.server.port, goal ?? 0n, options)
    return replica
  } catch (error) {
    await spawned.server.stop(0)
    throw error
  }
}

/** A standby refuses fewer connections than its primary has: it takes the larger, the proxy keeps to its own. */
function standbyLines(
  { endpointId, branch, config }: StartOrder,
  port: number | undefined,
  { folder, behaviour }: ComputesOptions,
): readonly string[] {
  const origin = join(folder, branch.id)
  const own = maxConnectionsOf(config, behaviour().connectionsBasis)
  const connection =
    port === undefined
      ? ''
      : `host=127.0.0.1 port=${port} user=${SUPERUSER} application_name=${WALSENDER} passfile=${PASSWORDS} sslmode=disable`
  return [
    `max_connections = ${Math.max(own, maxConnectionsIn(origin))}`,
    settingLine('primary_conninfo', connection),
    settingLine('primary_slot_name', slotOf(endpointId)),
    settingLine('restore_command', copyFrom(join(origin, 'pg_wal'))),
    `wal_retrieve_retry_interval = '${port === undefined ? 5 : 1}s'`,
  ]
}

/** The command that takes a file of the log from this folder. */
const copyFrom = (folder: string): string =>
  `cp '${folder.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'/%f "%p"`

const FLUSHED = 'select pg_current_wal_flush_lsn()::text as position'
const REPLAYED = `select coalesce(pg_last_wal_replay_lsn()::text, '0/0') as position`

async function positionOf(port: number, sql: string, { cluster }: ComputesOptions): Promise<bigint> {
  const client = await connectSuperuser({ port, password: cluster.password, database: 'postgres' })
  try {
    const { rows } = await client.query<{ readonly position: string }>(sql)
    return positionIn(rows[0]?.position ?? '0/0')
  } finally {
    await client.end()
  }
}

async function reached(port: number, goal: bigint, options: ComputesOptions): Promise<void> {
  const { clock } = options.cluster
  const never = new AbortController().signal
  let position = -1n
  for (let movedAt = clock.now(); clock.now() < movedAt + STALL_BOUND; await clock.sleep(LOOK_EVERY, never)) {
    const now = await positionOf(port, REPLAYED, options)
    if (now >= goal) return
    if (now > position) movedAt = clock.now()
    position = now
  }
  throw new Error('the replica could not catch up with its primary')
}

/** Where the fields are in `pg_control`, the same from Postgres 14 to 18: state, then position of the last checkpoint. */
const STATE = 16
const CHECKPOINT = 32

/** The state of a server that was shut down in order. */
const SHUT_DOWN = 1

/** Where the log of a server ends that was shut down in order; undefined when it was not. */
export function endOfLog(dataFolder: string): bigint | undefined {
  const control = readFileSync(join(dataFolder, 'global', 'pg_control'))
  return control.readInt32LE(STATE) === SHUT_DOWN ? control.readBigUInt64LE(CHECKPOINT) : undefined
}

/** A position in the log as Postgres writes it: two hexadecimal halves. */
export function positionIn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
