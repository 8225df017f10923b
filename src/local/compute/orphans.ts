// Postgres servers and other programs that a killed service left running.
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Clock } from '../clock.ts'

/** A kind of program, with the id of the process that runs in a folder and the signals that end it, the gentlest first. */
export type OrphanKind = Readonly<{
  processIn: (folder: string) => number | undefined
  signals: readonly EndingSignal[]
}>

type EndingSignal = keyof typeof TIMEOUTS

/** Time a process has to end after a signal, and the time between two looks, ms. */
const TIMEOUTS = { SIGINT: 5000, SIGQUIT: 2000, SIGKILL: 2000 }
const LOOK_INTERVAL = 10

/** Process id of the server that runs on this data folder; undefined when none does. */
export const serverOf = (dataFolder: string): number | undefined =>
  recordedProcess(join(dataFolder, 'postmaster.pid'), 'postgres', dataFolder)

/** Postgres: fast shutdown, immediate shutdown, kill. */
export const SERVERS: OrphanKind = { processIn: serverOf, signals: ['SIGINT', 'SIGQUIT', 'SIGKILL'] }

/** Stops the programs of one kind that an earlier, killed service left running in the folders inside `parent`, and returns them. */
export async function stopOrphans(parent: string, { processIn, signals }: OrphanKind, clock: Clock) {
  const orphans = readdirSync(parent).flatMap((folder) => {
    const pid = processIn(join(parent, folder))
    return pid === undefined ? [] : [{ folder, pid }]
  })
  await Promise.all(orphans.map(({ pid }) => endProcess(pid, signals, clock)))
  return orphans
}

/**
 * Process id in the file, if that process runs this program with this path among its arguments. The id alone proves
 * nothing: the system may have given it to another process since it was written down.
 */
export function recordedProcess(pidFile: string, program: string, path: string): number | undefined {
  if (!existsSync(pidFile)) return undefined
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return pid > 1 && runs(pid, program, path) ? pid : undefined
}

function runs(pid: number, program: string, path: string): boolean {
  try {
    if (existsSync('/proc/self/exe')) {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith(program) && words.includes(path)
    }
    const line = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return line.includes(program) && line.includes(path)
  } catch {
    return false // the process has just ended
  }
}

/** Sends one signal after the other until the process is gone. Polls: only a parent is notified of the end of a process. */
async function endProcess(pid: number, signals: OrphanKind['signals'], clock: Clock): Promise<void> {
  for (const signal of signals) {
    let isRunning = sendSignal(pid, signal)
    for (let waited = 0; isRunning && waited < TIMEOUTS[signal]; waited += LOOK_INTERVAL) {
      await clock.sleep(LOOK_INTERVAL)
      isRunning = sendSignal(pid, 0)
    }
    if (!isRunning) return
  }
}

/** Sends a signal and returns whether the process runs; signal 0 only tests that. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return !isZombie(pid)
  } catch {
    return false
  }
}

/** Whether the process has ended but its parent never collects it, as the first process of many containers does not. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
