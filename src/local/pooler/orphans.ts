import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { isProcess, killProcess } from '../compute/orphans.ts'
import { filesIn } from './pooler.ts'

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
