import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import { isProcess, killProcess } from '../compute/orphans.ts'
import { type SystemUser, isProgram } from '../compute/owner.ts'
import { type PoolerFiles, configurationText, usersText } from './configuration.ts'

/** A PgBouncer that accepts clients on 127.0.0.1. */
export type Pooler = {
  readonly port: number
  /** Resolves when the process is gone, with its last words; never rejects. */
  readonly ended: Promise<string>
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>
}

export type PoolerOptions = {
  readonly program: string
  /** Its own, for configuration and process id. */
  readonly folder: string
  /** PgBouncer refuses to run as root, as Postgres does. */
  readonly owner: SystemUser | undefined
  readonly clock: Clock
  readonly port: number
  readonly serverPort: number
  readonly maxConnections: number
  readonly keepsSessions: boolean
  readonly password: string
}

/** How long PgBouncer may take to come up, ms; it takes 10. */
const START_BOUND = 10_000

/** How many lines of its log an error message quotes. */
const QUOTED_LINES = 4

export const filesIn = (folder: string): PoolerFiles => ({
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
  writeFiles(options, await versionOf(options.program))
  const child = launch(options)
  const { ready, ended } = follow(child)
  const cancel = options.clock.after(START_BOUND, () => child.kill('SIGKILL'))
  try {
    await Promise.race([ready, ended.then((words) => Promise.reject(new Error(words)))])
  } finally {
    cancel()
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL') // it holds nothing that could be lost, and its polite shutdown waits for transactions
    await ended
    rmSync(options.folder, { recursive: true, force: true })
  }
  return { port: options.port, ended, stop }
}

/** As a number, 1.18 as 118; 0 when the program does not say. */
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
  writeFileSync(files.users, usersText(password), { mode: 0o600 })
  if (!owner) return
  for (const path of [folder, files.configuration, files.users]) chownSync(path, owner.uid, owner.gid)
}

function launch({ program, folder, owner }: PoolerOptions): ChildProcess {
  return spawn(program, [filesIn(folder).configuration], {
    cwd: folder,
    // its own group, as with Postgres: Ctrl-C in a terminal must reach us alone
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
    ...(owner && { uid: owner.uid, gid: owner.gid }),
  })
}

function follow(child: ChildProcess): { readonly ready: Promise<void>; readonly ended: Promise<string> } {
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  let lines: string[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    if (parts.some((line) => line.includes('process up'))) ready.resolve()
    lines = [...lines, ...parts].slice(-QUOTED_LINES)
  })
  child.once('error', (error) => ended.resolve(`pgbouncer could not be run: ${error.message}`))
  child.once('exit', (code, signal) =>
    ended.resolve(`pgbouncer ended (${signal ?? code}): ${lines.join(' | ')}`),
  )
  return { ready: ready.promise, ended: ended.promise }
}

/** Where packages put it; Debian's folder is not on everybody's PATH. */
const USUAL = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** What the environment says: `PGBOUNCER` names the program itself, else the folders of `PATH` are searched first. */
export type Environment = { readonly PGBOUNCER?: string | undefined; readonly PATH?: string | undefined }

/** The PgBouncer of this machine; undefined when it has none. */
export function findPgBouncer({ PGBOUNCER: chosen, PATH: path = '' }: Environment): string | undefined {
  const places = chosen
    ? [chosen]
    : [...path.split(':').filter(Boolean), ...USUAL].map((folder) => join(folder, 'pgbouncer'))
  return places.find(isProgram)
}

/**
 * Ends poolers an earlier, killed service left running, and clears their folders inside `parent`.
 *
 * @returns name of the folder and process id of each that ran; nothing of it runs any more
 */
export async function stopOrphanPoolers(
  parent: string,
  clock: Clock,
): Promise<readonly { readonly folder: string; readonly pid: number }[]> {
  const orphans = readdirSync(parent).flatMap((folder) => {
    const pid = poolerOf(join(parent, folder))
    return pid === undefined ? [] : [{ folder, pid }]
  })
  await Promise.all(orphans.map(({ pid }) => killProcess(pid, clock)))
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true, force: true })
  return orphans
}

/** The process id PgBouncer wrote down, confirmed by the process itself. */
export function poolerOf(folder: string): number | undefined {
  const { pid: pidFile, configuration } = filesIn(folder)
  if (!existsSync(pidFile)) return undefined
  const pid = Number(readFileSync(pidFile, 'utf8'))
  return isProcess(pid, 'pgbouncer', configuration) ? pid : undefined
}
