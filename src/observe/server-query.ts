// What every reading asks, in one round trip and one row: nothing in it can fail on a supported server.
import type { AwakeCauses, Connections, Missing } from '../model/observation.ts'
import { bytes, instant, type Bytes, type Instant } from '../model/units.ts'
import { nameArray } from './quote.ts'

/**
 * Who a client is, said once: neither the service's own users nor Dormouse. Without the rights of `pg_read_all_stats`
 * the rows of other roles have a null `backend_type` and would not be counted, so `sees_all` tells whether we have them.
 */
const clients = (serviceUsers: readonly string[]): string =>
  `backend_type = 'client backend' and usename <> all (${nameArray(serviceUsers)}) and application_name <> 'dormouse'`

export const serverQuery = (serviceUsers: readonly string[]): string => `
/* dormouse: server */
select
  current_setting('max_connections')::int as max_connections,
  current_setting('superuser_reserved_connections')::int as reserved_connections,
  (extract(epoch from pg_catalog.pg_postmaster_start_time()) * 1000)::float8 as started_ms,
  (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::float8 as now_ms,
  pg_catalog.pg_size_bytes(nullif(current_setting('neon.file_cache_size_limit', true), ''))::float8 as cache_limit,
  pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all,
  (select count(*) from pg_catalog.pg_stat_replication where application_name <> 'walproposer')::int as replication,
  (select count(*) from pg_catalog.pg_stat_subscription where pid is not null)::int as subscriptions,
  (select count(*) from pg_catalog.pg_stat_activity where backend_type = 'autovacuum worker')::int as autovacuum,
  activity.*
from (
  select
    (count(*) filter (where state = 'active'))::int as active,
    (count(*) filter (where state = 'idle'))::int as idle,
    (count(*) filter (where state like 'idle in transaction%'))::int as idle_in_transaction,
    (count(*) filter (where state not like 'idle%'))::int as working,
    count(*)::int as total,
    (extract(epoch from max(state_change) filter (where state = 'idle')) * 1000)::float8 as last_statement_ms,
    mode() within group (order by application_name) as busiest
  from pg_catalog.pg_stat_activity
  where ${clients(serviceUsers)}
) as activity`

export type ServerRow = {
  readonly max_connections: number
  readonly reserved_connections: number
  readonly started_ms: number
  readonly now_ms: number
  readonly cache_limit: number | null
  readonly sees_all: boolean
  readonly replication: number
  readonly subscriptions: number
  readonly autovacuum: number
  readonly active: number
  readonly idle: number
  readonly idle_in_transaction: number
  readonly working: number
  readonly total: number
  readonly last_statement_ms: number | null
  readonly busiest: string | null
}

export type ServerReading = {
  readonly postmasterStartedAt: Instant
  readonly serverTime: Instant
  readonly maxConnections: number
  readonly reservedConnections: number
  readonly cacheLimit: Bytes | undefined
  readonly connections: Connections | Missing
  readonly causes: AwakeCauses | Missing
}

const UNPRIVILEGED: Missing = {
  missing: 'the role is not a member of pg_monitor, so it does not see other clients',
}

export const serverReading = (row: ServerRow): ServerReading => ({
  postmasterStartedAt: instant(Math.round(row.started_ms)),
  serverTime: instant(Math.round(row.now_ms)),
  maxConnections: row.max_connections,
  reservedConnections: row.reserved_connections,
  cacheLimit: row.cache_limit === null ? undefined : bytes(row.cache_limit),
  connections: row.sees_all ? connectionsOf(row) : UNPRIVILEGED,
  causes: row.sees_all ? causesOf(row) : UNPRIVILEGED,
})

const connectionsOf = ({ active, idle, idle_in_transaction, total }: ServerRow): Connections => ({
  active,
  idle,
  idleInTransaction: idle_in_transaction,
  other: total - active - idle - idle_in_transaction,
})

const causesOf = (row: ServerRow): AwakeCauses => ({
  working: row.working,
  idleInTransaction: row.idle_in_transaction,
  replication: row.replication,
  subscriptions: row.subscriptions,
  autovacuum: row.autovacuum,
  lastForeignStatement:
    row.last_statement_ms === null ? undefined : instant(Math.round(row.last_statement_ms)),
  busiestApplication: row.busiest ?? undefined,
})
