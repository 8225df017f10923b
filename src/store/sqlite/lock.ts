import { DatabaseSync } from 'node:sqlite'

/**
 * Locks `file` for this process, so that one folder has one daemon. The operating system releases the lock when the process ends,
 * also after kill −9.
 *
 * @throws when another process has the lock
 */
export function createLock(file: string, folder: string): Disposable {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database.close()
    throw new Error(
      `the folder ${folder} is in use by another Dormouse: stop that one, or give this one another store.folder`,
      { cause: error },
    )
  }
  return { [Symbol.dispose]: () => database.close() }
}
