import { expect, test } from 'vitest'
import { parseCron } from '../../../src/calendar/cron.ts'
import { REPORT_CATCH_UP } from '../../../src/calendar/schedule.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import { sendReportNow, runReportSchedule, type ReportJob } from '../../../src/daemon/reports/schedule.ts'
import type { ReportSlot } from '../../../src/model/output/report.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { withCommit } from '../../support/writes.ts'

const DAY = 86_400
const HOUR = 3600

/** Monday at eight, of one account, to two receivers. The clock begins on Monday 2026-01-05 at midnight. */
function setting() {
  const [clock, store] = [fakeClock(), memoryStore()]
  const made: ReportSlot[] = []
  const due = new Set<number>()
  const faults = { full: false, failed: 0 }
  const cron = parseCron('0 8 * * MON')
  if (!cron.ok) throw new Error(cron.error)
  const asked = { cron: cron.value, sinks: ['report/files', 'report/boss'] }
  const job: ReportJob = {
    clock,
    store: withCommit(store, (_, commit) =>
      faults.full ? Promise.reject(new Error('the disk is full')) : commit(),
    ),
    schedule: () => ({ cron: asked.cron, zone: createUtc(), catchUp: REPORT_CATCH_UP }),
    sinks: () => asked.sinks.map((name) => ({ name, team: undefined })),
    accounts: ['main'],
    make: ({ account, slot }, teams) => {
      made.push(slot)
      here.making()
      const json = JSON.stringify({ account, slot: slot.id })
      return Promise.resolve([{ json }, ...teams.map((team) => ({ team, json: JSON.stringify({ team }) }))])
    },
    recordDue: (slot) => void due.add(slot),
    failed: () => {
      faults.failed += 1
    },
  }
  const runFor = async (span: number): Promise<void> => {
    const stop = new AbortController()
    const done = runReportSchedule(job, stop.signal)
    await clock.advance(seconds(span))
    stop.abort()
    await done
  }
  const here = { clock, store, made, due, faults, job, runFor, asked, making: () => {} }
  return here
}

test('a week is reported once, when it is due, to each receiver', async () => {
  const here = setting()
  await here.runFor(8 * HOUR - 60)
  expect(here.made).toEqual([])
  await here.runFor(120)
  await here.runFor(6 * DAY)
  expect(here.made).toEqual([{ id: '2026-W01', from: at(-7 * DAY), to: at(0), late: false }])
  const waiting = [
    ...(await here.store.dueDeliveries('main', 'report/files', 9)),
    ...(await here.store.dueDeliveries('main', 'report/boss', 9)),
  ]
  expect(waiting.map(({ sink, kind, item }) => `${sink} ${kind} ${item}`)).toEqual([
    'report/files report 2026-W01',
    'report/boss report 2026-W01',
  ])
  expect(await here.store.report('main', '2026-W01')).toEqual({
    account: 'main',
    slot: here.made[0],
    madeAt: expect.any(Number),
    json: '{"account":"main","slot":"2026-W01"}',
  })
})

test.each([
  ['once a week', '0 8 * * MON', [at(8 * HOUR - 7 * DAY), at(8 * HOUR), at(8 * HOUR + 7 * DAY)]],
  [
    'each day, of which the first in a week counts',
    '0 8 * * *',
    [at(8 * HOUR - 7 * DAY), at(8 * HOUR), at(8 * HOUR + 7 * DAY)],
  ],
  ['once a month', '0 8 8 * *', [at(8 * HOUR - 28 * DAY), at(8 * HOUR + 3 * DAY)]],
])('it says when a report was last due: %s', async (_, text, slots) => {
  const here = setting()
  const cron = parseCron(text)
  if (!cron.ok) throw new Error(cron.error)
  here.asked.cron = cron.value
  await here.runFor(10 * DAY)
  expect([...here.due]).toEqual(slots)
})

test('a report that an earlier schedule made is not due again at the slot of a later one', async () => {
  const here = setting()
  await here.runFor(9 * HOUR)
  const wednesdays = parseCron('0 8 * * WED')
  if (!wednesdays.ok) throw new Error(wednesdays.error)
  here.asked.cron = wednesdays.value
  here.due.clear()
  await here.runFor(4 * DAY)
  expect(here.made).toHaveLength(1)
  expect(Math.max(...here.due)).toBe(at(8 * HOUR))
  await here.runFor(7 * DAY)
  expect(here.made).toHaveLength(2)
  expect(Math.max(...here.due)).toBe(at(9 * DAY + 8 * HOUR))
})

test('after missed slots only the last report is made, marked late, and none beyond the catch-up time', async () => {
  const here = setting()
  await here.runFor(DAY)
  await here.clock.advance(seconds(20 * DAY + 20 * HOUR))
  await here.runFor(HOUR)
  const told = (): unknown => here.made.map(({ id, late }) => [id, late])
  const both = [
    ['2026-W01', false],
    ['2026-W04', true],
  ]
  expect(told()).toEqual(both)
  await here.clock.advance(seconds(9 * DAY + 13 * HOUR))
  await here.runFor(HOUR)
  expect(told()).toEqual(both)
})

test('a new daemon makes no reports of earlier weeks', async () => {
  const here = setting()
  await here.clock.advance(seconds(9 * HOUR))
  await here.runFor(DAY)
  expect(here.made).toEqual([])
})

test('a report that could not be stored is made again and delivered once', async () => {
  const here = setting()
  await here.runFor(HOUR)
  here.faults.full = true
  await here.runFor(7 * HOUR + 300)
  expect(here.faults.failed).toBeGreaterThan(1)
  expect(await here.store.dueDeliveries('main', 'report/boss', 9)).toEqual([])
  here.faults.full = false
  await here.runFor(300)
  expect(await here.store.dueDeliveries('main', 'report/boss', 9)).toHaveLength(1)
  expect(here.made.at(-1)).toMatchObject({ id: '2026-W01', late: false })
})

test('a report that cannot be stored for half a day is made at most once an hour, and within one after that', async () => {
  const here = setting()
  await here.runFor(60)
  here.faults.full = true
  const stop = new AbortController()
  const done = runReportSchedule(here.job, stop.signal)
  await here.clock.advance(seconds(20 * HOUR))
  expect(here.made.length).toBeGreaterThan(12)
  expect(here.made.length).toBeLessThan(20)
  expect(here.faults.failed).toBeLessThan(22)
  here.faults.full = false
  await here.clock.advance(seconds(HOUR + 60))
  stop.abort()
  await done
  expect(await here.store.dueDeliveries('main', 'report/boss', 9)).toHaveLength(1)
})

test('each report requested by hand has a slot of its own', async () => {
  const here = setting()
  await here.runFor(9 * HOUR)
  expect([await sendReportNow(here.job, 'main'), await sendReportNow(here.job, 'main')]).toEqual([
    '2026-W01-manual-1',
    '2026-W01-manual-2',
  ])
  expect(await here.store.dueDeliveries('main', 'report/files', 9)).toHaveLength(3)
})

test('a changed schedule applies from then on, and no week is reported twice', async () => {
  const here = setting()
  await here.runFor(9 * HOUR)
  expect(here.made.map(({ id }) => id)).toEqual(['2026-W01'])
  const tuesdays = parseCron('0 6 * * TUE')
  if (!tuesdays.ok) throw new Error(tuesdays.error)
  here.asked.cron = tuesdays.value
  await here.runFor(7 * DAY)
  expect(here.made.map(({ id }) => id)).toEqual(['2026-W01'])
  await here.runFor(DAY)
  expect(here.made.map(({ id }) => id)).toEqual(['2026-W01', '2026-W02'])
})

test('a report goes to receivers configured both when it was begun and when it was finished', async () => {
  const here = setting()
  here.making = () => {
    here.asked.sinks = ['report/boss', 'report/new']
  }
  await here.runFor(9 * HOUR)
  const waiting = (sink: string) => here.store.dueDeliveries('main', sink, 9)
  const counts = await Promise.all(['report/files', 'report/boss', 'report/new'].map(waiting))
  expect(counts.map(({ length }) => length)).toEqual([0, 1, 0])
})
