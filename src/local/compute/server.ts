import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Certificate } from '../setup/certificate.ts'
import type { Clock } from '../clock.ts'
import type { Binaries } from './binaries.ts'
import type { SystemUser } from './owner.ts'

/** A Postgres server that accepts connections on 127.0.0.1. */
export type Server = {
  readonly port: number
  readonly pid: number
  /** Makes it read its configuration again; sessions follow with their next statement. */
  reload(): void
  /** Resolves when the process is gone, with its last words; never rejects. */
  readonly ended: Promise<string>
  /**
   * Fast shutdown: sessions are ended, data is flushed; `grace` ms before, sessions may end by themselves. Killed when
   * that takes too long. Resolves when nothing runs.
   */
  stop(grace: number): Promise<void>
}

export type ServerOptions = {
  readonly binaries: Binaries
  readonly owner: SystemUser | undefined
  readonly dataFolder: string
  readonly port: number
  readonly clock: Clock
  readonly certificate: Pick<Certificate, 'certificateFile' | 'keyFile'>
}

/** Bounds before a server that does not come up, or does not go, is killed, ms. Doubled, a hang lasts twice as long. */
const START_BOUND = 30_000
const STOP_BOUND = 10_000

/** What a server says once it serves, a standby too. */
const READY = /database system is ready to accept (?:read-only )?connections/

/** How many lines of the server's log an error message quotes. */
const QUOTED_LINES = 6

/**
 * Starts a server and resolves as soon as it says that it accepts connections.
 *
 * @throws with the last lines of its log when it ends or hangs instead
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = launch(options)
  const log = follow(child)
  const cancel = options.clock.after(START_BOUND, () => child.kill('SIGKILL'))
  try {
    await Promise.race([log.ready, log.ended.then((words) => Promise.reject(new Error(words)))])
  } finally {
    cancel()
  }
  return {
    port: options.port,
    pid: child.pid ?? 0,
    reload: () => void child.kill('SIGHUP'),
    ended: log.ended,
    stop: (grace) => stopChild(child, log.ended, { clock: options.clock, grace }),
  }
}

function launch({ binaries, owner, dataFolder, port, certificate }: ServerOptions): ChildProcess {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'ssl=on',
    `ssl_cert_file=${certificate.certificateFile}`,
    `ssl_key_file=${certificate.keyFile}`,
  ]
  return spawn(
    join(binaries.folder, 'postgres'),
    ['-D', dataFolder, ...settings.flatMap((setting) => ['-c', setting])],
    {
      cwd: dataFolder,
      // its own group: Ctrl-C in a terminal must reach us alone, so that the meter closes in order
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    },
  )
}

function follow(child: ChildProcess): { readonly ready: Promise<void>; readonly ended: Promise<string> } {
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  let lines: string[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    if (parts.some((line) => READY.test(line))) ready.resolve()
    lines = [...lines, ...parts].slice(-QUOTED_LINES)
  })
  child.once('error', (error) => ended.resolve(`postgres could not be run: ${error.message}`))
  // 'exit', not 'close': a child of a killed server may hold the pipe open for a while
  child.once('exit', (code, signal) =>
    ended.resolve(`postgres ended (${signal ?? code}): ${lines.join(' | ')}`),
  )
  return { ready: ready.promise, ended: ended.promise }
}

async function stopChild(
  child: ChildProcess,
  ended: Promise<string>,
  { clock, grace }: { readonly clock: Clock; readonly grace: number },
): Promise<void> {
  child.kill(grace > 0 ? 'SIGTERM' : 'SIGINT')
  const cancels = [
    ...(grace > 0 ? [clock.after(grace, () => child.kill('SIGINT'))] : []),
    clock.after(grace + STOP_BOUND, () => child.kill('SIGQUIT')),
    clock.after(grace + STOP_BOUND * 1.5, () => child.kill('SIGKILL')),
  ]
  await ended
  for (const cancel of cancels) cancel()
}
