import { readFileSync, readdirSync } from 'node:fs'

/** Processes whose command names this folder, such as Postgres servers. */
export const processesOn = (folder: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandOf(pid).some((word) => word.startsWith(folder)))

function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return [] // it ended while we looked
  }
}
