import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Clock } from '../clock.ts'

/** Time a server gets for a fast, then for an immediate shutdown, ms, and how often we look. */
const FAST_BOUND = 5_000
const QUIT_BOUND = 2_000
const LOOK_EVERY = 10

/**
 * Stops Postgres servers an earlier, killed service left running on the data folders inside `parent`.
 *
 * @returns what was stopped: name of the data folder and process id; nothing of it runs any more
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

/** The process id of the server on this data folder: written in its lock file, and confirmed by the process itself. */
export function serverOf(dataFolder: string): number | undefined {
  const lockFile = join(dataFolder, 'postmaster.pid')
  if (!existsSync(lockFile)) return undefined
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0])
  return isProcess(pid, 'postgres', dataFolder) ? pid : undefined
}

/** A process id may have been given to another since: only this program with this very path as an argument counts. */
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
    return false // it ended while we looked
  }
}

async function stopProcess(pid: number, clock: Clock): Promise<void> {
  if (await endedAfter(pid, 'SIGINT', { clock, bound: FAST_BOUND })) return
  if (await endedAfter(pid, 'SIGQUIT', { clock, bound: QUIT_BOUND })) return
  await killProcess(pid, clock)
}

/** Resolves when the process is gone, or is past killing. */
export async function killProcess(pid: number, clock: Clock): Promise<void> {
  await endedAfter(pid, 'SIGKILL', { clock, bound: QUIT_BOUND })
}

/** Sends the signal and looks until the process is gone: somebody else's child tells us nothing by itself. */
async function endedAfter(
  pid: number,
  signal: NodeJS.Signals,
  { clock, bound }: { readonly clock: Clock; readonly bound: number },
): Promise<boolean> {
  const never = new AbortController().signal
  for (let waited = 0; waited < bound; waited += LOOK_EVERY) {
    if (!sent(pid, waited === 0 ? signal : 0)) return true
    await clock.sleep(LOOK_EVERY, never)
  }
  return !sent(pid, 0)
}

/** Signal 0 only asks whether the process exists. */
function sent(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return !isZombie(pid)
  } catch {
    return false
  }
}

/** Dead but not yet collected by its parent, as happens in containers whose first process collects nothing. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
