// Reads the file cache and the working set, in a user database that has the service's extension.
import type { Client } from 'pg'
import { z } from 'zod'
import type { CacheReading, NotRead, Reading, WorkingSet } from '../../model/observation.ts'
import { bytes, seconds } from '../../model/units.ts'
import { queryParts, type PartQuery } from './batched-query.ts'
import { quoteIdentifier } from './quote.ts'
import { counter, name } from './row-values.ts'

/** Users may put the extension into any schema. Source: service-facts.md, "The extension". */
export const FIND_EXTENSION: PartQuery<ExtensionRow> = {
  sql: `
  select n.nspname as schema
  from pg_catalog.pg_extension as e
  join pg_catalog.pg_namespace as n on n.oid operator(pg_catalog.=) e.extnamespace
  where e.extname operator(pg_catalog.=) 'neon'`,
  row: z.object({ schema: name }),
}

export type ExtensionRow = { readonly schema: string }

/** All columns are NULL while the cache is off. */
const countersRow = z.object({
  hits: counter.nullable(),
  misses: counter.nullable(),
  used: counter.nullable(),
  writes: counter.nullable(),
})

type CountersRow = z.output<typeof countersRow>

const countersIn = (schema: string): PartQuery<CountersRow> => ({
  sql: `
  select
    file_cache_hits::pg_catalog.float8 as hits,
    file_cache_misses::pg_catalog.float8 as misses,
    file_cache_used::pg_catalog.float8 as used,
    file_cache_writes::pg_catalog.float8 as writes
  from ${schema}.neon_stat_file_cache`,
  row: countersRow,
})

/** Windows of the working set, seconds, ascending. */
const WINDOWS = [60, 300, 900, 3600]

const workingSetRow = z.object({ pages: z.array(counter.nullable()).max(WINDOWS.length).nullable() })

type WorkingSetRow = z.output<typeof workingSetRow>

const workingSetIn = (schema: string): PartQuery<WorkingSetRow> => ({
  sql: `
  select pg_catalog.json_agg(pages order by span) as pages
  from (
    select span, ${schema}.approximate_working_set_size_seconds(span)::pg_catalog.float8 as pages
    from pg_catalog.unnest(array[${WINDOWS.join(', ')}]::pg_catalog.int4[]) as span
  ) as spans`,
  row: workingSetRow,
})

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
