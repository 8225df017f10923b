import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openEmbeddedStore, readEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { accounted } from '../../support/accounted.ts'
import { at, attempt, look, prices, sweep } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { batch, computeOf, refOf } from '../build.ts'
import { collected, plain } from '../build.ts'
import { storeContract } from '../conformance.ts'
import { eachInItsFolder, makeFolder } from '../folder.ts'

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

const { folder, file, open, rows } = eachInItsFolder()

describe('the folder', () => {
  test('is held by one daemon', async () => {
    const store = open()
    expect(open).toThrow(`the folder ${folder()} is in use by another Dormouse`)
    await store.close()
    await open().close()
  })

  test('is let go of when its file cannot be opened', async () => {
    writeFileSync(file(), 'no database, but longer than the header of one '.repeat(50))
    expect(open).toThrow('is damaged')
    rmSync(file())
    await open().close()
  })
})

describe('an older file', () => {
  const older = join(import.meta.dirname, '../files/version-1.sqlite')

  test('is brought forward with all it holds', async () => {
    copyFileSync(older, file())
    const store = open()
    const { computes, projects, readings } = await store.load('main')
    expect(
      [...computes.values()].map(({ ref, totals }) => [ref.endpointId, totals.awake.likely, totals.wakes]),
    ).toEqual([
      ['ep-one', 470_000, 2],
      ['ep-two', 300_000, 1],
    ])
    expect(computes.get('main/project-one/ep-one')).toMatchObject({
      foldedAt: at(4000),
      rollups: {},
      reading: { cache: { totalHits: 10, totalMisses: 3 } },
    })
    expect([...projects.keys()]).toEqual(['project-one', 'project-two'])
    expect(readings.ok).toBe(1)
    const intervals = await collected(store.intervals('main', { from: at(0), to: at(1e6) }))
    expect(intervals).toHaveLength(3)
    expect(intervals[0]).toEqual({
      ref: refOf('ep-one'),
      interval: {
        from: { earliest: at(10), likely: at(10.5), latest: at(11), source: 'record' },
        to: { earliest: at(70), likely: at(70.5), latest: at(71), source: 'record' },
        knownUntil: at(70.5),
        restart: false,
      },
      cuTime: { 106000: { low: 59_000, likely: 60_000, high: 61_000 } },
      idleTail: 10_000,
      held: {},
    })
    await store.close()
  })

  test('is what this version would have written: nothing that is always there is missing', async () => {
    copyFileSync(older, file())
    const store = open()
    const kept = (await store.load('main')).computes.get('main/project-one/ep-one')
    const paths = pathsOf(kept)
    const missing = pathsOf(plain(computeOf('ep-one'))).filter((path) => !paths.includes(path))
    // What nobody counted then; undefined until the operations are read again, and where nothing waits to be settled.
    expect(missing).toEqual(['.evidence.readSince', '.counters.unproductive.idle_tail', '.settlesAt'])
    await store.close()
  })

  test('goes on being accounted', async () => {
    copyFileSync(older, file())
    const store = open()
    const before = await store.load('main')
    const seen = look(5000, {
      startedAt: at(4990),
      suspendedAt: at(2400),
      lastActive: at(4995),
      state: 'active',
    })
    const { ledger, batch: all } = accounted(
      before,
      sweep(5000, { looks: [seen], readings: [attempt(5000)] }),
      { prices, overhead: 0.01, now: at(5000) },
    )
    expect(ledger.computes.get('main/project-one/ep-one')?.totals).toMatchObject({ wakes: 3, suspends: 2 })
    await store.commit(all)
    expect(plain([...(await store.load('main')).computes])).toEqual(plain([...ledger.computes]))
    await store.close()
  })

  test('is refused by who only reads, and left as it is', async () => {
    copyFileSync(older, file())
    expect(() => readEmbeddedStore(folder(), clock)).toThrow(
      /schema version 1.*start this version's daemon once/,
    )
    expect(readFileSync(file())).toEqual(readFileSync(older))
  })

  test('stays as it is when it cannot be brought forward', () => {
    copyFileSync(older, file())
    const database = new DatabaseSync(file())
    database.exec("update awake_interval set body = 'no JSON'")
    database.close()
    expect(open).toThrow(`could not bring ${file()} to schema version`)
    expect(rows('pragma user_version')).toEqual([{ user_version: 1 }])
    expect(rows('select count(*) as count from compute_account')).toEqual([{ count: 2 }])
  })
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

/** `a.b.c` of every value inside; what is in a list has no path of its own. */
const pathsOf = (value: unknown, path = ''): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, part]) => pathsOf(part, `${path}.${key}`))
    : [path]

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
    copyFileSync(join(import.meta.dirname, '../files/version-1.sqlite'), file())
    await open().close()
    const whole = readFileSync(file())
    const pages = rows('select rootpage from sqlite_schema where rootpage > 0').map((row) =>
      Number(row['rootpage']),
    )
    for (const page of pages) whole.fill(0xff, (page - 1) * 4096, page * 4096)
    writeFileSync(file(), whole)
    const reading = async (): Promise<void> => {
      const store = open()
      try {
        await store.load('main')
      } finally {
        await store.close()
      }
    }
    await expect(reading()).rejects.toThrow(`${file()} is damaged; it was left as it is`)
  })

  test('names the compute whose account is no account', async () => {
    copyFileSync(join(import.meta.dirname, '../files/version-1.sqlite'), file())
    await open().close()
    const database = new DatabaseSync(file())
    database.exec("update compute set body = '{' where endpoint_id = 'ep-two'")
    database.close()
    const store = open()
    await expect(store.load('main')).rejects.toThrow('what is kept of project-two/ep-two cannot be read')
    await store.close()
  })
})

describe('who only reads', () => {
  test('finds nothing where no daemon ever was', () => {
    expect(readEmbeddedStore(folder(), clock)).toBeUndefined()
  })

  test('reads beside a daemon that writes', async () => {
    const store = open()
    await store.commit({ ...batch(), readings: { ...(await store.load('main')).readings, ok: 3 } })
    const reader = readEmbeddedStore(folder(), clock)
    expect((await reader?.load('main'))?.readings.ok).toBe(3)
    await reader?.close()
    await store.commit(batch())
    await store.close()
  })
})
