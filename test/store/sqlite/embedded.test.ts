import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { openEmbeddedStore, readEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { computeOf } from '../build.ts'
import { storeContract } from '../conformance.ts'
import { eachInItsFolder, makeFolder } from '../folder.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { put } from '../../support/writes.ts'

const clock = fakeClock()

storeContract('embedded', () => {
  const folder = makeFolder()
  let store = openEmbeddedStore(folder, clock)
  return Promise.resolve({
    store,
    reopen: async () => {
      await store.close()
      store = openEmbeddedStore(folder, clock)
      return store
    },
    remove: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  })
})

storeContract('in memory', () => {
  const memory = newMemory()
  return Promise.resolve({
    store: memoryStore(memory),
    reopen: () => Promise.resolve(memoryStore(memory)),
    remove: () => Promise.resolve(),
  })
})

const { folder, file, open, rows } = eachInItsFolder()

describe('the folder', () => {
  test('is held by one daemon', async () => {
    const store = open()
    expect(open).toThrow(`the folder ${folder()} is in use by another Dormouse`)
    await store.close()
    await open().close()
  })

  test('is not said to be in use where its lock fails for another reason', () => {
    const text = 'no database, but longer than the header of one '.repeat(50)
    writeFileSync(join(folder(), 'lock.sqlite'), text, { mode: 0o600 })
    expect(open).toThrow(/lock\.sqlite is damaged/)
  })

  test('is let go of when its file cannot be opened', async () => {
    writeFileSync(file(), 'no database, but longer than the header of one '.repeat(50))
    expect(open).toThrow('is damaged')
    rmSync(file())
    await open().close()
  })
})

const away = () => `${folder()}-away`

describe('a file that is moved away while it is in use', () => {
  afterEach(() => rmSync(away(), { recursive: true, force: true }))

  test('is not written to any more, and nothing is sent: another daemon may have begun anew in its place', async () => {
    const store = open()
    await put(store, { computes: [computeOf('ep-one')] })
    renameSync(folder(), away())
    await expect(put(store, { computes: [computeOf('ep-two')] })).rejects.toThrow(
      `${file()} was removed or replaced while it was in use`,
    )
    expect(store.isCurrent()).toBe(false)
    const other = open()
    expect([store.isCurrent(), other.isCurrent()]).toEqual([false, true])
    await expect(put(store, { computes: [computeOf('ep-two')] })).rejects.toThrow('removed or replaced')
    await other.close()
    await store.close()
  })

  test('is written to again when it is put back', async () => {
    const store = open()
    renameSync(folder(), away())
    await expect(put(store, { computes: [computeOf('ep-one')] })).rejects.toThrow('removed or replaced')
    renameSync(away(), folder())
    await put(store, { computes: [computeOf('ep-one')] })
    expect(store.isCurrent()).toBe(true)
    await store.close()
  })
})

test('a file of an earlier version is refused and left as it is', async () => {
  await open().close()
  const database = new DatabaseSync(file())
  database.exec('pragma user_version = 10')
  database.close()
  expect(open).toThrow(/schema version 10.*choose another store\.folder/)
  expect(() => readEmbeddedStore(folder(), clock)).toThrow(/schema version 10.*choose another store\.folder/)
  expect(rows('pragma user_version')).toEqual([{ user_version: 10 }])
})

test('a file of a newer version is refused and left as it is', async () => {
  await open().close()
  const database = new DatabaseSync(file())
  database.exec('pragma user_version = 99')
  database.close()
  expect(open).toThrow(/schema version 99.*run the newer Dormouse/)
  expect(() => readEmbeddedStore(folder(), clock)).toThrow(/schema version 99.*run the newer Dormouse/)
  expect(rows('pragma user_version')).toEqual([{ user_version: 99 }])
})

async function writeTwoComputes(): Promise<void> {
  const store = open()
  for (const endpointId of ['ep-one', 'ep-two'])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await put(store, { computes: [computeOf(endpointId)] })
  await store.close()
}

async function readAll(): Promise<void> {
  const store = open()
  try {
    await store.account('main').load()
  } finally {
    await store.close()
  }
}

describe('a damaged file', () => {
  test.each([
    ['that is none of SQLite', () => writeFileSync(file(), 'x'.repeat(8192))],
    ['that is cut off', () => truncateSync(file(), 4096)],
  ])('%s is named and left as it is', async (_, damage) => {
    await open().close()
    damage()
    const left = readFileSync(file())
    expect(open).toThrow(file())
    expect(() => readEmbeddedStore(folder(), clock)).toThrow(file())
    expect(readFileSync(file())).toEqual(left)
  })

  test('is found out when a page of it is read', async () => {
    await writeTwoComputes()
    const whole = readFileSync(file())
    const pages = rows('select rootpage from sqlite_schema where rootpage > 0').map((row) =>
      Number(row['rootpage']),
    )
    for (const page of pages) whole.fill(0xff, (page - 1) * 4096, page * 4096)
    writeFileSync(file(), whole)
    await expect(readAll()).rejects.toThrow(`${file()} is damaged; it was left as it is`)
  })

  test('names the compute whose stored entry is damaged', async () => {
    await writeTwoComputes()
    const database = new DatabaseSync(file())
    database.exec("update compute set body = '{' where endpoint_id = 'ep-two'")
    database.close()
    const store = open()
    await expect(store.account('main').load()).rejects.toThrow(
      'the stored entry of project-one/ep-two cannot be read',
    )
    await store.close()
  })
})

describe('who only reads', () => {
  test('finds nothing where no daemon ever was', () => {
    expect(readEmbeddedStore(folder(), clock)).toBeUndefined()
  })

  test('reads beside a daemon that writes', async () => {
    const store = open()
    await put(store, { readings: { ...(await store.account('main').load()).readings, ok: 3 } })
    const reader = readEmbeddedStore(folder(), clock)
    expect((await reader?.account('main').load())?.readings.ok).toBe(3)
    await reader?.close()
    await put(store, {})
    await store.close()
  })
})
