// Replication slots of a primary: one for each of its replicas, so that a sleeping replica finds what it missed.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { connectSuperuser } from './connect.ts'

/** A running primary, as superuser. */
export type Primary = { readonly port: number; readonly password: string }

export const slotOf = (endpointId: string): string => endpointId.replaceAll('-', '_')

/** Whether the data of a branch holds slots, told by its files. */
export const hasSlots = (dataFolder: string): boolean =>
  readdirSync(join(dataFolder, 'pg_replslot')).some((name) => name.startsWith('ep_'))

const SLOTS = `
select slot_name as name, coalesce(wal_status, '') = 'lost' as lost
  from pg_catalog.pg_replication_slots where slot_type = 'physical' and slot_name like 'ep\\_%'
`

/** Makes the slots of these replicas, anew where the primary could not keep what they wait for, and drops all others. */
export async function syncSlots(primary: Primary, replicaIds: readonly string[]): Promise<void> {
  const client = await connectSuperuser({ ...primary, database: 'postgres' })
  try {
    const { rows } = await client.query<{ readonly name: string; readonly lost: boolean }>(SLOTS)
    const wanted = replicaIds.map(slotOf)
    const kept = rows.filter(({ name, lost }) => wanted.includes(name) && !lost).map(({ name }) => name)
    for (const { name } of rows) if (!kept.includes(name)) await drop(client, name)
    for (const name of wanted)
      if (!kept.includes(name))
        await client.query(`select pg_create_physical_replication_slot($1, true)`, [name])
  } finally {
    await client.end()
  }
}

/** For a replica that is gone, or has moved to another branch. */
export async function dropSlot(primary: Primary, endpointId: string): Promise<void> {
  const client = await connectSuperuser({ ...primary, database: 'postgres' })
  try {
    await drop(client, slotOf(endpointId))
  } finally {
    await client.end()
  }
}

/** The server lets go of a replica that has just ended a moment after it. */
async function drop(client: Client, name: string): Promise<void> {
  await client.query(
    `select pg_terminate_backend(active_pid, 2000) from pg_catalog.pg_replication_slots
      where slot_name = $1 and active_pid is not null`,
    [name],
  )
  await client.query(
    `select pg_drop_replication_slot(slot_name) from pg_catalog.pg_replication_slots where slot_name = $1`,
    [name],
  )
}
