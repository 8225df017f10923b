// What every driver must do with what has passed: intervals, days, rollups.
import { expect, test } from 'vitest'
import type { SettledInterval } from '../../src/model/ledger/ledger.ts'
import type { Store } from '../../src/model/ports/store.ts'
import type { History, HistorySpan } from '../../src/model/ports/history.ts'
import { COARSE_STEP, FINE_STEP, type Rollup } from '../../src/model/ledger/rollup.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import { seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { ALWAYS, collected, dayAt, intervalAt, refOf, rollupAt, seen } from './build.ts'
import type { Driver } from './conformance.ts'
import { put, type Rows } from '../support/writes.ts'

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

export function historyContract(driver: () => Driver): void {
  const [one, two] = [refOf('ep-one'), refOf('ep-two')]
  const kept = async (part: Partial<Rows>): Promise<Store & History> => {
    const { store } = driver()
    const computes = [...seen('ep-one').rows.computes, ...seen('ep-two').rows.computes]
    await put(store, { computes, ...part })
    return store
  }

  test('gives an interval back as it was settled, once', async () => {
    const settled = [intervalAt(one, 100), { ...intervalAt(one, 500), ref: one }]
    const store = await kept({ settled })
    await put(store, { settled })
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
    await put(store, { settled: [long] })
    await put(store, { settled: [short, short] })
    expect(await collected(store.intervals('main', ALWAYS))).toEqual([short, short, long])
    await expectSameTimes(store, 'main', ALWAYS)
    await expectSameTimes(store, 'main', { from: at(110), to: at(120) })
  })

  test('tells each of many intervals that began at one instant once, over all pages', async () => {
    const settled = Array.from({ length: 1201 }, () => intervalAt(one, 100))
    const store = await kept({ settled })
    expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(1201)
    await put(store, { settled: Array.from({ length: 2500 }, () => intervalAt(one, 300)) })
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

  test('gives the newest version of each day', async () => {
    const days = [dayAt(one, 0, 1), dayAt(one, 1, 1), dayAt(one, 1, 2), dayAt(one, 2, 0), dayAt(two, 1, 0)]
    const store = await kept({ days })
    expect(await collected(store.days('main', ALWAYS))).toEqual([days[0], days[2], days[3], days[4]])
    await put(store, { days: [dayAt(one, 2, 1), dayAt(one, 1, 1)] })
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
      cacheLimit: undefined,
      connectionLimit: undefined,
      idleAtSuspension: undefined,
      workingSet: undefined,
      use: undefined,
      longestTransaction: undefined,
      culprits: [],
    }
    const hour = { ...full, length: COARSE_STEP }
    const store = await kept({ rollups: [hour, empty, { ...full, readings: 99 }] })
    await put(store, { rollups: [full] })
    expect(await collected(store.rollups('main', { ...ALWAYS, length: FINE_STEP }))).toEqual([full, empty])
    expect(await collected(store.rollups('main', { ...ALWAYS, length: COARSE_STEP }))).toEqual([hour])
    const span = { from: at(299), to: at(300), length: FINE_STEP }
    expect(await collected(store.rollups('main', span))).toEqual([full])
  })

  test('gives the newest statistics of the computes that have any', async () => {
    const statistics = { ref: one, gapCounts: [0, 2, 1], updatedAt: at(100) }
    const store = await kept({ statistics: [{ ...statistics, gapCounts: [] }] })
    await put(store, { statistics: [statistics] })
    const stored = await store.statistics([one, two, refOf('ep-nobody'), { ...one, account: 'other' }])
    expect([...stored]).toEqual([[computeKey(one), statistics]])
  })

  test('reads more than fits a page, and stops when its reader does', async () => {
    const days = Array.from({ length: 1201 }, (_, index) => rollupAt(one, index * HOUR, seconds(HOUR)))
    const store = await kept({ rollups: [...days, rollupAt(two, 0, seconds(HOUR))] })
    const all = await collected(store.rollups('main', { ...ALWAYS, length: COARSE_STEP }))
    expect(all).toHaveLength(1202)
    for await (const first of store.rollups('main', { ...ALWAYS, length: COARSE_STEP })) {
      expect(first).toEqual(all[0])
      break
    }
    await put(store, {})
  })
}
