import { DatabaseSync } from 'node:sqlite'

/**
 * Holds `file` for this process, so that one folder has one daemon. The lock is the operating system's: it ends with the
 * process, also with kill −9.
 *
 * @throws when another process holds it
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
