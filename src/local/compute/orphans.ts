// Programs that a killed service left running.
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Clock } from '../clock.ts'

/** The process in a folder, and the signals that end it, gentlest first. */
export type OrphanKind = Readonly<{
  processIn: (folder: string) => number | undefined
  signals: readonly EndingSignal[]
}>

type EndingSignal = keyof typeof TIMEOUTS

/** Time to end after a signal, and between two looks, ms. */
const TIMEOUTS = { SIGINT: 5000, SIGQUIT: 2000, SIGKILL: 2000 }
const LOOK_INTERVAL = 10

/** Process id of the server on this data; undefined when none runs. */
export const serverOf = (dataFolder: string): number | undefined =>
  recordedProcess(join(dataFolder, 'postmaster.pid'), 'postgres', dataFolder)

/** Fast shutdown, immediate shutdown, kill. */
export const SERVERS: OrphanKind = { processIn: serverOf, signals: ['SIGINT', 'SIGQUIT', 'SIGKILL'] }

/** Stops and returns the programs of one kind that a killed service left in the folders of `parent`. */
export async function stopOrphans(parent: string, { processIn, signals }: OrphanKind, clock: Clock) {
  const orphans = readdirSync(parent).flatMap((folder) => {
    const pid = processIn(join(parent, folder))
    return pid === undefined ? [] : [{ folder, pid }]
  })
  await Promise.all(orphans.map(({ pid }) => endProcess(pid, signals, clock)))
  return orphans
}

/** Process id in the file if that process runs this program with this argument: the system may have reused the id. */
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
    return false // it has just ended
  }
}

/** Signals in turn until the process is gone. Polls: only a parent learns of an end. */
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

/** Whether the process runs; signal 0 only tests that. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return !isZombie(pid)
  } catch {
    return false
  }
}

/** Ended, but never collected by its parent, such as the first process of many containers. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
