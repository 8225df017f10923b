import { SUPERUSER } from '../compute/configuration.ts'

/** Files of one pooler, all in its folder. */
export type PoolerFiles = {
  readonly configuration: string
  readonly users: string
  /** Written by PgBouncer itself as it starts. */
  readonly pid: string
}

export type PoolerConfiguration = {
  readonly files: PoolerFiles
  /** Version of PgBouncer, 118 for 1.18. */
  readonly version: number
  readonly port: number
  readonly serverPort: number
  /** Connection limit of the compute, of which a pool takes at most nine tenths. */
  readonly maxConnections: number
  /** Whether server sessions outlive their clients, as in a pool; otherwise each serves one transaction. */
  readonly keepsSessions: boolean
  /** Password of the superuser, who looks up the roles of clients. */
  readonly password: string
}

/** Clients of one pooler (S-101). */
const MAX_CLIENTS = 10_000

/** Prepared statements that PgBouncer, from 1.21 on, makes available on every server session. */
const MAX_PREPARED_STATEMENTS = 1000

/**
 * PgBouncer's configuration file.
 *
 * - No password is copied. `auth_query` reads a role's SCRAM secret when a client connects, and PgBouncer authenticates
 *   to the server with the client's own proof, so that roles and passwords changed in SQL hold at once.
 * - A pool does not keep its compute awake. `min_pool_size` is 0, and idle server connections are checked only before a
 *   client uses them, so that their `state_change` stands still; the rules of activity read nothing else of them
 *   (service-facts 9, rule 2). The end of a connection that was idle for ten minutes may count as activity once (rule 1).
 */
export const configurationText = (options: PoolerConfiguration): string => `
[databases]
* = host=127.0.0.1 port=${options.serverPort}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${options.port}
unix_socket_dir =
pidfile = ${options.files.pid}
auth_type = scram-sha-256
auth_file = ${options.files.users}
auth_user = ${SUPERUSER}
auth_query = select usename::text, passwd from pg_catalog.pg_shadow where usename = $1
pool_mode = transaction
max_client_conn = ${MAX_CLIENTS}
default_pool_size = ${Math.max(1, Math.floor(0.9 * options.maxConnections))}
min_pool_size = 0
${options.keepsSessions ? '' : 'server_lifetime = 0'}
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
${options.version < 121 ? '' : `max_prepared_statements = ${MAX_PREPARED_STATEMENTS}`}
`

/** PgBouncer's file of users: the superuser alone. Its password is generated from [a-z0-9] and needs no escaping. */
export const usersText = (password: string): string => `"${SUPERUSER}" "${password}"\n`
