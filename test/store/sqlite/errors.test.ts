import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { withStoreErrors, withStoreErrorsSync } from '../../../src/store/sqlite/errors.ts'
import { collected } from '../build.ts'
import { eachInItsFolder } from '../folder.ts'

const { file } = eachInItsFolder()

/** What SQLite itself throws. */
const troubles: readonly (readonly [string, () => void])[] = [
  [
    'cannot grow: the disk is full',
    () => {
      using database = new DatabaseSync(':memory:')
      database.exec('create table t (a text); pragma max_page_count = 2')
      database.exec('insert into t values (hex(zeroblob(10000)))')
    },
  ],
  [
    'cannot be written: it is read-only',
    () => {
      new DatabaseSync(file()).close()
      using database = new DatabaseSync(file(), { readOnly: true })
      database.exec('create table t (a text)')
    },
  ],
  [
    'is held by another program',
    () => {
      using other = new DatabaseSync(file())
      other.exec('begin exclusive')
      using database = new DatabaseSync(file())
      database.exec('create table t (a text)')
    },
  ],
  [
    'cannot be used: no such table: t',
    () => {
      using database = new DatabaseSync(':memory:')
      database.exec('select * from t')
    },
  ],
]

test.each(troubles)('a file that %s is named', async (meaning, work) => {
  const message = `the file ${meaning}`
  expect(() => withStoreErrorsSync('the file', work)).toThrow(message)
  const port = withStoreErrors('the file', {
    now: work,
    later: () => Promise.try(work),
    rows: async function* rows() {
      yield await Promise.try(work)
    },
  })
  expect(port.now).toThrow(message)
  await expect(port.later()).rejects.toThrow(message)
  await expect(collected(port.rows())).rejects.toThrow(message)
})

test('what is not of SQLite stays as it is', async () => {
  const cause = new Error('a mistake')
  const port = withStoreErrors('the file', { read: () => Promise.reject(cause), size: 3 })
  await expect(port.read()).rejects.toBe(cause)
  expect(port.size).toBe(3)
})
