// The report of a week that goes on knows what was seen in the hour that goes on.
import { expect, test } from 'vitest'
import { isoWeekIdOf, isoWeekInterval } from '../../../src/calendar/iso-week.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import { hourlyRollups } from '../../../src/daemon/history/hourly.ts'
import { buildReport, type ReportSource } from '../../../src/daemon/reports/build.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { eventKey, type OutboxEvent } from '../../../src/model/output/outbox-event.ts'
import type { ReportPlan } from '../../../src/model/output/report.ts'
import type { ReadingAttempt } from '../../../src/model/observation.ts'
import { COARSE_STEP, type Rollup } from '../../../src/model/ledger/rollup.ts'
import { accounted } from '../../support/accounted.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { at, attempt, ledger, look, prices, sweep } from '../../support/build.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { collected, refOf, rollupAt } from '../../store/build.ts'
import { REPORTED_ADVICE } from '../../support/recommendations.ts'

const HOUR = 3600
const zone = createUtc()

/** Looked at in the fourth hour, and read where there are readings. */
function seen(readings: readonly ReadingAttempt[]) {
  const [first, second] = [3.2 * HOUR, 3.5 * HOUR]
  const awake = { state: 'active', startedAt: at(10), suspendedAt: undefined } as const
  const context = { prices, overhead: 0.01, now: at(second) }
  const before = accounted(ledger(), sweep(first, { looks: [look(first, awake)] }), context)
  return accounted(before.ledger, sweep(second, { looks: [look(second, awake)], readings }), context)
}

type Told = Readonly<{ events?: readonly OutboxEvent[]; redact?: ReportPlan['redact'] }>

async function report(readings: readonly ReadingAttempt[], { events = [], redact = [] }: Told = {}) {
  const { ledger: known, days } = seen(readings)
  const history = {
    ...NO_HISTORY,
    days: async function* told() {
      yield* days
    },
    eventsAfter: () => Promise.resolve(events),
  }
  const id = isoWeekIdOf(at(0), zone)
  const week = isoWeekInterval(id, zone)
  if (!week) throw new Error('no week')
  const source: ReportSource = {
    history,
    ledger: known,
    advice: REPORTED_ADVICE,
    prices,
    zone,
    owners: createOwners([]),
    plan: { groupBy: undefined, onlyTeam: undefined, redact },
    unread: undefined,
    view: undefined,
  }
  return buildReport(source, { slot: { id, ...week, late: false }, madeAt: at(3.5 * HOUR) }, fakeClock())
}

const unreadIn = ({ not_analysed: groups }: Awaited<ReturnType<typeof report>>) =>
  groups.filter(({ reason }) => reason === 'unread').map(({ computes }) => computes)

test('where names are left out, events about holds do not tell what they are about', async () => {
  const about = { account: 'main', at: at(HOUR), holdId: 'h-1', what: 'project=quux-*', because: 'a demo' }
  const events = [
    { ...about, kind: 'hold-placed', by: 'ada', until: at(2 * HOUR) } as const,
    { ...about, kind: 'hold-ended', by: 'ada', until: at(2 * HOUR) } as const,
  ].map((event, index): OutboxEvent => ({ id: index + 1, ...eventKey(event), event }))
  const textsOf = async (redact: ReportPlan['redact']) =>
    (await report([], { events, redact })).events?.told.map(({ what }) => what)
  expect(await textsOf([])).toEqual([
    'Hold h-1 of ada stops changes of project=quux-* until 2026-01-05T02:00:00Z: a demo',
    'Hold h-1 no longer stops changes of project=quux-*: a demo',
  ])
  expect(await textsOf(['names'])).toEqual([
    'Hold h-1 of ada stops changes of some computes until 2026-01-05T02:00:00Z: a demo',
    'Hold h-1 no longer stops changes of some computes: a demo',
  ])
})

test('a reading in the current hour counts', async () => {
  expect(unreadIn(await report([]))).toEqual([1])
  expect(unreadIn(await report([attempt(3.4 * HOUR)]))).toEqual([])
})

test('an hour stored after the ledger was loaded counts once, and rollups of a compute follow each other', async () => {
  const { ledger: known } = seen([attempt(3.4 * HOUR)])
  const [ref, other] = [refOf('ep-one'), refOf('ep-other')]
  const told = async (...stored: readonly Rollup[]) => {
    async function* rollups() {
      yield* stored
    }
    const all = await collected(hourlyRollups({ rollups }, known, { from: at(0), to: at(168 * HOUR) }))
    return all.map((one) => [one.ref.endpointId, (one.from - at(0)) / (HOUR * 1000), one.readings])
  }
  const open = ['ep-one', 3, 1]
  expect(await told()).toEqual([open])
  expect(await told(rollupAt(ref, 2 * HOUR, COARSE_STEP), rollupAt(other, 0, COARSE_STEP))).toEqual([
    ['ep-one', 2, 3],
    open,
    ['ep-other', 0, 3],
  ])
  expect(await told(rollupAt(ref, 3 * HOUR, COARSE_STEP))).toEqual([['ep-one', 3, 3]])
  expect(await told(rollupAt(ref, 4 * HOUR, COARSE_STEP))).toEqual([['ep-one', 4, 3]])
})

test('the current hour does not count for a past week', async () => {
  const { ledger: known } = seen([attempt(3.4 * HOUR)])
  expect(await collected(hourlyRollups(NO_HISTORY, known, { from: at(-168 * HOUR), to: at(0) }))).toEqual([])
})
