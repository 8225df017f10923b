// Programs run in a clean environment as the user of Postgres.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import type { SystemUser } from './owner.ts'

export type ServerProcess = Readonly<{
  child: ChildProcess
  /** The last lines of the log once the process is gone; never rejects. */
  ended: Promise<string>
}>

type ServerProcessOptions = Readonly<{
  name: string
  path: string
  args: readonly string[]
  folder: string
  owner: SystemUser | undefined
  /** Log line once it serves. */
  ready: RegExp
  /** Time until it must serve, ms; then it is killed. */
  startTimeout: number
  clock: Clock
}>

const QUOTED_LINES = 6

/** Resolves once the log says that it serves; throws with the last lines when it ends or hangs. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { path, args, folder, owner, startTimeout, clock } = options
  const child = spawn(path, args, {
    cwd: folder,
    // its own process group: Ctrl-C must reach the service alone, so that the meter closes in order
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...processOptions(owner),
  })
  const { ready, ended } = followLog(child, options)
  const cancel = clock.after(startTimeout, () => child.kill('SIGKILL'))
  try {
    await Promise.race([ready, ended.then((words) => Promise.reject(new Error(words)))])
  } finally {
    cancel()
  }
  return { child, ended }
}

/** The error output of a program that failed. */
export async function runCommand(
  path: string,
  args: readonly string[],
  owner: SystemUser | undefined,
): Promise<string | undefined> {
  try {
    await promisify(execFile)(path, args, { cwd: '/', ...processOptions(owner) })
    return undefined
  } catch (error) {
    return (error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)).trim()
  }
}

const processOptions = (owner: SystemUser | undefined) => ({
  env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
  ...(owner && { uid: owner.uid, gid: owner.gid }),
})

function followLog(child: ChildProcess, { name, ready }: ServerProcessOptions) {
  const isReady = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  let lines: string[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    if (parts.some((line) => ready.test(line))) isReady.resolve()
    lines = [...lines, ...parts].slice(-QUOTED_LINES)
  })
  child.once('error', (error) => ended.resolve(`${name} could not be run: ${error.message}`))
  // not 'close': a child of a killed server may hold the pipe open
  const endText = (reason: string | number | null) => `${name} ended (${reason}): ${lines.join(' | ')}`
  child.once('exit', (code, signal) => ended.resolve(endText(signal ?? code)))
  return { ready: isReady.promise, ended: ended.promise }
}
