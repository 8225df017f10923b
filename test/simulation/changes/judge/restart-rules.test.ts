// The judge's own rules: what they find, and what nobody could know.
import { describe, expect, test } from 'vitest'
import { at } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import type { WrittenRequest } from '../network.ts'
import { brakeAgainst, createWindowRule, mayRestartAwake, overwrites, type Landed } from './restart-rules.ts'
import type { Rules } from '../world.ts'

const HOUR = 3600
const NOW = 10 * 24 * HOUR
const byPolicy = changeOf({
  origin: { by: 'policy', id: 'r', hash: 'h', name: 'policies[0]' },
  createdAt: at(0),
})

const request = (fields: Partial<WrittenRequest> = {}): WrittenRequest => ({
  projectId: 'project-one',
  endpointId: 'ep-one',
  writtenAt: at(NOW),
  fields: { suspend_timeout_seconds: 60 },
  isRestart: false,
  isLate: false,
  ...fields,
})

const RULES: Rules = {
  mode: 'apply',
  levers: ['sizing'],
  when: ['quiet'],
  windows: [{ from: 2, to: 3 }],
  deny: [{ from: 20, to: 21 }],
}

describe('a window', () => {
  test.each<[zone: string, time: string, expected: boolean, windows?: Rules['windows']]>([
    ['Europe/Berlin', '2026-01-05T01:30:00Z', false],
    ['Europe/Berlin', '2026-01-05T00:59:59.5Z', false],
    ['Europe/Berlin', '2026-01-05T00:59:58Z', true],
    ['Europe/Berlin', '2026-01-05T02:00:00Z', true],
    // in summer
    ['Europe/Berlin', '2026-07-06T00:30:00Z', false],
    ['Europe/Berlin', '2026-07-06T01:30:00Z', true],
    // both passes of the clock
    ['Europe/Berlin', '2026-10-25T00:30:00Z', false],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', false],
    // no such hour
    ['Europe/Berlin', '2026-03-29T01:00:00Z', true],
    ['Europe/Berlin', '2026-03-29T00:59:58Z', true],
    ['Australia/Lord_Howe', '2026-01-04T15:30:00Z', false],
    // an end that is shown twice
    ['Europe/Paris', '2026-10-25T00:53:53Z', true, [{ from: 0, to: 1 }]],
    ['Europe/Paris', '2026-10-25T00:53:53Z', false, [{ from: 1, to: 2 }]],
    ['Europe/Paris', '2026-10-25T01:00:00Z', true, [{ from: 1, to: 2 }]],
    ['Europe/Paris', '2026-10-24T00:53:53Z', true, [{ from: 1, to: 2 }]],
    ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', false, [{ from: 1, to: 1.5 }]],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', true, [{ from: 1, to: 1.5 }]],
  ])('in %s at %s: outside %s', (zone, time, expected, windows = RULES.windows) => {
    expect(createWindowRule(zone)({ ...RULES, windows }, Date.parse(time), true)).toBe(expected)
  })

  test('denies, though restarts are allowed at any time', () => {
    const isOutside = createWindowRule('UTC')
    const rules: Rules = { ...RULES, when: ['idle'], windows: [] }
    const times = ['2026-01-05T19:59:00Z', '2026-01-05T20:00:00Z', '2026-01-05T20:59:59.5Z']
    expect(times.map((time) => isOutside(rules, Date.parse(time), false))).toEqual([false, true, false])
  })

  test.each<[Rules['when'], boolean, boolean]>([
    [['natural', 'window'], false, false],
    [['natural', 'window'], true, true],
    [['quiet'], false, true],
  ])('that is closed, with %j, awake %s: outside %s', (when, isAwake, expected) => {
    const closed = Date.parse('2026-01-05T10:00:00Z')
    expect(createWindowRule('UTC')({ ...RULES, when }, closed, isAwake)).toBe(expected)
  })

  test.each<[Rules['when'], boolean]>([
    [['idle', 'natural'], false],
    [['quiet'], true],
    [['idle', 'window'], true],
  ])('of a policy with %j: restarts of awake computes %s', (when, expected) => {
    expect(mayRestartAwake({ ...RULES, when })).toBe(expected)
  })

  test('that no policy names allows nothing', () => {
    expect(createWindowRule('UTC')(undefined, at(NOW), false)).toBe(true)
  })
})

const landed = (ago: number, kind: 'sizing' | 'delay' = 'sizing', endpointId = 'ep-one'): Landed => ({
  endpointId,
  at: at(NOW - ago),
  sent: { request: request(), change: changeOf({ id: `ch-${ago}`, kind }) },
})

test.each<[string, Partial<Parameters<typeof brakeAgainst>[2]>, string | undefined]>([
  ['nothing', {}, undefined],
  ['a process that began nine minutes ago', { daemonSince: at(NOW - 540) }, 'hold-off'],
  ['a process that began eleven minutes ago', { daemonSince: at(NOW - 660) }, undefined],
  ['a compute that was made yesterday', { createdAt: at(NOW - 23 * HOUR) }, 'compute too young'],
  ['a restart five hours ago', { landed: [landed(5 * HOUR)] }, 'compute pause'],
  ['a restart seven hours ago', { landed: [landed(7 * HOUR)] }, undefined],
  ['a delay five hours ago', { landed: [landed(5 * HOUR, 'delay')] }, undefined],
  ['a restart of another compute', { landed: [landed(5 * HOUR, 'sizing', 'ep-two')] }, undefined],
  ['somebody else’s request', { landed: [{ ...landed(HOUR), sent: undefined }] }, undefined],
  ['three restarts in a week', { landed: [24, 48, 72].map((hours) => landed(hours * HOUR)) }, 'per week'],
])('the brake against %s', (_, given, expected) => {
  const context = { landed: [], daemonSince: at(0), createdAt: at(0), ...given }
  expect(brakeAgainst(request(), byPolicy, context)).toBe(expected)
})

test.each<[string, number, Partial<Parameters<typeof changeOf>[0]>, boolean, approvedAgo?: number]>([
  ['an hour before a policy decided', HOUR, byPolicy, true],
  ['before a person approved what one had asked for', HOUR, { createdAt: at(NOW - 2 * HOUR) }, false, 60],
  ['after a person approved it', 30, { createdAt: at(NOW - 2 * HOUR) }, true, 60],
  ['before a person approved what a policy had decided', HOUR, byPolicy, true, 60],
  ['an hour before a person asked', HOUR, { createdAt: at(NOW - 60) }, false],
  ['after a person asked', 30, { createdAt: at(NOW - 60) }, true],
  ['too shortly before the request', 2, byPolicy, false],
  ['more than a day ago', 25 * HOUR, byPolicy, false],
])('a value that somebody set %s', (_, ago, fields, expected, approvedAgo) => {
  const values = new Map([['suspend_timeout_seconds', [{ at: at(NOW - ago), value: 300, isOurs: false }]]])
  const asked = {
    change: changeOf(fields),
    approvedAt: approvedAgo === undefined ? 0 : at(NOW - approvedAgo),
  }
  expect(overwrites(request(), asked, values)).toBe(expected)
  expect(overwrites(request({ fields: { disabled: true } }), asked, values)).toBe(false)
})

test.each([
  [
    'known, where it is as it was then',
    [
      [120, 300],
      [30, 900],
      [20, 300],
    ],
    false,
  ],
  [
    'overwritten, where it is another one',
    [
      [120, 300],
      [30, 900],
    ],
    true,
  ],
  [
    'overwritten, where a change of ours lay between',
    [
      [120, 300],
      [90, 60, true],
      [20, 300],
    ],
    true,
  ],
  [
    'no longer there, where a change of ours has replaced it',
    [
      [50, 300],
      [20, 60, true],
    ],
    false,
  ],
] as const)('a value of when a person asked, a minute ago, is %s', (_, set, expected) => {
  const values = set.map(([ago, value, isOurs = false]) => ({ at: at(NOW - ago), value, isOurs }))
  const asked = { change: changeOf({ createdAt: at(NOW - 60) }), approvedAt: 0 }
  expect(overwrites(request(), asked, new Map([['suspend_timeout_seconds', values]]))).toBe(expected)
})
