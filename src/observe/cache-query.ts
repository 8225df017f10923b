// The file cache counters, in a user database that has the service's extension.
import type { Client } from 'pg'
import type { CacheReading, Missing } from '../model/observation.ts'
import { bytes } from '../model/units.ts'
import { identifier } from './quote.ts'

const FIND_SCHEMA = `
/* dormouse: extension */
select n.nspname as schema
from pg_catalog.pg_extension as e
join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
where e.extname = 'neon'`

const readCounters = (schema: string): string => `
/* dormouse: file cache */
select
  file_cache_hits::float8 as hits,
  file_cache_misses::float8 as misses,
  file_cache_used::float8 as used,
  file_cache_writes::float8 as writes
from ${identifier(schema)}.neon_stat_file_cache`

type CountersRow = {
  readonly hits: number
  readonly misses: number
  readonly used: number
  readonly writes: number
}

/** Source: service-facts.md, "The extension": `file_cache_used` counts chunks of 1 MiB. */
const CHUNK = 2 ** 20

/** Fails alone: a missing extension or privilege leaves the rest of the reading standing. */
export async function readCache(client: Client): Promise<CacheReading | Missing> {
  try {
    const found = await client.query<{ schema: string }>(FIND_SCHEMA)
    const schema = found.rows[0]?.schema
    if (schema === undefined)
      return { missing: 'the extension neon is not in this database: create extension neon' }
    const { rows } = await client.query<CountersRow>(readCounters(schema))
    const row = rows[0]
    if (!row) return { missing: 'neon_stat_file_cache is empty' }
    return { hits: row.hits, misses: row.misses, used: bytes(row.used * CHUNK), writes: row.writes }
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) }
  }
}
