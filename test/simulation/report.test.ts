// The report of a simulated week beside the ledger it was made from, and beside the truth.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cuTimeSum } from '../../src/account/totals.ts'
import { weekOf } from '../../src/calendar/iso-week.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { makeReport } from '../../src/daemon/make-report.ts'
import { createOwners } from '../../src/model/owner.ts'
import type { History, Outbox, Random, Store } from '../../src/model/ports.ts'
import { instant } from '../../src/model/units.ts'
import type { Report } from '../../src/report/schema.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { START } from '../local/control/build.ts'
import { collected } from '../store/contract.ts'
import { makeFolder } from '../store/folder.ts'
import { prices } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { simulateWeek, type Week } from './week.ts'
import type { Use } from './world.ts'

const MINUTE = 60_000
/** The simulation begins with a Monday: all of it is in one week. */
const DAYS = 2

const uses = (random: Random): readonly Use[] => {
  const some = (count: number): number[] =>
    Array.from({ length: count }, () => Math.round(random.unit() * DAYS * 1440 * MINUTE)).toSorted(
      (a, b) => a - b,
    )
  return [
    {
      endpointId: 'ep-always',
      delay: 300,
      activity: Array.from({ length: 720 * DAYS }, (_, at) => at * 2 * MINUTE),
    },
    { endpointId: 'ep-often', delay: 60, activity: some(100) },
    { endpointId: 'ep-rare', delay: 300, activity: some(6) },
    { endpointId: 'ep-nobody', delay: 300, activity: [] },
  ]
}

const folder = makeFolder()
let store: Store & History & Outbox
let week: Week
let report: Report
beforeAll(async () => {
  store = openEmbeddedStore(folder, fakeClock(new Date(START).toISOString()))
  week = await simulateWeek({ seed: 5, uses, days: DAYS, crashes: 0.005, store })
  const zone = createUtc()
  const span = weekOf('2026-W02', zone)
  if (!span) throw new Error('no week')
  report = await makeReport(
    {
      history: store,
      ledger: week.ledger,
      prices,
      zone,
      owners: createOwners([]),
      plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
      unread: undefined,
      view: undefined,
    },
    { id: '2026-W02', ...span, late: false },
    instant(week.world.simulation.now()),
  )
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

test('time awake, CU-time and wakes are those of the ledger', () => {
  const totals = [...week.ledger.computes.values()].map((one) => one.totals)
  const { awake, computes, observer } = report
  expect(awake.seconds).toEqual({
    low: sum(totals.map((one) => one.awake.low)) / 1000,
    likely: sum(totals.map((one) => one.awake.likely)) / 1000,
    high: sum(totals.map((one) => one.awake.high)) / 1000,
  })
  expect(awake.cu_seconds).toBe(sum(totals.map((one) => cuTimeSum(one.cuTime).likely)) / 1000)
  expect(awake.wakes).toBe(sum(totals.map((one) => one.wakes)))
  expect(observer.extension_seconds).toBe(sum(totals.map((one) => one.extension)) / 1000)
  expect(observer.wakes_caused).toBe(sum(totals.map((one) => one.wakesCaused)))
  for (const one of computes) {
    const known = [...week.ledger.computes.values()].find(({ ref }) => ref.endpointId === one.endpoint_id)
    expect([one.awake_seconds, one.wakes, one.idle_tail_seconds]).toEqual([
      (known?.totals.awake.likely ?? NaN) / 1000,
      known?.totals.wakes,
      (known?.totals.idleTail ?? NaN) / 1000,
    ])
  }
})

test('spend is the sum of what an export shows, to the micro', async () => {
  const rows = await collected(store.days('main', { from: instant(0), to: instant(8e15) }))
  const spent = rows.map(({ cuTime }) =>
    sum(Object.entries(cuTime).map(([price, time]) => (time.likely * Number(price)) / 3_600_000)),
  )
  expect(report.spend.week.likely).toBe(sum(spent.map(Math.round)))
  expect(Math.abs(report.spend.week.likely - sum(spent))).toBeLessThanOrEqual(rows.length / 2)
})

test('the truth is between the bounds', () => {
  const truth = week.world.simulation.accounts(week.world.simulation.now())
  const awake = sum(truth.map(({ awakeSeconds }) => awakeSeconds))
  expect(awake).toBeGreaterThanOrEqual(report.awake.seconds.low)
  expect(awake).toBeLessThanOrEqual(report.awake.seconds.high)
})

test('the one that never slept is told, and nobody else', () => {
  expect(report.unproductive.never_slept.map((one) => one.endpoint_id)).toEqual(['ep-always'])
  expect(report.awake.computes).toBe(3)
})
