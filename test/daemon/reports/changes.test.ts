// Changes of a report from the journal.
import { expect, test } from 'vitest'
import { isoWeekInterval } from '../../../src/calendar/iso-week.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import { buildReports, type ReportSource } from '../../../src/daemon/reports/build.ts'
import type { Change, ChangeState } from '../../../src/model/policy/change.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { addChange, transition } from '../../../src/model/ports/journal.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import type { SavedPart } from '../../../src/model/policy/saved.ts'
import { DAY, HOUR, instant, micros } from '../../../src/model/units.ts'
import { computeOf, refOf } from '../../store/build.ts'
import { prices } from '../../support/build.ts'
import { changeOf, SCHEDULED } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { placedHold } from '../../support/placed-holds.ts'
import { createWindow } from '../../../src/calendar/window.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { REPORTED_ADVICE } from '../../support/recommendations.ts'

const zone = createUtc()
const week = isoWeekInterval('2026-W47', zone)
if (!week) throw new Error('no week')
const slot = { id: '2026-W47', ...week, late: false }
const on = (day: number) => instant(week.from + day * DAY)
const plan = { groupBy: undefined, onlyTeam: undefined, redact: [] }

const proposed = changeOf({
  id: 'ch-one',
  ref: refOf('ep-one'),
  createdAt: on(0),
  state: { at: 'proposed' },
})
const approved = { ...SCHEDULED, at: 'scheduled', approvedBy: 'bob', notBefore: on(1), attempts: 0 } as const
const done: ChangeState = {
  at: 'done',
  because: 'verified',
  endedAt: on(2),
  sent: { at: on(2), sessions: 'unknown' },
}
const waiting = changeOf({ id: 'ch-two', ref: refOf('ep-two'), createdAt: on(3) })

async function live(store: Pick<AccountStore, 'commit'>, first: Change, states: readonly ChangeState[]) {
  let change = first
  await addChange(store, change, { at: change.createdAt })
  for (const to of states) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const moved = await transition(store, { change, to }, { at: on(2) })
    if (!moved.ok) throw new Error(moved.error.kind)
    change = moved.value
  }
}

const partOf = (endpointId: string, day: number, saved: number, extra: number): SavedPart => ({
  changeId: `ch-${endpointId}`,
  ref: refOf(endpointId),
  team: '',
  from: on(day - 1),
  to: on(day),
  saved: micros(saved),
  extra: micros(extra),
})
/** Of the week before, of this one and of the next. */
const PARTS = [
  partOf('ep-one', -0.5, 1, 0),
  partOf('ep-one', 0.5, 20, 0),
  partOf('ep-one', 6.5, 300, 0),
  partOf('ep-two', 3, 0, 4000),
  partOf('ep-two', 7, 0, 50_000),
]

async function changesAt(madeAt: number, teams: readonly string[] = []) {
  const store = memoryStore()
  const account = store.account('main')
  await account.commit(['ep-one', 'ep-two'].map((id) => ({ kind: 'compute', entry: computeOf(id) })))
  await live(account, proposed, [approved, done])
  await live(account, waiting, [])
  const holds = [
    placedHold({ id: 'hold-all', placedAt: on(1), until: on(2) }),
    placedHold({ id: 'hold-one', match: { compute: ['ep-one'] }, placedAt: on(1), until: on(9) }),
  ]
  await account.commit(holds.map((hold) => ({ kind: 'placed-hold', hold })))
  await account.commit(PARTS.map((part) => ({ kind: 'saved-part', part })))
  const source: ReportSource = {
    history: store,
    ledger: await account.load(),
    advice: REPORTED_ADVICE,
    changes: {
      journal: store,
      freezes: [['year-end', createWindow([{ kind: 'once', from: on(4), to: on(5) }])]],
      holdOf: (id) => (id === 'ch-two' ? { because: 'awake', since: on(3), until: undefined } : undefined),
    },
    prices,
    zone,
    owners: createOwners([{ match: { compute: ['ep-two'] }, owner: { ...NO_OWNER, team: 'web' } }]),
    plan,
    unread: undefined,
    view: undefined,
  }
  const plans = [plan, ...teams.map((onlyTeam) => ({ ...plan, onlyTeam }))]
  const reports = await buildReports(source, { slot, madeAt: instant(madeAt), plans }, fakeClock())
  return reports.map(({ changes }) => changes)
}

test('who approved a change is known after it was sent, and what another waits for is that of the daemon', async () => {
  const [changes] = await changesAt(week.to + HOUR)
  expect(changes?.listed).toMatchObject([
    { id: 'ch-one', state: 'done', asked_by: 'alice', approved_by: 'bob', sessions: 'unknown' },
  ])
  expect(changes?.waiting).toMatchObject([
    {
      id: 'ch-two',
      approved_by: null,
      hold: { because: 'awake', since: '2026-11-19T00:00:00Z', until: null },
    },
  ])
})

test('the report of a team has its own', async () => {
  const [, web, none] = await changesAt(week.to + HOUR, ['web', 'nobody'])
  expect([web?.listed, web?.waiting?.map(({ id }) => id)]).toEqual([[], ['ch-two']])
  expect([none?.listed, none?.waiting]).toEqual([[], []])
})

test('holds and freezes are those of the week; of a team the holds that fit one of its computes', async () => {
  const found = await changesAt(week.to + HOUR, ['web', 'nobody'])
  expect(found.map((changes) => changes?.holds?.map(({ id }) => id))).toEqual([
    ['hold-all', 'hold-one'],
    ['hold-all'],
    [],
  ])
  expect(found.map((changes) => changes?.freezes?.map(({ window }) => window))).toEqual([
    ['year-end'],
    ['year-end'],
    ['year-end'],
  ])
})

test('the report of an older week has what ended in it, and not what is open today', async () => {
  const [changes] = await changesAt(week.to + 7 * DAY)
  expect([changes?.listed.map(({ id }) => id), changes?.waiting]).toEqual([['ch-one'], null])
})

test('after 93 days nothing is known of changes', async () => {
  expect(await changesAt(week.from + 93 * DAY)).toEqual([null])
})

test('saved and extra spend are those that were counted of the week, of a team those of its computes', async () => {
  const [all, web] = await changesAt(on(8), ['web'])
  expect([all?.saved_micros, all?.extra_spend_micros]).toEqual([320, 4000])
  expect([web?.saved_micros, web?.extra_spend_micros]).toEqual([0, 4000])
})
