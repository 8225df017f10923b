import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Variable with the folder of the program that the tests of a run start; without it they start the checkout. */
export const PROGRAM_FOLDER = 'DORMOUSE_TEST_PROGRAM'

/** An empty folder, in memory where the machine has room for it: a cluster is 30 MB, and a store waits for the disk at every commit. */
export const memoryFolder = (prefix: string): string =>
  mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), prefix))

/** At least 4 GB free. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 4 * 2 ** 30
}
