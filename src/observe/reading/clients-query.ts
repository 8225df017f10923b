// Reads the client connections: how many, in which state, and whose.
import type { ClientGroup, ConnectionCounts, NotRead } from '../../model/observation.ts'
import { quoteNameArray } from './quote.ts'
import { instantOrNone, secondsOrNone, type ClientIndicators } from './server-query.ts'

/**
 * Condition for a client: a client backend of neither a service user nor Dormouse. Without the rights of `pg_read_all_stats`
 * the rows of other roles have a null `backend_type` and are not counted: `sees_all` says whether we have the rights.
 */
const clientCondition = (serviceUsers: readonly string[]): string =>
  `backend_type = 'client backend' and usename <> all (${quoteNameArray(serviceUsers)}) and application_name <> 'dormouse'`

/** Groups of a reading, the busiest first: more than 20 names are of no use to people. */
const MAX_GROUPS = 20

export const clientsQuery = (serviceUsers: readonly string[]): string => `
  with client as materialized (
    select datname, usename, application_name, state, state_change, xact_start
    from pg_catalog.pg_stat_activity
    where ${clientCondition(serviceUsers)}
  ), named as (
    select
      application_name as application,
      coalesce(usename::text, '') as "user",
      coalesce(datname::text, '') as database,
      count(*)::int as connections,
      (count(*) filter (where state not like 'idle%'))::int as working,
      (count(*) filter (where state like 'idle in transaction%'))::int as idle_in_transaction,
      (extract(epoch from max(state_change) filter (where state = 'idle')) * 1000)::float8 as last_statement_ms
    from client
    group by 1, 2, 3
    order by working desc, idle_in_transaction desc, last_statement_ms desc nulls last, connections desc
    limit ${MAX_GROUPS}
  )
  select
    count(*)::int as total,
    (count(*) filter (where state = 'active'))::int as active,
    (count(*) filter (where state = 'idle'))::int as idle,
    (count(*) filter (where state like 'idle in transaction%'))::int as idle_in_transaction,
    (count(*) filter (where state not like 'idle%'))::int as working,
    (extract(epoch from max(state_change) filter (where state = 'idle')) * 1000)::float8 as last_statement_ms,
    extract(epoch from pg_catalog.clock_timestamp() - min(xact_start))::float8 as longest_transaction,
    (select pg_catalog.json_agg(named) from named) as groups
  from client`

export type ClientsRow = Readonly<{
  total: number
  active: number
  idle: number
  idle_in_transaction: number
  working: number
  last_statement_ms: number | null
  longest_transaction: number | null
  groups: readonly GroupRow[] | null
}>

type GroupRow = Readonly<{
  application: string
  user: string
  database: string
  connections: number
  working: number
  idle_in_transaction: number
  last_statement_ms: number | null
}>

export type ClientsReading = Readonly<{
  connections: ConnectionCounts
  causes: ClientIndicators
  groups: readonly ClientGroup[]
}>

const UNPRIVILEGED: NotRead = {
  missing: 'the role is not a member of pg_monitor, so it does not see other clients',
}

/** @param seesAll whether the role sees the sessions of other roles; without that a count is unknown, not 0 */
export function decodeClients(row: ClientsRow | NotRead, seesAll: boolean): ClientsReading | NotRead {
  if (!seesAll) return UNPRIVILEGED
  if ('missing' in row) return row
  const { total, active, idle, idle_in_transaction: idleInTransaction } = row
  return {
    connections: { active, idle, idleInTransaction, other: total - active - idle - idleInTransaction },
    causes: {
      working: row.working,
      idleInTransaction,
      lastForeignStatement: instantOrNone(row.last_statement_ms),
      longestTransaction: secondsOrNone(row.longest_transaction),
    },
    groups: (row.groups ?? []).map(groupOf),
  }
}

const groupOf = ({ idle_in_transaction, last_statement_ms, ...rest }: GroupRow): ClientGroup => ({
  ...rest,
  idleInTransaction: idle_in_transaction,
  lastStatement: instantOrNone(last_statement_ms),
})
