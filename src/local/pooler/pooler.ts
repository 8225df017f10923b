// PgBouncer: where it is, and one process in front of one server.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import { SUPERUSER } from '../compute/configuration.ts'
import { giveTo, writeSecret } from '../compute/files.ts'
import { type OrphanKind, recordedProcess } from '../compute/orphans.ts'
import { type SystemUser, isProgram } from '../compute/owner.ts'
import { type ServerProcess, startServerProcess } from '../compute/process.ts'

/** A PgBouncer that accepts clients on 127.0.0.1. */
export type Pooler = Pick<ServerProcess, 'ended'> & {
  readonly port: number
  /** Kills the process and removes its folder; resolves when both are gone. */
  stop(): Promise<void>
}

export type PoolerOptions = Readonly<{
  program: string
  /** Folder of this pooler alone, for its configuration and process id. */
  folder: string
  /** User that PgBouncer runs as: it refuses to run as root, as Postgres does. */
  owner: SystemUser | undefined
  clock: Clock
  port: number
  serverPort: number
  /** Connection limit of the compute, of which a pool takes at most nine tenths. */
  maxConnections: number
  /** Whether server sessions outlive their clients, as in a pool; otherwise each serves one transaction. */
  keepsSessions: boolean
  /** Password of the superuser, who looks up the roles of clients. Generated from [a-z0-9], so it needs no escaping. */
  password: string
}>

/** Time until PgBouncer must accept clients, 10 s; it takes 10 ms. */
const START_TIMEOUT = 10_000

/** Clients of one pooler (S-101). */
const MAX_CLIENTS = 10_000

/** Prepared statements that PgBouncer, from 1.21 on, makes available on every server session. */
const MAX_PREPARED_STATEMENTS = 1000

/** Starts a pooler and resolves when it accepts clients; throws as `startServerProcess` does. */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const { program, folder, owner, password, port } = options
  const files = filesIn(folder)
  const configuration = configurationText(options, await versionOf(program))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(files.configuration, configuration)
  writeSecret(files.users, `"${SUPERUSER}" "${password}"\n`, owner)
  giveTo(owner, folder, files.configuration)
  const { child, ended } = await startServerProcess({
    ...options,
    name: 'pgbouncer',
    path: program,
    args: [files.configuration],
    ready: /process up/,
    startTimeout: START_TIMEOUT,
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL') // it holds nothing that could be lost, and its orderly shutdown waits for transactions
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, ended, stop }
}

/** Files of one pooler. PgBouncer itself writes the last one as it starts. */
const filesIn = (folder: string) => ({
  configuration: join(folder, 'pgbouncer.ini'),
  users: join(folder, 'users.txt'),
  pid: join(folder, 'pgbouncer.pid'),
})

/** Version as a number, 118 for 1.18; 0 when the program does not print one. */
async function versionOf(program: string): Promise<number> {
  const { stdout } = await promisify(execFile)(program, ['--version'])
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return 100 * Number(major) + Number(minor)
}

/**
 * PgBouncer's configuration file.
 *
 * - No password is copied. `auth_query` reads a role's SCRAM secret when a client connects, and PgBouncer authenticates
 *   to the server with the client's own proof, so that roles and passwords changed in SQL hold at once.
 * - A pool does not keep its compute awake. `min_pool_size` is 0, and idle server connections are checked only before a
 *   client uses them, so that their `state_change` stands still; the rules of activity read nothing else of them
 *   (service-facts 9, rule 2). The end of a connection that was idle for ten minutes may count as activity once (rule 1).
 */
const configurationText = (options: PoolerOptions, version: number): string => `
[databases]
* = host=127.0.0.1 port=${options.serverPort}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${options.port}
unix_socket_dir =
pidfile = ${filesIn(options.folder).pid}
auth_type = scram-sha-256
auth_file = ${filesIn(options.folder).users}
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
${version < 121 ? '' : `max_prepared_statements = ${MAX_PREPARED_STATEMENTS}`}
`

/** Folders in which packages install PgBouncer; Debian's is not on everybody's PATH. */
const INSTALL_FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/**
 * The PgBouncer of this machine; undefined when it has none. `PGBOUNCER` of the environment names the program itself;
 * without it the folders of `PATH` are searched, then the usual ones.
 */
export function findPgBouncer({ PGBOUNCER: chosen, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = [...PATH.split(':').filter(Boolean), ...INSTALL_FOLDERS]
  return (chosen ? [chosen] : folders.map((folder) => join(folder, 'pgbouncer'))).find(isProgram)
}

/** Process id of the pooler that runs in this folder; undefined when none does. */
export function poolerOf(folder: string): number | undefined {
  const { pid, configuration } = filesIn(folder)
  return recordedProcess(pid, 'pgbouncer', configuration)
}

export const POOLERS: OrphanKind = { processIn: poolerOf, signals: ['SIGKILL'] }
