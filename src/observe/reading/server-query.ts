// Queries about the server itself, in any database.
import type { AwakeIndicators, NotRead, UsageCounters } from '../../model/observation.ts'
import { bytes, instant, millis, seconds, type Bytes, type Instant } from '../../model/units.ts'

/** The cache limit is NULL where the service's setting is missing: plain Postgres has none. */
export const LIMITS_QUERY = `
  select
    current_setting('max_connections')::int as max_connections,
    current_setting('superuser_reserved_connections')::int
      + coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0) as reserved_connections,
    (extract(epoch from pg_catalog.pg_postmaster_start_time()) * 1000)::float8 as started_ms,
    (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::float8 as now_ms,
    pg_catalog.pg_size_bytes(nullif(current_setting('neon.file_cache_size_limit', true), ''))::float8 as cache_limit,
    pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all`

export type LimitsRow = Readonly<{
  max_connections: number
  reserved_connections: number
  started_ms: number
  now_ms: number
  cache_limit: number | null
  sees_all: boolean
}>

export type ServerLimits = Readonly<{
  postmasterStartedAt: Instant
  serverTime: Instant
  maxConnections: number
  reservedConnections: number
  cacheLimit: Bytes | undefined
}>

export const decodeLimits = (row: LimitsRow): ServerLimits => ({
  postmasterStartedAt: instant(Math.round(row.started_ms)),
  serverTime: instant(Math.round(row.now_ms)),
  maxConnections: row.max_connections,
  reservedConnections: row.reserved_connections,
  cacheLimit: row.cache_limit === null ? undefined : bytes(row.cache_limit),
})

/** Sessions that are no clients but may keep a compute awake. Source: service-facts.md, "What keeps a compute awake". */
export const WORKERS_QUERY = `
  select
    (select count(*) from pg_catalog.pg_stat_replication where application_name <> 'walproposer')::int as replication,
    (select count(*) from pg_catalog.pg_stat_subscription where pid is not null)::int as subscriptions,
    (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'autovacuum worker')::int as autovacuum,
    (select count(*) from pg_catalog.pg_prepared_xacts)::int as prepared`

export type WorkersRow = Pick<AwakeIndicators, 'replication' | 'subscriptions' | 'autovacuum' | 'prepared'>

/** Only the databases whose counters the service takes for activity. Source: service-facts.md, "What keeps a compute awake", rule 1. */
export const USAGE_QUERY = `
  select
    coalesce(sum(sessions), 0)::float8 as sessions,
    coalesce(sum(active_time), 0)::float8 as active_ms
  from pg_catalog.pg_stat_database
  where datname not in ('postgres', 'template0', 'template1')`

export type UsageRow = { readonly sessions: number; readonly active_ms: number }

export const decodeUsage = (row: UsageRow | NotRead): UsageCounters | NotRead =>
  'missing' in row ? row : { sessions: row.sessions, activeTime: millis(row.active_ms) }

export const decodeIndicators = (
  workers: WorkersRow | NotRead,
  clients: ClientIndicators | NotRead,
): AwakeIndicators | NotRead => {
  if ('missing' in workers) return workers
  return 'missing' in clients ? clients : { ...workers, ...clients }
}

export type ClientIndicators = Omit<AwakeIndicators, keyof WorkersRow>

/** Milliseconds since the epoch as the server wrote them; undefined for NULL. */
export const instantOrNone = (ms: number | null): Instant | undefined =>
  ms === null ? undefined : instant(Math.round(ms))

export const secondsOrNone = (value: number | null): AwakeIndicators['longestTransaction'] =>
  value === null ? undefined : seconds(value)
