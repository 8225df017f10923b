// What every driver of the store must do: run it against each.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DeletedCompute, Ledger } from '../../src/model/ledger/ledger.ts'
import type { Journal } from '../../src/model/ports/journal.ts'
import type { History } from '../../src/model/ports/history.ts'
import type { Outbox } from '../../src/model/ports/outbox.ts'
import type { Store } from '../../src/model/ports/store.ts'
import { NO_ACCOUNT_COUNTERS } from '../../src/model/ledger/counters.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import { millis, micros } from '../../src/model/units.ts'
import { at, ledger } from '../support/build.ts'
import { adviceContract } from './advice-conformance.ts'
import { ALWAYS, collected, intervalAt, plain, refOf, seen } from './build.ts'
import { holdContract } from './hold-conformance.ts'
import { historyContract } from './history-conformance.ts'
import { journalContract } from './journal-conformance.ts'
import { outboxContract } from './outbox-conformance.ts'
import { put, writesOf } from '../support/writes.ts'
import { failed, ok } from '../../src/std/result.ts'

export type Driver = {
  readonly store: Store & History & Outbox & Journal
  /** Closes the store and opens another on what it left. */
  readonly reopen: () => Promise<Store & History & Outbox & Journal>
  /** Closes it and removes what it left. */
  readonly remove: () => Promise<void>
}

export function storeContract(name: string, open: () => Promise<Driver>): void {
  describe(`the store, ${name}`, () => {
    let driver: Driver
    beforeEach(async () => {
      driver = await open()
    })
    afterEach(() => driver.remove())

    ledgerContract(() => driver)
    historyContract(() => driver)
    adviceContract(() => driver)
    outboxContract(() => driver)
    journalContract(() => driver)
    holdContract(() => driver)
  })
}

function ledgerContract(driver: () => Driver): void {
  test('has an empty ledger of an account never seen', async () => {
    const { computes, deleted, projects, ...rest } = await driver().store.account('other').load()
    const maps = {
      computes: new Map(computes),
      deleted: new Map(deleted),
      projects: new Map(projects),
    }
    expect({ ...rest, ...maps }).toEqual<Ledger>(ledger({ account: 'other' }))
  })

  test('has what was committed, also when it was closed and opened again', async () => {
    const { ledger: known, rows: all } = seen('ep-one')
    await put(driver().store, all)
    const again = await driver().reopen()
    for (const store of [again]) {
      const loaded = await store.account('main').load()
      expect([...loaded.computes]).toEqual(plain([...known.computes]))
      expect([...loaded.projects]).toEqual(plain([...known.projects]))
      expect(loaded.readings).toEqual(known.readings)
    }
  })

  test('keeps what a batch says nothing of', async () => {
    const { store } = driver()
    const { rows: one } = seen('ep-one')
    const counts = { ...ledger().readings, ok: 7 }
    const tally = { definition: 'all', unit: 'USD', value: 5, excess: 0 }
    const gone = {
      ...NO_ACCOUNT_COUNTERS,
      budgets: { gone: tally },
      teams: { web: { idle_tail: micros(7) } },
    }
    const counters = { ...NO_ACCOUNT_COUNTERS, budgets: { all: tally } }
    await put(store, { ...one, counters: gone })
    await put(store, { ...one, counters })
    await put(store, { ...one, readings: counts })
    await put(store, { computes: seen('ep-two').rows.computes })
    const loaded = await store.account('main').load()
    expect([...loaded.computes.keys()]).toEqual(['main/project-one/ep-one', 'main/project-one/ep-two'])
    expect(loaded.projects.size).toBe(one.projects.length)
    expect(loaded.readings.ok).toBe(7)
    expect(loaded.counters).toEqual(counters)
  })

  test('a row of a deleted compute replaces its entry, also after a reopening; its history stays', async () => {
    const { store } = driver()
    const { rows: all } = seen('ep-one')
    await put(store, all)
    const [entry] = all.computes
    if (!entry) throw new Error('a sweep makes an entry')
    const deleted: DeletedCompute = {
      ref: entry.ref,
      name: 'preview',
      branchId: 'br-one',
      type: 'read_only',
      deletedAt: at(7),
      awake: { low: millis(1), likely: millis(2), high: millis(3) },
      spend: { low: micros(1), likely: micros(2), high: micros(3) },
      observerOverhead: millis(4),
      observerSpend: micros(5),
      wakes: 6,
      suspends: 7,
      wakesCaused: 8,
    }
    await put(store, { ...all, settled: [], deleted: [deleted] })
    const again = await driver().reopen()
    const loaded = await again.account('main').load()
    expect(loaded.computes.size).toBe(0)
    expect([...loaded.deleted]).toEqual([[computeKey(entry.ref), deleted]])
    expect(await collected(again.intervals('main', ALWAYS))).toHaveLength(all.settled.length)
    await put(again, { computes: [entry] })
    const recovered = await again.account('main').load()
    expect([recovered.computes.size, recovered.deleted.size]).toEqual([1, 1])
  })

  test('keeps accounts apart', async () => {
    const { store } = driver()
    const { rows: all } = seen('ep-one')
    await put(store, all)
    const theirs = all.computes.map((one) => ({ ...one, ref: { ...one.ref, account: 'other' } }))
    await put(store, { computes: theirs }, 'other')
    expect((await store.account('other').load()).computes.size).toBe(1)
    expect(await collected(store.intervals('other', ALWAYS))).toEqual([])
    expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(1)
  })

  test('loads thousands of computes, none twice', async () => {
    const { store } = driver()
    const [one] = seen('ep-one').rows.computes
    if (!one) throw new Error('a look makes an account')
    const computes = Array.from({ length: 2500 }, (_, index) => ({
      ...one,
      ref: refOf(`ep-${index % 50}`, `project-${Math.floor(index / 50)}`),
    }))
    await put(store, { computes })
    expect((await store.account('main').load()).computes.size).toBe(2500)
  })

  test('takes all of a batch or nothing', async () => {
    const { store } = driver()
    const { rows: all } = seen('ep-one')
    const stranger = { ...all, settled: [intervalAt(refOf('ep-nobody'), 0)] }
    await expect(put(store, stranger)).rejects.toThrow('no entry is stored of main/project-one/ep-nobody')
    expect((await store.account('main').load()).computes.size).toBe(0)
    await put(store, all)
    expect((await store.account('main').load()).computes.size).toBe(1)
  })

  test('refuses a commit of an earlier opening, and changes nothing', async () => {
    const before = driver().store
    const { epoch } = before
    const { rows: all } = seen('ep-one')
    expect(await before.account('main').commit(writesOf(all), { epoch })).toEqual(ok(undefined))
    const store = await driver().reopen()
    expect(store.epoch).toBe(epoch + 1)
    expect(store.isCurrent()).toBe(true)
    const late = { ...seen('ep-two').rows, budgets: { all: undefined }, jobStates: { late: 1 } }
    const refused = await store.account('main').commit(writesOf(late), { epoch })
    expect(refused).toEqual(failed({ kind: 'fenced' }))
    expect([...(await store.account('main').load()).computes.keys()]).toEqual(['main/project-one/ep-one'])
    expect(await store.jobState('main', { job: 'late', decode: (json) => json })).toBeUndefined()
    expect(await store.account('main').commit(writesOf(late), { epoch: store.epoch })).toEqual(ok(undefined))
    expect((await store.account('main').load()).computes.size).toBe(2)
  })

  test('commits what is given at the same time one after the other', async () => {
    const { store } = driver()
    const names = Array.from({ length: 20 }, (_, index) => `ep-${index}`)
    const done = await Promise.allSettled(
      names.map((name, index) =>
        put(store, index === 5 ? { settled: [intervalAt(refOf('ep-nobody'), 0)] } : seen(name).rows),
      ),
    )
    expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect((await store.account('main').load()).computes.size).toBe(19)
  })
}
