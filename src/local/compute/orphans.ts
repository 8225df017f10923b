// Postgres servers and other programs that a killed service left running.
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Clock } from '../clock.ts'

/** Time for a fast shutdown, time for an immediate one, and the time between two looks, ms. */
const FAST_TIMEOUT = 5_000
const QUIT_TIMEOUT = 2_000
const LOOK_INTERVAL = 10

/**
 * Stops Postgres servers that an earlier, killed service left running on the data folders inside `parent`.
 *
 * @returns name of the data folder and process id of each stopped server
 */
export async function stopOrphans(
  parent: string,
  clock: Clock,
): Promise<readonly { readonly folder: string; readonly pid: number }[]> {
  const orphans = readdirSync(parent)
    .map((name) => ({ folder: name, pid: serverOf(join(parent, name)) }))
    .filter((orphan): orphan is { folder: string; pid: number } => orphan.pid !== undefined)
  await Promise.all(orphans.map(({ pid }) => stopProcess(pid, clock)))
  return orphans
}

/** Process id of the server that runs on this data folder; undefined when none does. */
export function serverOf(dataFolder: string): number | undefined {
  const lockFile = join(dataFolder, 'postmaster.pid')
  if (!existsSync(lockFile)) return undefined
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0])
  return isProcess(pid, 'postgres', dataFolder) ? pid : undefined
}

/**
 * Whether the process runs this program with this path among its arguments. The id alone proves nothing: the system may
 * have given it to another process since it was written down.
 */
export function isProcess(pid: number, program: string, path: string): boolean {
  if (!(pid > 1)) return false
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

async function stopProcess(pid: number, clock: Clock): Promise<void> {
  if (await endsAfter(pid, 'SIGINT', { clock, timeout: FAST_TIMEOUT })) return
  if (await endsAfter(pid, 'SIGQUIT', { clock, timeout: QUIT_TIMEOUT })) return
  await killProcess(pid, clock)
}

/** Resolves when the process is gone, or cannot be killed. */
export async function killProcess(pid: number, clock: Clock): Promise<void> {
  await endsAfter(pid, 'SIGKILL', { clock, timeout: QUIT_TIMEOUT })
}

/** Sends the signal and polls until the process is gone: only a parent is notified of the end of a process. */
async function endsAfter(
  pid: number,
  signal: NodeJS.Signals,
  { clock, timeout }: { readonly clock: Clock; readonly timeout: number },
): Promise<boolean> {
  for (let waited = 0; waited < timeout; waited += LOOK_INTERVAL) {
    if (!sendSignal(pid, waited === 0 ? signal : 0)) return true
    await clock.sleep(LOOK_INTERVAL)
  }
  return !sendSignal(pid, 0)
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
