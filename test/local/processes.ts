import { readFileSync, readdirSync } from 'node:fs'

/** Processes of this machine whose command names this folder: servers first of all. */
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
