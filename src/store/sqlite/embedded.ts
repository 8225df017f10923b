// Embedded store: one SQLite file in one folder, used by one daemon at a time.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { createHistoryReader } from './history.ts'
import { loadLedger } from './load-ledger.ts'
import { createLock } from './lock.ts'
import { createSchema, requireSchema } from './schema.ts'
import { withStoreErrors, withStoreErrorsEach, withStoreErrorsSync } from './errors.ts'
import { createOutbox } from './outbox.ts'
import { createWriter } from './writer.ts'

const FILE = 'dormouse.sqlite'

/**
 * A commit is durable when it returns. A checkpoint writes 4 MiB (1,000 pages) of the log, short enough for the event loop. The wait
 * for another program that has the file locked, 50 ms, is as long as any other step may take.
 */
const WRITING = `
pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000;
pragma journal_size_limit = 33554432; pragma busy_timeout = 50
`

/**
 * @throws without changing anything when the folder cannot be written or is used by another daemon, or when its file is damaged
 *   or of another schema version
 */
export function openEmbeddedStore(folder: string, clock: Clock): Store & History & Outbox {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const file = join(folder, FILE)
  using stack = new DisposableStack()
  stack.use(createLock(join(folder, 'lock.sqlite'), folder))
  const { writer, reader } = withStoreErrorsSync(file, () => {
    const database = stack.adopt(new DatabaseSync(file), (opened) => opened.close())
    database.exec(WRITING)
    createSchema(database, file)
    return { writer: createWriter(database, clock), reader: readerOf(file, clock, stack) }
  })
  const resources = stack.move()
  return {
    ...reader,
    commit: (batch) => withStoreErrors(file, () => writer.commit(batch)),
    close: async () => {
      await writer.idle()
      resources.dispose()
    },
  }
}

export type StoreReader = Pick<Store, 'load' | 'close'> & History & Outbox

/**
 * Opens the store in `folder` for reading, also while a daemon uses it.
 *
 * @returns undefined when the folder has no store
 * @throws when the file is damaged or not of this version
 */
export function readEmbeddedStore(folder: string, clock: Clock): StoreReader | undefined {
  const file = join(folder, FILE)
  if (!existsSync(file)) return undefined
  using stack = new DisposableStack()
  const reader = withStoreErrorsSync(file, () => readerOf(file, clock, stack))
  const resources = stack.move()
  return {
    ...reader,
    close: () => {
      resources.dispose()
      return Promise.resolve()
    },
  }
}

/** Reader with its own connection, so that a query never sees a part of a batch. */
function readerOf(
  file: string,
  clock: Clock,
  stack: DisposableStack,
): Pick<Store, 'load'> & History & Outbox {
  const database = stack.adopt(new DatabaseSync(file, { readOnly: true }), (opened) => opened.close())
  requireSchema(database, file)
  const history = createHistoryReader(database, clock)
  const outbox = createOutbox(database)
  return {
    load: (account) => withStoreErrors(file, () => loadLedger(database, account, clock)),
    projects: (...about) => withStoreErrors(file, () => history.projects(...about)),
    days: (account, span) => withStoreErrorsEach(file, history.days(account, span)),
    intervals: (account, span) => withStoreErrorsEach(file, history.intervals(account, span)),
    awakeTimes: (account, span) => withStoreErrorsEach(file, history.awakeTimes(account, span)),
    lastIntervals: (ref, count) => withStoreErrors(file, () => history.lastIntervals(ref, count)),
    rollups: (account, span) => withStoreErrorsEach(file, history.rollups(account, span)),
    eventsAfter: (...about) => withStoreErrors(file, () => outbox.eventsAfter(...about)),
    lastEventId: (account) => withStoreErrors(file, () => outbox.lastEventId(account)),
    event: (...about) => withStoreErrors(file, () => outbox.event(...about)),
    lastQueued: (...about) => withStoreErrors(file, () => outbox.lastQueued(...about)),
    receivers: (account) => withStoreErrors(file, () => outbox.receivers(account)),
    dueDeliveries: (...about) => withStoreErrors(file, () => outbox.dueDeliveries(...about)),
    overdue: (...about) => withStoreErrors(file, () => outbox.overdue(...about)),
    report: (...about) => withStoreErrors(file, () => outbox.report(...about)),
    reports: (...about) => withStoreErrors(file, () => outbox.reports(...about)),
    reportTeams: (...about) => withStoreErrors(file, () => outbox.reportTeams(...about)),
    jobState: (account, job) => withStoreErrors(file, () => outbox.jobState(account, job)),
  }
}
