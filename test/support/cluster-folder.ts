// A folder for what the tests of a run share: the database cluster that local services begin with.
import { chmodSync, rmSync } from 'node:fs'
import { memoryFolder } from './folder.ts'
import { CLUSTER_FOLDER } from './start-quickly.ts'

/** The folder is empty at first; `start-quickly.ts` fills it. Workers inherit the variable. */
export function setup(): () => void {
  const folder = memoryFolder('dormouse-cluster-')
  // the user of Postgres passes through
  chmodSync(folder, 0o711)
  process.env[CLUSTER_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
