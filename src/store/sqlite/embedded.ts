// SQLite in one file of one folder, used by one daemon at a time.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../model/ports/clock.ts'
import type { Journal } from '../../model/ports/journal.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { AccountStore, Store } from '../../model/ports/store.ts'
import { createHistoryReader } from './history.ts'
import { loadLedger } from './load-ledger.ts'
import { ensurePrivateFile, ensurePrivateFolder, ensurePrivateLock } from '../private-files.ts'
import { createSchema, requireSchema, takeLease } from './schema.ts'
import { isHeld, storeError, withStoreErrors, withStoreErrorsSync } from './errors.ts'
import { createJournal } from './journal.ts'
import { createOutbox } from './outbox.ts'
import { createWriter } from './writer.ts'

const FILE = 'dormouse.sqlite'

/**
 * A commit is durable when it returns. A checkpoint writes 4 MiB (1,000 pages), short enough for the event loop; so is the wait of 50 ms
 * for a program that has the file locked.
 */
const WRITING = `
pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000;
pragma journal_size_limit = 33554432; pragma busy_timeout = 50
`

/** @throws before any change if the folder is not private, not writable or in use, or its file damaged or of another schema version */
export function openEmbeddedStore(folder: string, clock: Clock): OpenedStore {
  ensurePrivateFolder(folder)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new Error(`the folder ${folder} cannot be used: name one that this user may write to`, { cause })
  }
  const file = join(folder, FILE)
  using stack = new DisposableStack()
  stack.use(createLock(join(folder, 'lock.sqlite'), folder))
  const { writer, reader, epoch } = withStoreErrorsSync(file, () => {
    for (const existing of [`${file}-wal`, `${file}-shm`].filter(existsSync)) ensurePrivateFile(existing)
    ensurePrivateFile(file) // SQLite gives its mode to the files beside it
    const database = stack.use(new DatabaseSync(file))
    database.exec(WRITING)
    createSchema(database, file)
    const lease = takeLease(database)
    return { writer: createWriter(database, clock), reader: readerOf(file, clock, stack), epoch: lease }
  })
  const isInPlace = watchPlace(file)
  const resources = stack.move()
  return {
    ...reader,
    epoch,
    isCurrent: () => {
      try {
        return writer.epoch() === epoch && isInPlace()
      } catch {
        return false
      }
    },
    account: (name) =>
      withStoreErrors(file, {
        ...reader.account(name),
        commit: async (writes, options) => {
          if (!isInPlace()) throw new Error(`${file} ${MOVED}`)
          return await writer.commit(name, writes, options)
        },
      }),
    close: async () => {
      await writer.idle()
      resources.dispose()
    },
  }
}

export type OpenedStore = Store & History & Outbox & Journal
type Reader = { account(name: string): Pick<AccountStore, 'load'> } & History & Outbox & Journal
export type StoreReader = Reader & Pick<Store, 'close'>

/** Also while a daemon uses it; undefined without a store. @throws when it is damaged or not of this version */
export function readEmbeddedStore(folder: string, clock: Clock): StoreReader | undefined {
  const file = join(folder, FILE)
  if (!existsSync(file)) return undefined
  using stack = new DisposableStack()
  const reader = withStoreErrorsSync(file, () => readerOf(file, clock, stack))
  const resources = stack.move()
  return { ...reader, close: async () => resources.dispose() }
}

/** On its own connection, so that a query never sees a part of a commit. */
function readerOf(file: string, clock: Clock, stack: DisposableStack): Reader {
  const database = stack.use(new DatabaseSync(file, { readOnly: true }))
  requireSchema(database, file)
  return {
    account: (name) => withStoreErrors(file, { load: () => loadLedger(database, name, clock) }),
    ...withStoreErrors(file, {
      ...createHistoryReader(database, clock),
      ...createOutbox(database),
      ...createJournal(database),
    }),
  }
}

const MOVED =
  'was removed or replaced while it was in use, so what is written would be lost: put it back, or start this Dormouse again'

/** Whether the path still names the file that is open now. In a file without a name everything goes well until the end of the process. */
function watchPlace(file: string): () => boolean {
  const opened = statSync(file)
  return () => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found?.ino === opened.ino && found.dev === opened.dev
  }
}

/** The system releases the lock with the process, also after kill −9. @throws when it is taken */
function createLock(file: string, folder: string) {
  ensurePrivateLock(file)
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database.close()
    if (!isHeld(error)) throw storeError(file, error)
    throw new Error(
      `the folder ${folder} is in use by another Dormouse: stop that one, or give this one another store.folder`,
      { cause: error },
    )
  }
  return database
}
