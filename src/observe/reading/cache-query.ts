// Reads the file cache and the working set, in a user database that has the service's extension.
import type { Client } from 'pg'
import type { CacheReading, NotRead, Reading, WorkingSet } from '../../model/observation.ts'
import { bytes, seconds } from '../../model/units.ts'
import { queryParts } from './batched-query.ts'
import { quoteIdentifier } from './quote.ts'

/** Users may put the extension into any schema. Source: service-facts.md, "The extension". */
export const FIND_EXTENSION = `
  select n.nspname as schema
  from pg_catalog.pg_extension as e
  join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
  where e.extname = 'neon'`

export type ExtensionRow = { readonly schema: string }

const countersIn = (schema: string): string => `
  select
    file_cache_hits::float8 as hits,
    file_cache_misses::float8 as misses,
    file_cache_used::float8 as used,
    file_cache_writes::float8 as writes
  from ${schema}.neon_stat_file_cache`

/** All columns are NULL while the cache is off. */
type CountersRow = Readonly<{
  hits: number | null
  misses: number | null
  used: number | null
  writes: number | null
}>

/** Windows of the working set, seconds, ascending. */
const WINDOWS = [60, 300, 900, 3600]

const workingSetIn = (schema: string): string => `
  select pg_catalog.json_agg(pages order by span) as pages
  from (
    select span, ${schema}.approximate_working_set_size_seconds(span)::float8 as pages
    from pg_catalog.unnest(array[${WINDOWS.join(', ')}]) as span
  ) as spans`

type WorkingSetRow = { readonly pages: readonly (number | null)[] | null }

/** `file_cache_used` counts chunks of 1 MiB, the working set pages of 8 KiB. Source: service-facts.md, "The extension". */
const CHUNK = 2 ** 20
const PAGE = 8192

export type CacheParts = Pick<Reading, 'cache' | 'workingSet'>

export const cacheNotRead = (reason: NotRead): CacheParts => ({ cache: reason, workingSet: reason })

export async function readCache(client: Client, extension: ExtensionRow | NotRead): Promise<CacheParts> {
  if ('missing' in extension) return cacheNotRead(NO_EXTENSION)
  const schema = quoteIdentifier(extension.schema)
  const { counters, pages } = await queryParts<{ counters: CountersRow; pages: WorkingSetRow }>(client, {
    counters: countersIn(schema),
    pages: workingSetIn(schema),
  })
  return { cache: cacheOf(counters), workingSet: workingSetOf(pages) }
}

const NO_EXTENSION: NotRead = { missing: 'the extension neon is not in this database: create extension neon' }
const CACHE_OFF: NotRead = { missing: 'the file cache is off' }

function cacheOf(row: CountersRow | NotRead): CacheReading | NotRead {
  if ('missing' in row) return row
  const { hits, misses, used, writes } = row
  if (hits === null || misses === null || used === null || writes === null) return CACHE_OFF
  return { hits, misses, used: bytes(used * CHUNK), writes }
}

function workingSetOf(row: WorkingSetRow | NotRead): readonly WorkingSet[] | NotRead {
  if ('missing' in row) return row
  const sizes = WINDOWS.flatMap((window, index) => {
    const pages = row.pages?.[index] ?? undefined
    return pages === undefined ? [] : [{ window: seconds(window), size: bytes(pages * PAGE) }]
  })
  return sizes.length > 0 ? sizes : CACHE_OFF
}
