import { expect, test } from 'vitest'
import type { Snapshot } from '../../../../src/model/output/snapshot.ts'
import { micros } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { changeOf, tallyOf, withChanges } from '../../../support/changes.ts'
import { bodyText, FACTS, partsOf } from '../../../support/exposed.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'

const lines = (taken: Snapshot): string[] =>
  bodyText(partsOf(taken, FACTS))
    .split('\n')
    .filter((line) => /^dormouse_(change|compute_change|connections_interrupted|brake)/.test(line))

const C = 'project_id="project-0",endpoint_id="ep-0"'
const fleet = snapshotOf(1)
const open = [
  { change: changeOf({ createdAt: at(30) }), hold: undefined },
  { change: changeOf({ id: 'ch-two', kind: 'delay', state: { at: 'proposed' } }), hold: undefined },
]
const changed = withChanges(fleet, {
  open,
  tallies: [
    tallyOf({ count: 2, interrupted: 3, lastAt: at(100) }),
    tallyOf({ outcome: 'failed', interrupted: 4, lastAt: at(200) }),
    tallyOf({ outcome: 'unknown', lastAt: at(150) }),
    tallyOf({ kind: 'restart', outcome: 'unknown', lastAt: at(250) }),
    tallyOf({ kind: 'delay', outcome: 'cancelled', lastAt: at(300) }),
  ],
})

test.each([
  'dormouse_changes_open{state="proposed"} 1',
  'dormouse_changes_open{state="scheduled"} 1',
  'dormouse_changes_open{state="applying"} 0',
  'dormouse_changes_open{state="verifying"} 0',
  'dormouse_changes_total{kind="sizing",outcome="done"} 2',
  'dormouse_changes_total{kind="sizing",outcome="failed"} 1',
  'dormouse_changes_total{kind="restart",outcome="unknown"} 1',
  'dormouse_changes_total{kind="delay",outcome="cancelled"} 1',
  'dormouse_changes_total{kind="delay",outcome="expired"} 0',
  `dormouse_compute_change_pending_since_timestamp_seconds{${C},kind="sizing"} ${at(30) / 1000}`,
  `dormouse_compute_change_pending_since_timestamp_seconds{${C},kind="delay"} ${at(0) / 1000}`,
  `dormouse_compute_change_last_failure_timestamp_seconds{${C},kind="sizing"} ${at(200) / 1000}`,
  `dormouse_compute_change_last_failure_timestamp_seconds{${C},kind="restart"} ${at(250) / 1000}`,
  `dormouse_compute_change_last_success_timestamp_seconds{${C},kind="sizing"} ${at(100) / 1000}`,
  `dormouse_connections_interrupted_total{${C}} 7`,
  'dormouse_brake_engaged{brake="kill_switch"} 0',
])('%s', (line) => {
  expect(lines(changed)).toContain(line)
})

test('a change that was cancelled is neither a failure nor a success', () => {
  expect(lines(changed).filter((line) => line.includes('_last_') && line.includes('"delay"'))).toEqual([])
})

test('without changes a compute has no series, and the fleet has every state and outcome at 0', () => {
  const none = lines(withChanges(fleet, { open: [] }))
  expect(none).toHaveLength(4 + 4 * 8 + 8)
  expect(none.filter((line) => !line.endsWith(' 0'))).toEqual([])
  expect(lines(fleet)).toEqual([])
})

test('the interruptions of a compute begin at 0 with its first change', () => {
  expect(lines(withChanges(fleet))).toContain(`dormouse_connections_interrupted_total{${C}} 0`)
})

test('accounts are one sum', () => {
  const accounts = changed.accounts.flatMap((view) => [view, { ...view, account: 'other' }])
  const told = lines({ ...changed, accounts })
  expect(told).toContain('dormouse_changes_open{state="proposed"} 2')
  expect(told).toContain('dormouse_changes_total{kind="sizing",outcome="done"} 4')
})

test('each brake shows whether it is engaged', () => {
  const brakes = lines({ ...changed, engagedBrakes: ['kill_switch', 'breaker'] }).filter((line) =>
    line.includes('brake_engaged'),
  )
  expect(brakes).toEqual([
    'dormouse_brake_engaged{brake="kill_switch"} 1',
    'dormouse_brake_engaged{brake="freeze"} 0',
    'dormouse_brake_engaged{brake="hold"} 0',
    'dormouse_brake_engaged{brake="fleet"} 0',
    'dormouse_brake_engaged{brake="breaker"} 1',
    'dormouse_brake_engaged{brake="demoted"} 0',
    'dormouse_brake_engaged{brake="controller"} 0',
    'dormouse_brake_engaged{brake="hold_off"} 0',
  ])
})

test('wakes by changes are told apart from those by readings, by project and for the fleet', () => {
  const [view, ...others] = fleet.accounts
  if (!view) throw new Error('the fleet has no account')
  const wakesBy = { dormouse: 0, unknown: 7, change: 2 }
  const woken = { ...view, wakesBy, wakesByChange: new Map([['project-0', 2]]) }
  const body = bodyText(partsOf({ ...fleet, accounts: [woken, ...others] }, FACTS)).split('\n')
  expect(body).toContain('dormouse_wakes_total{initiator="change"} 2')
  expect(body).toContain('dormouse_wakeups_caused_total{project_id="project-0",reason="change"} 2')
  expect(body).toContain('dormouse_wakeups_caused_total{project_id="project-0",reason="reading"} 0')
})

test('starts ahead of clients count by what came of them, from 0 on where a policy allows them', () => {
  const [view, ...others] = fleet.accounts
  if (!view) throw new Error('the fleet has no account')
  const linesOf = (warmUps: typeof view.warmUps) => {
    const wakesBy = { dormouse: 0, unknown: 7, 'warm-up': 3 }
    const woken = { ...view, wakesBy, wakesByWarmUp: new Map([['project-0', 3]]), warmUps }
    const body = bodyText(partsOf({ ...fleet, accounts: [woken, ...others] }, FACTS)).split('\n')
    return body.filter((line) => /^dormouse_warmups|"warm(-up)?"/.test(line))
  }
  expect(linesOf({ used: 2, unused: 1, failed: 0 })).toEqual([
    'dormouse_wakes_total{initiator="warm-up"} 3',
    'dormouse_wakeups_caused_total{project_id="project-0",reason="warm"} 3',
    'dormouse_warmups_total{account="main",result="used"} 2',
    'dormouse_warmups_total{account="main",result="unused"} 1',
    'dormouse_warmups_total{account="main",result="failed"} 0',
  ])
  expect(linesOf(undefined)).toHaveLength(2)
})

const savedLines = (taken: Snapshot): string[] =>
  bodyText(partsOf(taken, FACTS))
    .split('\n')
    .filter((line) => /^dormouse_(compute_)?(saved|extra_spend)/.test(line))

const spent = (saved: number, extra: number) => ({ saved: micros(saved), extra: micros(extra) })

test('saved and extra spend are those of computes with changes, and of teams; both begin at 0', () => {
  expect(savedLines(withChanges(fleet))).toEqual([
    `dormouse_compute_saved_total{${C},currency="USD"} 0`,
    `dormouse_compute_extra_spend_total{${C},currency="USD"} 0`,
    'dormouse_saved_total{team="",currency="USD"} 0',
    'dormouse_extra_spend_total{team="",currency="USD"} 0',
  ])
  const counted = {
    ...changed,
    computes: changed.computes.map((view) => ({ ...view, saved: spent(1_500_000, 250_000) })),
    // a team that owns nothing any more keeps its counter
    accounts: changed.accounts.flatMap((view) => [
      { ...view, saved: new Map([['', spent(1_500_000, 250_000)]]) },
      {
        ...view,
        account: 'other',
        saved: new Map([
          ['', spent(500_000, 0)],
          ['shop', spent(0, 7_000_000)],
        ]),
      },
    ]),
  }
  expect(savedLines(counted)).toEqual([
    `dormouse_compute_saved_total{${C},currency="USD"} 1.5`,
    `dormouse_compute_extra_spend_total{${C},currency="USD"} 0.25`,
    'dormouse_saved_total{team="",currency="USD"} 2',
    'dormouse_saved_total{team="shop",currency="USD"} 0',
    'dormouse_extra_spend_total{team="",currency="USD"} 0.25',
    'dormouse_extra_spend_total{team="shop",currency="USD"} 7',
  ])
  expect(savedLines(fleet)).toEqual([])
})

test('a change counts as what it waits for, a compute once for each reason', () => {
  const waiting = [
    { change: changeOf(), hold: { because: 'outside-window', until: undefined, since: at(0) } as const },
    {
      change: changeOf({ id: 'ch-two', kind: 'delay' }),
      hold: { because: 'outside-window', until: undefined, since: at(0) } as const,
    },
    {
      change: changeOf({ id: 'ch-three', kind: 'restart' }),
      hold: { because: 'awake', until: undefined, since: at(0) } as const,
    },
  ]
  const shown = bodyText(partsOf(withChanges(fleet, { open: waiting }), FACTS)).split('\n')
  expect(shown.filter((line) => line.startsWith('dormouse_holds'))).toEqual([
    'dormouse_holds{reason="outside_window"} 1',
    'dormouse_holds{reason="awake"} 1',
  ])
})

test('restarts avoided are a sum, and windows are open or closed', () => {
  const windows = new Map([
    ['night', false],
    ['office', true],
  ])
  const tallies = [tallyOf({ avoided: 2 }), tallyOf({ kind: 'restart', avoided: 1 })]
  const shown = bodyText(partsOf({ ...withChanges(fleet, { tallies }), windows }, FACTS)).split('\n')
  expect(shown).toContain('dormouse_restarts_avoided_total 3')
  expect(shown.filter((line) => line.startsWith('dormouse_window'))).toEqual([
    'dormouse_window_active{window="night"} 0',
    'dormouse_window_active{window="office"} 1',
  ])
})
