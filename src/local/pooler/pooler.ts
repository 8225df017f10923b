// PgBouncer: where it is, and a process in front of one server.
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

/** Accepts clients on 127.0.0.1. */
export type Pooler = Pick<ServerProcess, 'ended'> & {
  readonly port: number
  /** Resolves when process and folder are gone. */
  stop(): Promise<void>
}

export type PoolerOptions = Readonly<{
  program: string
  /** Folder of this pooler alone. */
  folder: string
  /** PgBouncer refuses to run as root, as Postgres does. */
  owner: SystemUser | undefined
  clock: Clock
  port: number
  serverPort: number
  /** Limit of the compute; a pool takes nine tenths at most. */
  maxConnections: number
  /** Server sessions outlive their clients, as in a pool; else each serves one transaction. */
  keepsSessions: boolean
  /** Password of the superuser, who looks up roles of clients. [a-z0-9], so it needs no escaping. */
  password: string
}>

/** Time until PgBouncer accepts clients, ms; it takes 10. */
const START_TIMEOUT = 10_000

/** Clients of one pooler (S-101). */
const MAX_CLIENTS = 10_000

/** Supported from PgBouncer 1.21 on, on every server session. */
const MAX_PREPARED_STATEMENTS = 1000

/** Resolves when it accepts clients; throws as `startServerProcess`. */
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
  const stop = async () => {
    child.kill('SIGKILL') // nothing can be lost, and an orderly shutdown waits for transactions
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, ended, stop }
}

/** PgBouncer itself writes `pid`. */
const filesIn = (folder: string) => ({
  configuration: join(folder, 'pgbouncer.ini'),
  users: join(folder, 'users.txt'),
  pid: join(folder, 'pgbouncer.pid'),
})

/** 118 for 1.18; 0 when the program prints none. */
async function versionOf(program: string): Promise<number> {
  const { stdout } = await promisify(execFile)(program, ['--version'])
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return 100 * Number(major) + Number(minor)
}

/**
 * - No password is copied: `auth_query` reads a role's SCRAM secret, and PgBouncer authenticates to the server with the
 *   client's own proof, so that roles and passwords changed in SQL hold at once.
 * - A pool does not keep its compute awake. `min_pool_size` is 0, and idle connections are checked only before use, so
 *   that their `state_change`, all that the rules of activity read of them, stands still (service-facts 9, rule 2). The
 *   end of a connection idle for ten minutes may count as activity once (rule 1).
 */
const configurationText = (options: PoolerOptions, version: number) => `
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

/** Where packages install PgBouncer; Debian's folder is not on every PATH. */
const INSTALL_FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** `PGBOUNCER` names the program; else `PATH` is searched, then the usual folders. Undefined without one. */
export function findPgBouncer({ PGBOUNCER: chosen, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = [...PATH.split(':').filter(Boolean), ...INSTALL_FOLDERS]
  return (chosen ? [chosen] : folders.map((folder) => join(folder, 'pgbouncer'))).find(isProgram)
}

export function poolerOf(folder: string): number | undefined {
  const { pid, configuration } = filesIn(folder)
  return recordedProcess(pid, 'pgbouncer', configuration)
}

export const POOLERS: OrphanKind = { processIn: poolerOf, signals: ['SIGKILL'] }
