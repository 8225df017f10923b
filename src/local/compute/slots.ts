// Replication slots of a primary, one per replica: a sleeping replica finds what it missed.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { type ServerAddress, withSession } from './connect.ts'

export const slotOf = (endpointId: string): string => endpointId.replaceAll('-', '_')

/** Reads files, so no server needs to run. */
export const hasSlots = (dataFolder: string): boolean =>
  readdirSync(join(dataFolder, 'pg_replslot')).some((name) => name.startsWith('ep_'))

const SLOTS_QUERY = `
select slot_name as name, coalesce(wal_status, '') = 'lost' as lost
  from pg_catalog.pg_replication_slots where slot_type = 'physical' and slot_name like 'ep\\_%'
`

/** Creates slots of replicas, again where their log is lost, and drops the others. */
export function syncSlots(primary: ServerAddress, replicaIds: readonly string[]): Promise<void> {
  return withSession(primary, async (client) => {
    const { rows } = await client.query<Readonly<{ name: string; lost: boolean }>>(SLOTS_QUERY)
    const wanted = replicaIds.map(slotOf)
    const usable = rows.filter(({ name, lost }) => wanted.includes(name) && !lost).map(({ name }) => name)
    for (const { name } of rows) if (!usable.includes(name)) await drop(client, name)
    for (const name of wanted)
      if (!usable.includes(name))
        await client.query(`select pg_create_physical_replication_slot($1, true)`, [name])
  })
}

/** Drops the slot of a replica deleted or moved to another branch. */
export const dropSlot = (primary: ServerAddress, endpointId: string): Promise<void> =>
  withSession(primary, (client) => drop(client, slotOf(endpointId)))

async function drop(client: Client, name: string): Promise<void> {
  // a replica's walsender holds the slot for a moment after its end
  const slot = 'from pg_catalog.pg_replication_slots where slot_name = $1'
  const active = `${slot} and active_pid is not null`
  await client.query(`select pg_terminate_backend(active_pid, 2000) ${active}`, [name])
  await client.query(`select pg_drop_replication_slot(slot_name) ${slot}`, [name])
}
