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
  /** Of PgBouncer, 1.18 as 118. */
  readonly version: number
  readonly port: number
  readonly serverPort: number
  /** Of the compute, which the pools may use up to nine tenths. */
  readonly maxConnections: number
  /** Sessions of the server outlive their clients, as pools do; else each serves one transaction. */
  readonly keepsSessions: boolean
  /** Of the superuser that looks up the others. */
  readonly password: string
}

/** Clients of one pooler (S-101). */
const MOST_CLIENTS = 10_000

/** Prepared statements of the protocol that are followed from server to server, from PgBouncer 1.21 on. */
const MOST_PREPARED = 1000

/**
 * PgBouncer's configuration file.
 *
 * Nobody's password is copied: `auth_query` reads a role's SCRAM secret when it connects, and PgBouncer proves itself to
 * the server with what the client proved to it, so that roles and passwords changed in SQL hold at once.
 *
 * Nothing in here touches the server by itself: `min_pool_size` is 0, and idle server connections are checked only when
 * a client is about to use them. Their `state_change` therefore stands still, which is all that the rules of activity
 * see of them (service-facts 9, rule 2), and a pool kept open does not keep its compute awake. The end of one that was
 * idle for ten minutes may count as activity, once (rule 1).
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
max_client_conn = ${MOST_CLIENTS}
default_pool_size = ${Math.max(1, Math.floor(0.9 * options.maxConnections))}
min_pool_size = 0
${options.keepsSessions ? '' : 'server_lifetime = 0'}
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
${options.version < 121 ? '' : `max_prepared_statements = ${MOST_PREPARED}`}
`

/** The one user PgBouncer must know by itself; the password is our own, of [a-z0-9]. */
export const usersText = (password: string): string => `"${SUPERUSER}" "${password}"\n`
