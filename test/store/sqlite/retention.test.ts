import { expect, test } from 'vitest'
import { COARSE_STEP, FINE_STEP } from '../../../src/model/ledger/rollup.ts'
import { MAX_GAPS } from '../../../src/model/ledger/gap.ts'
import { deletedComputeOf } from '../../../src/ledger/deleted-computes.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { commit, type Store } from '../../../src/model/ports/store.ts'
import { seconds } from '../../../src/model/units.ts'
import { at, project } from '../../support/build.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import {
  ALWAYS,
  collected,
  computeOf,
  gapAt,
  intervalAt,
  recommendationOf,
  refOf,
  rollupAt,
  settingAt,
} from '../build.ts'
import { eachInItsFolder } from '../folder.ts'
import { writesOf, type Rows } from '../../support/writes.ts'

const { folder, rows } = eachInItsFolder()

/** As a pass does, which knows the time of the service. */
const put = (store: Store, clock: Clock, given: Partial<Rows>): Promise<void> =>
  commit(store.account('main'), writesOf(given), { retainedAt: clock.now() })

const DAY = 86_400
const one = refOf('ep-one')
const count = (table: string): number => Number(rows(`select count(*) as count from ${table}`)[0]?.['count'])
const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)

test('old rows go a few at a time, as later ones come', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const days = numbers(20 * 288).map((index) => rollupAt(one, index * FINE_STEP))
  await put(store, clock, { computes: [computeOf('ep-one')], rollups: days })
  expect(count('rollup')).toBe(20 * 288)
  await clock.advance(seconds(20 * DAY))
  await put(store, clock, { rollups: [rollupAt(one, 20 * DAY)] })
  expect(count('rollup')).toBe(20 * 288 + 1 - 64)
  for (const index of numbers(30)) {
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await put(store, clock, { rollups: [rollupAt(one, 20 * DAY + index)] })
  }
  expect(rows('select min(from_ms) as first from rollup')).toEqual([{ first: clock.now() - 14 * DAY * 1000 }])
  await store.close()
})

test('a commit that does not know the time of the service deletes nothing', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  await put(store, clock, { computes: [computeOf('ep-one')], rollups: [rollupAt(one, 0)] })
  await clock.advance(seconds(400 * DAY))
  await commit(store.account('main'), [])
  expect(count('rollup')).toBe(1)
  await put(store, clock, {})
  expect(count('rollup')).toBe(0)
  await store.close()
})

test('rollups of an hour stay longer than those of five minutes', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const both = [rollupAt(one, 0), rollupAt(one, 0, COARSE_STEP)]
  await put(store, clock, { computes: [computeOf('ep-one')], rollups: both })
  await clock.advance(seconds(15 * DAY))
  await put(store, clock, {})
  expect(rows('select length from rollup')).toEqual([{ length: COARSE_STEP }])
  await clock.advance(seconds(80 * DAY))
  await put(store, clock, {})
  expect(count('rollup')).toBe(0)
  await store.close()
})

test('computes that nothing is written of have their turn, too', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const names = numbers(50).map((index) => `ep-${index}`)
  await put(store, clock, {
    computes: names.map((name) => computeOf(name)),
    rollups: names.map((name) => rollupAt(refOf(name), 0)),
  })
  await clock.advance(seconds(15 * DAY))
  const left: number[] = []
  for (const _ of numbers(5)) {
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await put(store, clock, {})
    left.push(count('rollup'))
  }
  // Sixteen at a time, and those of the first commit, when nothing was old, come last.
  expect(left).toEqual([34, 18, 16, 0, 0])
  await store.close()
})

test('the newest intervals stay, however old they are', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const settled = numbers(500).map((index) => intervalAt(one, index * 100))
  await put(store, clock, { computes: [computeOf('ep-one')], settled })
  await clock.advance(seconds(92 * DAY))
  await put(store, clock, {})
  expect(count('awake_interval')).toBe(500)
  await clock.advance(seconds(300 * DAY))
  for (const _ of numbers(3)) {
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await put(store, clock, {})
  }
  const kept = await collected(store.intervals('main', ALWAYS))
  expect(kept).toHaveLength(401)
  expect(kept[0]).toEqual(settled[99])
  await store.close()
})

const left = () => rows('select slot from report order by slot').map(({ slot }) => slot)

test('weekly reports stay for five years, those requested by hand as long as events', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const reportOf = (id: string, team?: string) => ({
    account: 'main',
    slot: { id, from: clock.now(), to: clock.now(), late: false },
    madeAt: clock.now(),
    json: '{}',
    ...(team === undefined ? {} : { team }),
  })
  const reports = [
    reportOf('2026-W01'),
    reportOf('2026-W01', 'a-manual-1'),
    reportOf('2026-W01-manual-1'),
    reportOf('2026-W01-manual-1', 'web'),
  ]
  await put(store, clock, { reports })
  await clock.advance(seconds(92 * DAY))
  await put(store, clock, {})
  expect(left()).toHaveLength(4)
  await clock.advance(seconds(2 * DAY))
  await put(store, clock, {})
  expect(left()).toEqual(['2026-W01', '2026-W01/a-manual-1'])
  await clock.advance(seconds((5 * 365 - 94) * DAY))
  await put(store, clock, {})
  expect(left()).toHaveLength(2)
  await clock.advance(seconds(3 * DAY))
  await put(store, clock, {})
  expect(left()).toEqual([])
  await store.close()
})

test('gaps stay for 35 days, and at most 2,400 of a compute: the oldest go first', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const gaps = numbers(MAX_GAPS + 100).map((index) => gapAt(one, index * 60))
  await put(store, clock, { computes: [computeOf('ep-one')], gaps })
  for (const _ of numbers(3)) {
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await put(store, clock, {})
  }
  const newest = await collected(store.gaps('main', ALWAYS))
  expect(newest).toEqual(gaps.slice(100))
  await clock.advance(seconds(35 * DAY + 120 * 60 - 1))
  await put(store, clock, {})
  expect((await collected(store.gaps('main', ALWAYS)))[0]).toEqual(gaps[120])
  await store.close()
})

test('settings stay for 93 days, the one in force then included; the last of a deleted compute goes too', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const settings = [0, DAY, 50 * DAY].map((since) => settingAt(one, since, seconds(300)))
  const entry = computeOf('ep-one')
  await put(store, clock, { computes: [entry], settings })
  await clock.advance(seconds(95 * DAY))
  await put(store, clock, {})
  expect(await collected(store.settings('main', ALWAYS))).toEqual(settings.slice(1))
  await clock.advance(seconds(900 * DAY))
  await put(store, clock, {})
  expect(await collected(store.settings('main', ALWAYS))).toEqual(settings.slice(2))
  const deleted = deletedComputeOf(
    { ...entry, deletedAt: at(0), days: [], provisional: [] },
    undefined,
    at(90 * DAY),
  )
  await put(store, clock, { deleted: deleted ? [deleted] : [] })
  expect(count('setting')).toBe(0)
  await store.close()
})

const ids = () => rows('select id from recommendation order by id').map(({ id }) => Number(String(id).at(-1)))

test('recommendations stay for 93 days after their end; what is open, or dismissed for good, stays with its compute', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const entry = computeOf('ep-one')
  const recommendations = [
    recommendationOf(one, 1),
    recommendationOf(one, 2, { state: 'implemented', at: at(0), realised: undefined }),
    recommendationOf(one, 3, { state: 'dismissed', at: at(0), until: at(50 * DAY), reason: 'x', by: 'ops' }),
    recommendationOf(one, 4, { state: 'dismissed', at: at(0), until: undefined, reason: 'x', by: 'ops' }),
  ]
  const advice = [{ ref: one, evaluatedAt: at(0), withheld: [], made: { delay: 4 } }]
  await put(store, clock, { computes: [entry], recommendations, advice })
  await clock.advance(seconds(94 * DAY))
  await put(store, clock, {})
  expect(ids()).toEqual([1, 3, 4])
  await clock.advance(seconds(50 * DAY))
  await put(store, clock, {})
  expect([ids(), count('advice')]).toEqual([[1, 4], 1])
  const deleted = deletedComputeOf(
    { ...entry, deletedAt: at(0), days: [], provisional: [] },
    undefined,
    at(90 * DAY),
  )
  await put(store, clock, { deleted: deleted ? [deleted] : [] })
  expect([ids(), count('advice')]).toEqual([[], 0])
  await store.close()
})

test('changes stay for 93 days after their end, with their history; open ones stay', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const ended = changeOf({ id: 'ch-ended', state: { at: 'done', because: 'verified', endedAt: at(0) } })
  await addChange(store.account('main'), ended, { at: at(0) })
  await addChange(store.account('main'), changeOf(), { at: at(0) })
  await clock.advance(seconds(92 * DAY))
  await put(store, clock, {})
  expect([count('change'), count('change_event')]).toEqual([2, 2])
  await clock.advance(seconds(2 * DAY))
  await put(store, clock, {})
  expect(rows('select id from change').map(({ id }) => id)).toEqual(['ch-one'])
  expect(rows('select change_id as id from change_event').map(({ id }) => id)).toEqual(['ch-one'])
  await store.close()
})

test('what is said of the defaults of a project stays with the project', async () => {
  const clock = fakeClock()
  const store = openEmbeddedStore(folder(), clock)
  const ref = { account: 'main', projectId: 'project-one' }
  const entry = { project: project(), listed: undefined }
  const recommendations = [{ ...recommendationOf(one, 1), ref }]
  const advice = [{ ref, evaluatedAt: at(0), withheld: [], made: { defaults: 1 } }]
  await put(store, clock, { projects: [entry], recommendations, advice })
  await clock.advance(seconds(200 * DAY))
  await put(store, clock, {})
  expect([ids(), count('advice')]).toEqual([[1], 1])
  await put(store, clock, { projects: [{ ...entry, deletedAt: at(200 * DAY) }] })
  await put(store, clock, {})
  expect([ids(), count('advice')]).toEqual([[], 0])
  await store.close()
})
