// Reads the client connections: how many, in which state, and whose.
import { z } from 'zod'
import type { ClientGroup, ConnectionCounts, NotRead } from '../../model/observation.ts'
import type { Instant } from '../../model/units.ts'
import type { PartQuery } from './batched-query.ts'
import { quoteNameArray } from './quote.ts'
import { elapsedSeconds, instantMs, name, optional, sessionCount } from './row-values.ts'
import type { ClientIndicators } from './server-query.ts'

/**
 * Condition for a client: a client backend of neither a service user nor Dormouse. Without the rights of `pg_read_all_stats`
 * the rows of other roles have a null `backend_type` and are not counted: `sees_all` says whether we have the rights.
 */
const clientCondition = (serviceUsers: readonly string[]): string =>
  `backend_type operator(pg_catalog.=) 'client backend'
      and usename operator(pg_catalog.<>) all (${quoteNameArray(serviceUsers)})
      and application_name operator(pg_catalog.<>) 'dormouse'`

/** Groups of a reading, the busiest first: more than 20 names are of no use to people. */
const MAX_GROUPS = 20

const COUNT = '(pg_catalog.count(*)'
const IS_IDLE = `state operator(pg_catalog.=) 'idle'`
const IS_WORKING = `not pg_catalog.starts_with(state, 'idle')`
const IS_IN_TRANSACTION = `pg_catalog.starts_with(state, 'idle in transaction')`
const LAST_STATEMENT_MS = `(
      extract(epoch from pg_catalog.max(state_change) filter (where ${IS_IDLE})) operator(pg_catalog.*) 1000
    )::pg_catalog.float8`

const groupRow = z
  .object({
    application: name,
    user: name,
    database: name,
    connections: sessionCount,
    working: sessionCount,
    idle_in_transaction: sessionCount,
    last_statement_ms: optional(instantMs),
  })
  .transform(({ idle_in_transaction, last_statement_ms, ...rest }): ClientGroup => ({
    ...rest,
    idleInTransaction: idle_in_transaction,
    lastStatement: last_statement_ms,
  }))

const clientsRow = z
  .object({
    total: sessionCount,
    active: sessionCount,
    idle: sessionCount,
    idle_in_transaction: sessionCount,
    working: sessionCount,
    last_statement_ms: optional(instantMs),
    longest_transaction: optional(elapsedSeconds),
    groups: z.array(groupRow).max(MAX_GROUPS).nullable(),
  })
  .refine((row) => row.active + row.idle + row.idle_in_transaction <= row.total, { path: ['total'] })
  .transform(({ total, active, idle, idle_in_transaction: idleInTransaction, ...row }): ClientsReading => ({
    connections: { active, idle, idleInTransaction, other: total - active - idle - idleInTransaction },
    causes: {
      working: row.working,
      idleInTransaction,
      lastForeignStatement: row.last_statement_ms,
      longestTransaction: row.longest_transaction,
    },
    groups: row.groups ?? [],
  }))

export const clientsQuery = (serviceUsers: readonly string[]): PartQuery<ClientsReading> => ({
  sql: `
  with client as materialized (
    select datname, usename, application_name, state, state_change, xact_start
    from pg_catalog.pg_stat_activity
    where ${clientCondition(serviceUsers)}
  ), named as (
    select
      application_name as application,
      coalesce(usename::pg_catalog.text, '') as "user",
      coalesce(datname::pg_catalog.text, '') as database,
      ${COUNT})::pg_catalog.int4 as connections,
      ${COUNT} filter (where ${IS_WORKING}))::pg_catalog.int4 as working,
      ${COUNT} filter (where ${IS_IN_TRANSACTION}))::pg_catalog.int4 as idle_in_transaction,
      ${LAST_STATEMENT_MS} as last_statement_ms
    from client
    group by 1, 2, 3
    order by working desc, idle_in_transaction desc, last_statement_ms desc nulls last, connections desc
    limit ${MAX_GROUPS}
  )
  select
    ${COUNT})::pg_catalog.int4 as total,
    ${COUNT} filter (where state operator(pg_catalog.=) 'active'))::pg_catalog.int4 as active,
    ${COUNT} filter (where ${IS_IDLE}))::pg_catalog.int4 as idle,
    ${COUNT} filter (where ${IS_IN_TRANSACTION}))::pg_catalog.int4 as idle_in_transaction,
    ${COUNT} filter (where ${IS_WORKING}))::pg_catalog.int4 as working,
    ${LAST_STATEMENT_MS} as last_statement_ms,
    extract(epoch from pg_catalog.clock_timestamp() operator(pg_catalog.-) pg_catalog.min(xact_start))::pg_catalog.float8
      as longest_transaction,
    (select pg_catalog.json_agg(named) from named) as groups
  from client`,
  row: clientsRow,
})

export type ClientsReading = Readonly<{
  connections: ConnectionCounts
  causes: ClientIndicators
  groups: readonly ClientGroup[]
}>

const UNPRIVILEGED: NotRead = {
  missing: 'the role is not a member of pg_monitor, so it does not see other clients',
}

const IN_FUTURE: NotRead = { missing: 'the server answered what cannot be: a statement of the future' }

/** Milliseconds by which a statement may have ended after the server told its time: both were read within a session. */
const MAX_SESSION = 10_000

/** Unknown, not 0, where the role does not see the sessions of other roles. */
export function visibleClients(
  row: ClientsReading | NotRead,
  { seesAll, serverTime }: { readonly seesAll: boolean; readonly serverTime: Instant },
): ClientsReading | NotRead {
  if (!seesAll) return UNPRIVILEGED
  if ('missing' in row) return row
  return (row.causes.lastForeignStatement ?? 0) > serverTime + MAX_SESSION ? IN_FUTURE : row
}
