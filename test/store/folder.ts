// A folder of its own for each test, with a clock that stands where the builders' times begin.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { afterEach, beforeEach } from 'vitest'
import type { History } from '../../src/model/ports/history.ts'
import type { Outbox } from '../../src/model/ports/outbox.ts'
import type { Store } from '../../src/model/ports/store.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { memoryFolder } from '../support/folder.ts'

export const makeFolder = (): string => memoryFolder('dormouse-store-')

export type Place = {
  /** That of the running test. */
  readonly folder: () => string
  readonly file: () => string
  readonly open: () => Store & History & Outbox
  /** Rows as they lie in the file. */
  readonly rows: (query: string) => readonly Record<string, SQLOutputValue>[]
}

export function eachInItsFolder(): Place {
  let folder = ''
  beforeEach(() => {
    folder = makeFolder()
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const file = (): string => join(folder, 'dormouse.sqlite')
  return {
    folder: () => folder,
    file,
    open: () => openEmbeddedStore(folder, fakeClock()),
    rows: (query) => {
      const database = new DatabaseSync(file(), { readOnly: true })
      try {
        return database.prepare(query).all()
      } finally {
        database.close()
      }
    },
  }
}
