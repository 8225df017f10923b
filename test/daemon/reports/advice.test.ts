// Recommendations of a report from the store.
import { expect, test } from 'vitest'
import { buildReports, type ReportSource } from '../../../src/daemon/reports/build.ts'
import { isoWeekInterval } from '../../../src/calendar/iso-week.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import type { Write } from '../../../src/model/ports/store.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { DAY, HOUR, instant, seconds } from '../../../src/model/units.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { computeOf, refOf } from '../../store/build.ts'
import { ledger, prices } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import {
  recommendation,
  REPORTED_ADVICE,
  sizingRecommendation,
  withheld,
} from '../../support/recommendations.ts'

const zone = createUtc()
const week = isoWeekInterval('2026-W47', zone)
if (!week) throw new Error('no week')
const slot = { id: '2026-W47', ...week, late: false }
const on = (day: number) => instant(week.from + day * DAY)
const plan = { groupBy: undefined, onlyTeam: undefined, redact: [] }
const grounds = { ...recommendation().grounds, from: on(0), to: on(7), days: 7 }
const one = recommendation({ ref: refOf('ep-one'), grounds, openedAt: on(1) })

const ROWS: readonly Write[] = [
  { kind: 'compute', entry: computeOf('ep-one') },
  { kind: 'compute', entry: computeOf('ep-two') },
  { kind: 'recommendation', recommendation: one },
  {
    kind: 'recommendation',
    recommendation: sizingRecommendation({ ref: refOf('ep-two'), id: 'ep-two.sizing.1' }),
  },
  {
    kind: 'recommendation',
    recommendation: recommendation({
      id: 'ep-one.delay.0',
      ref: refOf('ep-one'),
      life: { state: 'implemented', at: on(-29), realised: undefined },
    }),
  },
  { kind: 'advice', advice: { ref: refOf('ep-two'), evaluatedAt: on(6), withheld: [withheld()], made: {} } },
  {
    kind: 'gap',
    gap: {
      ref: refOf('ep-one'),
      from: instant(on(1) + 10 * HOUR),
      low: seconds(3900),
      high: seconds(3900),
      hiddenBelow: seconds(0),
    },
  },
]

async function reportsAt(madeAt: number, teams: readonly string[] = []) {
  const store = memoryStore()
  await store.account('main').commit(ROWS)
  const windows = new Map([['office', windowOf(weekly('Mon-Fri 08:00-18:00', 'UTC'))]])
  const owner = { ...NO_OWNER, team: 'web' }
  const source: ReportSource = {
    history: store,
    ledger: ledger(),
    advice: { ...REPORTED_ADVICE, windows },
    prices,
    zone,
    owners: createOwners([{ match: { compute: ['ep-two'] }, owner }]),
    plan,
    unread: undefined,
    view: undefined,
  }
  const plans = [plan, ...teams.map((onlyTeam) => ({ ...plan, onlyTeam }))]
  return buildReports(source, { slot, madeAt: instant(madeAt), plans }, fakeClock())
}

test('a report has what is open, what ended lately, and why the rest is withheld', async () => {
  const [report] = await reportsAt(week.to + HOUR)
  const advice = report?.recommendations
  expect(advice?.listed.map(({ id }) => id)).toEqual(['ep-two.sizing.1', 'ep-one.delay.1'])
  expect(advice?.listed[1]?.curl).toContain("'https://service.example/api/v2/projects/")
  expect(advice?.earlier.listed).toEqual([])
  expect(advice?.withheld).toMatchObject([{ kind: 'delay', because: 'history-short', computes: 1 }])
})

test('a recommended delay has the price of no wake inside each window', async () => {
  const [report] = await reportsAt(week.to + HOUR)
  const [sizing, delay] = report?.recommendations?.listed ?? []
  // an hour asleep at 0.25 CU, in 7 days
  const micros = Math.round(0.25 * 106_000 * (30 / 7))
  expect(delay?.no_wake).toEqual([{ window: 'office', micros, wakes_per_day: 1 / 7 }])
  expect(sizing?.no_wake).toEqual([])
})

test('the report of a team has its own, read once for all', async () => {
  const [, web, none] = await reportsAt(week.to + HOUR, ['web', 'nobody'])
  expect(web?.recommendations?.listed.map(({ id }) => id)).toEqual(['ep-two.sizing.1'])
  expect(web?.recommendations?.withheld).toHaveLength(1)
  expect(none?.recommendations).toMatchObject({ open: 0, listed: [], withheld: [] })
})

test('the report of an older week does not have what is open today', async () => {
  const [report] = await reportsAt(week.to + 7 * DAY)
  expect(report?.recommendations).toBeNull()
})
