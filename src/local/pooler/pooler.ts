// PgBouncer: where it is, one process in front of one server, and processes that a killed service left running.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import { giveTo, writeSecret } from '../compute/files.ts'
import { type OrphanKind, recordedProcess } from '../compute/orphans.ts'
import { type SystemUser, isProgram } from '../compute/owner.ts'
import { type ServerProcess, startServerProcess } from '../compute/process.ts'
import { type PoolerConfiguration, type PoolerFiles, configurationText, usersText } from './configuration.ts'

/** A PgBouncer that accepts clients on 127.0.0.1. */
export type Pooler = Pick<ServerProcess, 'ended'> & {
  readonly port: number
  /** Kills the process and removes its folder; resolves when both are gone. */
  stop(): Promise<void>
}

export type PoolerOptions = Omit<PoolerConfiguration, 'files' | 'version'> & {
  readonly program: string
  /** Folder of this pooler alone, for its configuration and process id. */
  readonly folder: string
  /** User that PgBouncer runs as: it refuses to run as root, as Postgres does. */
  readonly owner: SystemUser | undefined
  readonly clock: Clock
}

/** Time until PgBouncer must accept clients, 10 s; it takes 10 ms. */
const START_TIMEOUT = 10_000

const filesIn = (folder: string): PoolerFiles => ({
  configuration: join(folder, 'pgbouncer.ini'),
  users: join(folder, 'users.txt'),
  pid: join(folder, 'pgbouncer.pid'),
})

/**
 * Starts a pooler and resolves when it accepts clients.
 *
 * @throws with the last lines of its log when it ends or hangs instead
 */
export async function startPooler(options: PoolerOptions): Promise<Pooler> {
  const { program, folder, owner, clock, port } = options
  writeFiles(options, await versionOf(program))
  const { child, ended } = await startServerProcess({
    name: 'pgbouncer',
    path: program,
    args: [filesIn(folder).configuration],
    folder,
    owner,
    ready: /process up/,
    startTimeout: START_TIMEOUT,
    clock,
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL') // it holds nothing that could be lost, and its orderly shutdown waits for transactions
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, ended, stop }
}

/** Version as a number, 118 for 1.18; 0 when the program does not print one. */
async function versionOf(program: string): Promise<number> {
  const { stdout } = await promisify(execFile)(program, ['--version'])
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  return 100 * Number(major) + Number(minor)
}

function writeFiles(options: PoolerOptions, version: number): void {
  const { folder, owner, password } = options
  const files = filesIn(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(files.configuration, configurationText({ ...options, files, version }))
  writeSecret(files.users, usersText(password), owner)
  giveTo(owner, folder, files.configuration)
}

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

/** Poolers hold nothing that could be lost, and their orderly shutdown waits for transactions. */
export const POOLERS: OrphanKind = { processIn: poolerOf, signals: ['SIGKILL'] }
