import { expect, test } from 'vitest'
import { createWindow } from '../../src/calendar/window.ts'
import { createZone } from '../../src/calendar/zone.ts'
import { buildWindows, windowsSchema } from '../../src/config/sections/windows.ts'
import type { ChangeTerms } from '../../src/decide/change-hold.ts'
import { changeSlot, slotSpan } from '../../src/decide/slot.ts'
import { DEFAULT_BRAKES } from '../../src/model/policy/brakes.ts'
import { DEFAULT_RESTART_RULES, type Mode, type RestartRules } from '../../src/model/policy/change-policy.ts'
import type { Change } from '../../src/model/policy/change.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { changeOf, SCHEDULED } from '../support/changes.ts'
import { placedHold } from '../support/placed-holds.ts'

const iso = (text: string) => instant(Date.parse(`2026-${text}:00Z`))
const utc = createZone('UTC')
if (!utc.ok) throw new Error(utc.error)
const { windows } = buildWindows({
  timezone: utc.value,
  calendars: {},
  windows: windowsSchema.parse({
    night: '22:00-06:00',
    short: '12:00-12:05',
    office: 'Mon-Fri 08:00-19:00',
    sunday: 'Sun 02:00-05:00',
  }),
})
const freezeOf = (from: string, to: string) => createWindow([{ kind: 'once', from: iso(from), to: iso(to) }])

/** On Monday, 5 January 2026, at 10:00. */
const NOW = iso('01-05T10:00')
const DEADLINE = iso('01-19T10:00')
const BY_POLICY = changeOf({ when: 'policy', state: SCHEDULED, deadline: DEADLINE })

type Given = Readonly<{
  mode?: Mode
  restart?: Partial<RestartRules>
  freezes?: ChangeTerms['freezes']
  holds?: ChangeTerms['holds']
  isClockSteady?: boolean
  startedAt?: string
}>

/** A change takes 60 s, and ends 10 minutes before its window does. */
function slotOf(given: Given, change: Change = BY_POLICY) {
  const {
    mode = 'apply',
    restart = {},
    freezes = [],
    holds = [],
    isClockSteady = true,
    startedAt = '01-01T00:00',
  } = given
  const duration = seconds(60)
  const policy = {
    mode,
    levers: ['sizing'],
    restart: { ...DEFAULT_RESTART_RULES, ...restart },
    path: 'policies[0]',
  } as const
  const brakes = {
    brakes: DEFAULT_BRAKES,
    restarts: [],
    engaged: [],
    breaker: undefined,
    failedRequests: undefined,
    startedAt: iso(startedAt),
    isSwept: true,
    createdAt: iso('01-01T00:00'),
    goFirst: [],
  }
  const unasked = { policy: { policy, windows, ofProject: undefined, duration, isForced: false }, brakes }
  return changeSlot(change, { freezes, holds, duration, isClockSteady, mode, unasked }, slotSpan(NOW))
}

test.each<[what: string, given: Given, from: string | undefined, to?: string]>([
  ['idle is allowed at any time', {}, '01-05T10:00', '01-19T10:00'],
  [
    'the next night, until 11 minutes before its end',
    { restart: { when: ['window'], windows: ['night'] } },
    '01-05T22:00',
    '01-06T05:49',
  ],
  [
    'not a window that is shorter than a change',
    { restart: { when: ['window'], windows: ['short', 'night'] } },
    '01-05T22:00',
    '01-06T05:49',
  ],
  ['after the office closes', { restart: { deny: ['office'] } }, '01-05T19:00', '01-06T07:59'],
  [
    'after a freeze, in the night after it',
    {
      restart: { when: ['window'], windows: ['night'] },
      freezes: [['release', freezeOf('01-05T20:00', '01-07T12:00')]],
    },
    '01-07T22:00',
    '01-08T05:49',
  ],
  [
    'until a freeze begins',
    { freezes: [['release', freezeOf('01-06T12:00', '01-07T12:00')]] },
    '01-05T10:00',
    '01-06T11:59',
  ],
  [
    "after a person's hold",
    { holds: [placedHold({ until: iso('01-06T09:00') })] },
    '01-06T09:00',
    '01-19T10:00',
  ],
  ['after the hold-off of a start', { startedAt: '01-05T09:55' }, '01-05T10:05', '01-19T10:00'],
  [
    'none, where a hold outlasts seven days',
    { holds: [placedHold({ until: iso('01-13T00:00') })] },
    undefined,
  ],
  ['none, where no window ever opens', { restart: { when: ['window'], windows: [] } }, undefined],
  ['none, while nobody knows the time', { isClockSteady: false }, undefined],
])('a change of a policy goes %s', (_, given, from, to = '') => {
  expect(slotOf(given)).toEqual(from === undefined ? undefined : { from: iso(from), to: iso(to) })
})

test('a change that waits for an approval has the slot that it would have with it', () => {
  const proposed = { ...BY_POLICY, state: { at: 'proposed' } } as const
  expect(slotOf({ mode: 'approve' }, proposed)).toEqual({ from: NOW, to: DEADLINE })
  expect(slotOf({ mode: 'suggest' }, proposed)).toBeUndefined()
  expect(slotOf({ mode: 'approve' })).toBeUndefined()
})

test('windows of policies are nothing to a change that a person asked for', () => {
  const asked = changeOf({ when: 'idle', state: SCHEDULED, deadline: DEADLINE })
  const restart = { when: ['window'], windows: ['sunday'] } as const
  expect(slotOf({ restart }, asked)).toEqual({ from: NOW, to: DEADLINE })
  expect(slotOf({ restart })).toEqual({ from: iso('01-11T02:00'), to: iso('01-11T04:49') })
})

test('no slot begins after the deadline', () => {
  const restart = { when: ['window'], windows: ['night'] } as const
  expect(slotOf({ restart }, { ...BY_POLICY, deadline: iso('01-05T21:00') })).toBeUndefined()
})
