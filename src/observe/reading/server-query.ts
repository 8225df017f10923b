// Queries about the server itself, in any database. All names and operators are those of Postgres: others may create their own.
import { z } from 'zod'
import type { AwakeIndicators, NotRead } from '../../model/observation.ts'
import type { PartQuery } from './batched-query.ts'
import { counter, instantMs, milliseconds, optional, sessionCount, size } from './row-values.ts'

const limitsRow = z
  .object({
    max_connections: sessionCount,
    reserved_connections: sessionCount,
    started_ms: instantMs,
    now_ms: instantMs,
    cache_limit: optional(size),
    sees_all: z.boolean(),
  })
  .refine(({ started_ms, now_ms }) => started_ms <= now_ms, { path: ['started_ms'] })
  .transform((row) => ({
    postmasterStartedAt: row.started_ms,
    serverTime: row.now_ms,
    maxConnections: row.max_connections,
    reservedConnections: row.reserved_connections,
    cacheLimit: row.cache_limit,
    seesAll: row.sees_all,
  }))

type LimitsRow = z.output<typeof limitsRow>

/** A setting as text; NULL where the server does not have it, or it is empty. */
const setting = (name: string) => `(
    select value from pg_catalog.current_setting('${name}', true) as value
    where value operator(pg_catalog.<>) ''
  )`

/** The cache limit is NULL where the service's setting is missing: plain Postgres has none. */
export const LIMITS_QUERY: PartQuery<LimitsRow> = {
  sql: `
  select
    ${setting('max_connections')}::pg_catalog.int4 as max_connections,
    ${setting('superuser_reserved_connections')}::pg_catalog.int4
      operator(pg_catalog.+) coalesce(${setting('reserved_connections')}::pg_catalog.int4, 0) as reserved_connections,
    (extract(epoch from pg_catalog.pg_postmaster_start_time()) operator(pg_catalog.*) 1000)::pg_catalog.float8 as started_ms,
    (extract(epoch from pg_catalog.clock_timestamp()) operator(pg_catalog.*) 1000)::pg_catalog.float8 as now_ms,
    pg_catalog.pg_size_bytes(${setting('neon.file_cache_size_limit')})::pg_catalog.float8 as cache_limit,
    pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all`,
  row: limitsRow,
}

const workersRow = z.object({
  replication: sessionCount,
  subscriptions: sessionCount,
  autovacuum: sessionCount,
  prepared: sessionCount,
})

type WorkersRow = z.output<typeof workersRow>

/** Sessions that are no clients but may keep a compute awake. Source: service-facts.md, "What keeps a compute awake". */
export const WORKERS_QUERY: PartQuery<WorkersRow> = {
  sql: `
  select
    (
      select pg_catalog.count(*) from pg_catalog.pg_stat_replication
      where application_name operator(pg_catalog.<>) 'walproposer'
    )::pg_catalog.int4 as replication,
    (
      select pg_catalog.count(*) from pg_catalog.pg_stat_subscription where pid is not null
    )::pg_catalog.int4 as subscriptions,
    (
      select pg_catalog.count(*) from pg_catalog.pg_stat_activity
      where backend_type operator(pg_catalog.=) 'autovacuum worker'
    )::pg_catalog.int4 as autovacuum,
    (select pg_catalog.count(*) from pg_catalog.pg_prepared_xacts)::pg_catalog.int4 as prepared`,
  row: workersRow,
}

const usageRow = z
  .object({ sessions: counter, active_ms: milliseconds })
  .transform(({ sessions, active_ms: activeTime }) => ({ sessions, activeTime }))

type UsageRow = z.output<typeof usageRow>

/** Only the databases whose counters the service takes for activity. Source: service-facts.md, "What keeps a compute awake", rule 1. */
export const USAGE_QUERY: PartQuery<UsageRow> = {
  sql: `
  select
    coalesce(pg_catalog.sum(sessions), 0)::pg_catalog.float8 as sessions,
    coalesce(pg_catalog.sum(active_time), 0)::pg_catalog.float8 as active_ms
  from pg_catalog.pg_stat_database
  where datname operator(pg_catalog.<>) all (array['postgres', 'template0', 'template1']::pg_catalog.name[])`,
  row: usageRow,
}

export type ServerRows = Readonly<{ limits: LimitsRow; workers: WorkersRow; use: UsageRow }>

export const decodeIndicators = (
  workers: WorkersRow | NotRead,
  clients: ClientIndicators | NotRead,
): AwakeIndicators | NotRead => {
  if ('missing' in workers) return workers
  return 'missing' in clients ? clients : { ...workers, ...clients }
}

export type ClientIndicators = Omit<AwakeIndicators, keyof WorkersRow>
