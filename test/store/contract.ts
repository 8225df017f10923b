// What every driver of the store must do: run it against each.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Ledger, SettledInterval } from '../../src/model/ledger.ts'
import type { Batch, History, HistorySpan, Outbox, Store } from '../../src/model/ports.ts'
import { COARSE, FINE, type Rollup } from '../../src/model/rollup.ts'
import { NO_TALLIES } from '../../src/model/tally.ts'
import { instant, millis, seconds, micros } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../support/build.ts'
import { batch, dayAt, intervalAt, refOf, rollupAt } from './build.ts'
import { outboxContract } from './outbox-contract.ts'

export type Driver = {
  readonly store: Store & History & Outbox
  /** Closes the store and opens another on what it left. */
  readonly reopen: () => Promise<Store & History & Outbox>
  /** Closes it and removes what it left. */
  readonly remove: () => Promise<void>
}

const ALWAYS = { from: instant(0), to: at(1e9) }

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** What one look at a compute leaves, `intervals` awake intervals of it settled. */
const seen = (endpointId: string, when = 2000): { readonly ledger: Ledger; readonly batch: Batch } =>
  accounted(
    ledger(),
    sweep(when, {
      looks: [look(when, { endpointId, startedAt: at(10), suspendedAt: at(70), lastActive: at(60) })],
    }),
    { prices, overhead: 0.01, now: at(when) },
  )

export function storeContract(name: string, open: () => Promise<Driver>): void {
  describe(`the store, ${name}`, () => {
    let driver: Driver
    beforeEach(async () => {
      driver = await open()
    })
    afterEach(() => driver.remove())

    ledgerContract(() => driver)
    historyContract(() => driver)
    outboxContract(() => driver)
  })
}

function ledgerContract(driver: () => Driver): void {
  test('has an empty ledger of an account never seen', async () => {
    const { computes, projects, ...rest } = await driver().store.load('other')
    expect({ ...rest, computes: new Map(computes), projects: new Map(projects) }).toEqual<Ledger>(
      ledger({ account: 'other' }),
    )
  })

  test('has what was committed, also when it was closed and opened again', async () => {
    const { ledger: known, batch: all } = seen('ep-one')
    await driver().store.commit(all)
    const again = await driver().reopen()
    for (const store of [again]) {
      const loaded = await store.load('main')
      expect([...loaded.computes]).toEqual(plain([...known.computes]))
      expect([...loaded.projects]).toEqual(plain([...known.projects]))
      expect(loaded.readings).toEqual(known.readings)
    }
  })

  test('keeps what a batch says nothing of', async () => {
    const { store } = driver()
    const { batch: one } = seen('ep-one')
    const counts = { ...ledger().readings, ok: 7 }
    const tally = { definition: 'all', unit: 'USD', shown: 5, ahead: 0 }
    const gone = { ...NO_TALLIES, budgets: { gone: tally }, teams: { web: { idle_tail: micros(7) } } }
    const tallies = { ...NO_TALLIES, budgets: { all: tally } }
    await store.commit({ ...one, tallies: gone })
    await store.commit({ ...one, tallies })
    await store.commit({ ...one, readings: counts })
    await store.commit({ ...batch(), computes: seen('ep-two').batch.computes })
    const loaded = await store.load('main')
    expect([...loaded.computes.keys()]).toEqual(['main/project-one/ep-one', 'main/project-one/ep-two'])
    expect(loaded.projects.size).toBe(one.projects.length)
    expect(loaded.readings.ok).toBe(7)
    expect(loaded.tallies).toEqual(tallies)
  })

  test('keeps projects that are away, their sums with the account, until they come back', async () => {
    const { store } = driver()
    const { batch: all } = seen('ep-one')
    const [project] = all.projects
    if (!project) throw new Error('a sweep makes a project')
    const bounds = { low: millis(1), likely: millis(2), high: millis(3) }
    const spend = { low: micros(1), likely: micros(2), high: micros(3) }
    const sums = {
      awake: bounds,
      spend,
      extension: millis(4),
      observerSpend: micros(5),
      wakes: 6,
      suspends: 7,
      wakesCaused: 8,
    }
    const gone = { ...project, departed: { ...sums, until: at(0) } }
    await store.commit({ ...all, projects: [{ ...gone, away: true }] })
    const again = await driver().reopen()
    const loaded = await again.load('main')
    expect(loaded.projects.size).toBe(0)
    expect(loaded.away).toEqual({ ...sums, projects: 1 })
    const { projectId } = project.project
    const kept = await again.projects('main', ['nobody', projectId])
    expect(kept).toEqual(plain([{ ...gone, away: true }]))
    expect(await again.projects('other', [projectId])).toEqual([])
  })

  test('keeps accounts apart', async () => {
    const { store } = driver()
    const { batch: all } = seen('ep-one')
    await store.commit(all)
    const theirs = all.computes.map((one) => ({ ...one, ref: { ...one.ref, account: 'other' } }))
    await store.commit({ ...batch(), account: 'other', computes: theirs })
    expect((await store.load('other')).computes.size).toBe(1)
    expect(await collected(store.intervals('other', ALWAYS))).toEqual([])
    expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(1)
  })

  test('loads thousands of computes, none twice', async () => {
    const { store } = driver()
    const [one] = seen('ep-one').batch.computes
    if (!one) throw new Error('a look makes an account')
    const computes = Array.from({ length: 2500 }, (_, index) => ({
      ...one,
      ref: refOf(`ep-${index % 50}`, `project-${Math.floor(index / 50)}`),
    }))
    await store.commit({ ...batch(), computes })
    expect((await store.load('main')).computes.size).toBe(2500)
  })

  test('takes all of a batch or nothing', async () => {
    const { store } = driver()
    const { batch: all } = seen('ep-one')
    const stranger = { ...all, settled: [intervalAt(refOf('ep-nobody'), 0)] }
    await expect(store.commit(stranger)).rejects.toThrow('no account is kept of main/project-one/ep-nobody')
    expect((await store.load('main')).computes.size).toBe(0)
    await store.commit(all)
    expect((await store.load('main')).computes.size).toBe(1)
  })

  test('commits what is given at the same time one after the other', async () => {
    const { store } = driver()
    const names = Array.from({ length: 20 }, (_, index) => `ep-${index}`)
    const done = await Promise.allSettled(
      names.map((name, index) =>
        store.commit(
          index === 5 ? { ...batch(), settled: [intervalAt(refOf('ep-nobody'), 0)] } : seen(name).batch,
        ),
      ),
    )
    expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect((await store.load('main')).computes.size).toBe(19)
  })
}

/** As text would keep it: what is undefined is left out. */
export const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

const HOUR = 3600

const told = (all: readonly SettledInterval[]) =>
  all.map(({ ref, interval }) => `${ref.endpointId} ${(interval.from.likely - at(0)) / 1000}`)

/** Times of intervals, whichever way they were read. */
const timesOf = (all: readonly SettledInterval[]) =>
  all.map(({ ref, interval: { from, to, restart }, idleTail }) => ({
    ref,
    from: from.likely,
    to: to?.likely,
    tail: idleTail,
    restart,
  }))

/** What the times of a span are beside its intervals. */
async function expectSameTimes(store: History, account: string, span: HistorySpan): Promise<void> {
  const pages = await collected(store.awakeTimes(account, span))
  expect(pages.flatMap(({ ref, times }) => times.map((time) => ({ ref, ...time })))).toEqual(
    timesOf(await collected(store.intervals(account, span))),
  )
}

function historyContract(driver: () => Driver): void {
  const [one, two] = [refOf('ep-one'), refOf('ep-two')]
  const kept = async (part: Partial<Batch>): Promise<Store & History> => {
    const { store } = driver()
    const computes = [...seen('ep-one').batch.computes, ...seen('ep-two').batch.computes]
    await store.commit({ ...batch(), computes, ...part })
    return store
  }

  test('gives an interval back as it was settled, once', async () => {
    const settled = [intervalAt(one, 100), { ...intervalAt(one, 500), ref: one }]
    const store = await kept({ settled })
    await store.commit({ ...batch(), settled })
    expect(await collected(store.intervals('main', ALWAYS))).toEqual(settled)
  })

  test('keeps every interval that began at one instant, also such as are alike, once each', async () => {
    const long = intervalAt(one, 100)
    const { interval } = long
    const short: SettledInterval = {
      ...long,
      interval: { ...interval, to: { ...interval.from, source: 'operation' }, knownUntil: at(100) },
    }
    const store = await kept({ settled: [short, short] })
    await store.commit({ ...batch(), settled: [long] })
    await store.commit({ ...batch(), settled: [short, short] })
    expect(await collected(store.intervals('main', ALWAYS))).toEqual([short, short, long])
    expect(await store.lastIntervals(one, 2)).toEqual([short, long])
    await expectSameTimes(store, 'main', ALWAYS)
    await expectSameTimes(store, 'main', { from: at(110), to: at(120) })
  })

  test('tells each of many intervals that began at one instant once, over all pages', async () => {
    const settled = Array.from({ length: 1201 }, () => intervalAt(one, 100))
    const store = await kept({ settled })
    expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(1201)
    await store.commit({ ...batch(), settled: Array.from({ length: 2500 }, () => intervalAt(one, 300)) })
    await expectSameTimes(store, 'main', ALWAYS)
  })

  test.each([
    ['all', ALWAYS, [0, 100, 200]],
    ['what begins before the end', { from: at(0), to: at(200) }, [0, 100]],
    ['what ends after the beginning', { from: at(50), to: at(1000) }, [100, 200]],
    ['what reaches into it', { from: at(110), to: at(120) }, [100]],
    ['nothing between', { from: at(60), to: at(90) }, []],
  ])('finds %s', async (_, span, starts) => {
    const store = await kept({ settled: [0, 100, 200].map((from) => intervalAt(one, from)) })
    const found = await collected(store.intervals('main', span))
    expect(found.map(({ interval }) => interval.from.likely)).toEqual(starts.map(at))
    await expectSameTimes(store, 'main', span)
  })

  test('tells of one compute after the other, or of those that are asked for', async () => {
    const store = await kept({ settled: [intervalAt(two, 0), intervalAt(one, 200), intervalAt(one, 0)] })
    expect(told(await collected(store.intervals('main', ALWAYS)))).toEqual([
      'ep-one 0',
      'ep-one 200',
      'ep-two 0',
    ])
    const asked = { ...ALWAYS, computes: [two, refOf('ep-nobody'), { ...one, account: 'other' }] }
    expect(told(await collected(store.intervals('main', asked)))).toEqual(['ep-two 0'])
    await expectSameTimes(store, 'main', ALWAYS)
    await expectSameTimes(store, 'main', asked)
  })

  test('tells the last intervals of a compute in order of time', async () => {
    const store = await kept({ settled: [0, 100, 200, 300].map((from) => intervalAt(one, from)) })
    const last = await store.lastIntervals(one, 2)
    expect(last.map(({ interval }) => interval.from.likely)).toEqual([at(200), at(300)])
    expect(await store.lastIntervals(two, 2)).toEqual([])
    expect(await store.lastIntervals(refOf('ep-nobody'), 2)).toEqual([])
  })

  test('gives the newest version of each day', async () => {
    const days = [dayAt(one, 0, 1), dayAt(one, 1, 1), dayAt(one, 1, 2), dayAt(one, 2, 0), dayAt(two, 1, 0)]
    const store = await kept({ days })
    expect(await collected(store.days('main', ALWAYS))).toEqual([days[0], days[2], days[3], days[4]])
    await store.commit({ ...batch(), days: [dayAt(one, 2, 1), dayAt(one, 1, 1)] })
    expect(await collected(store.days('main', { ...ALWAYS, computes: [one] }))).toEqual([
      days[0],
      days[2],
      dayAt(one, 2, 1),
    ])
    const second = { from: at(86_400), to: at(2 * 86_400) }
    expect(await collected(store.days('main', second))).toEqual([days[2], days[4]])
  })

  test('gives rollups of one length back as they were, the last word of each', async () => {
    const full = rollupAt(one, 0)
    const empty: Rollup = {
      ...rollupAt(one, 300),
      size: undefined,
      connections: undefined,
      cache: undefined,
      cacheUsed: undefined,
      workingSet: undefined,
      use: undefined,
      longestTransaction: undefined,
      culprits: [],
    }
    const hour = { ...full, length: COARSE }
    const store = await kept({ rollups: [hour, empty, { ...full, readings: 99 }] })
    await store.commit({ ...batch(), rollups: [full] })
    expect(await collected(store.rollups('main', { ...ALWAYS, length: FINE }))).toEqual([full, empty])
    expect(await collected(store.rollups('main', { ...ALWAYS, length: COARSE }))).toEqual([hour])
    const span = { from: at(299), to: at(300), length: FINE }
    expect(await collected(store.rollups('main', span))).toEqual([full])
  })

  test('reads more than fits a page, and stops when its reader does', async () => {
    const days = Array.from({ length: 1201 }, (_, index) => rollupAt(one, index * HOUR, seconds(HOUR)))
    const store = await kept({ rollups: [...days, rollupAt(two, 0, seconds(HOUR))] })
    const all = await collected(store.rollups('main', { ...ALWAYS, length: COARSE }))
    expect(all).toHaveLength(1202)
    for await (const first of store.rollups('main', { ...ALWAYS, length: COARSE })) {
      expect(first).toEqual(all[0])
      break
    }
    await store.commit(batch())
  })
}
