import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWindow, partsInside, type Window } from '../../src/calendar/window.ts'
import { createZone } from '../../src/calendar/zone.ts'
import { buildWindows, windowsSchema } from '../../src/config/sections/windows.ts'
import { awakeRungs, policyHold, type ProjectWindows } from '../../src/decide/policy-hold.ts'
import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../src/model/policy/change-policy.ts'
import type { Change } from '../../src/model/policy/change.ts'
import type { Hold } from '../../src/model/policy/hold.ts'
import { after, instant, seconds } from '../../src/model/units.ts'
import { bySize } from '../support/tiers.ts'
import { changeOf, SCHEDULED } from '../support/changes.ts'

function windowsOf(entries: Record<string, unknown>, name = 'UTC') {
  const timezone = createZone(name)
  if (!timezone.ok) throw new Error(timezone.error)
  return buildWindows({ timezone: timezone.value, calendars: {}, windows: windowsSchema.parse(entries) })
    .windows
}
const WINDOWS = windowsOf({ night: '22:00-06:00', lunch: '12:00-13:00', office: 'Mon-Fri 08:00-19:00' })
const CLOSING = windowsOf({ early: '05:00-08:00', dawn: '04:00-05:00', midnight: '00:00-01:00' })

const iso = (text: string) => instant(Date.parse(`2026-01-${text}:00Z`))
const policyOf = (restart: Partial<ChangePolicy['restart']>, over: Partial<ChangePolicy> = {}) => ({
  mode: 'apply' as const,
  levers: ['sizing', 'delay'] as const,
  restart: { ...DEFAULT_RESTART_RULES, ...restart },
  path: 'policies[0]',
  ...over,
})
const BY_POLICY = changeOf({ when: 'policy', state: SCHEDULED })

/** On Monday, 5 January 2026. */
const holdAt = (
  time: string,
  policy: ChangePolicy,
  { change = BY_POLICY, ofProject }: Readonly<{ change?: Change; ofProject?: ProjectWindows }> = {},
) =>
  policyHold(
    change,
    { policy, windows: WINDOWS, ofProject, duration: seconds(60), isForced: false },
    iso(time),
  )

/** Rungs of a change that takes 60 s, without freezes and windows of the project where none are given. */
const rungsAt = (time: string, policy: ChangePolicy, over: Partial<Parameters<typeof awakeRungs>[0]> = {}) =>
  awakeRungs(
    { policy, windows: WINDOWS, freezes: [], ofProject: undefined, duration: seconds(60), ...over },
    iso(time),
  )

const NIGHTLY = policyOf({ when: ['window'], windows: ['night', 'lunch'] })
const hold = (because: Hold['because'], until?: string): Hold => ({
  because,
  until: until === undefined ? undefined : iso(until),
})
const denied = (window: string, until?: string): Hold => ({ ...hold('denied-window', until), detail: window })

describe('a policy', () => {
  test.each<[what: string, time: string, policy: ChangePolicy, expected: Hold | undefined]>([
    ['allows idle at any time', '05T10:00', policyOf({}), undefined],
    ['allows its window', '05T23:00', NIGHTLY, undefined],
    ['allows the second of its windows', '05T12:30', NIGHTLY, undefined],
    ['waits for the next of its windows', '05T10:00', NIGHTLY, hold('outside-window', '05T12:00')],
    // 60 s and 10 minutes before the end
    ['allows the last safe moment', '05T05:49', NIGHTLY, undefined],
    ['waits after the last safe moment', '05T05:50', NIGHTLY, hold('outside-window', '05T12:00')],
    ['forbids a denied window', '05T10:00', policyOf({ deny: ['office'] }), denied('office', '05T19:00')],
    ['forbids what would end in one', '05T07:59', policyOf({ deny: ['office'] }), undefined],
    [
      'forbids a denied window inside an allowed one',
      '05T12:30',
      policyOf({ when: ['window'], windows: ['lunch'], deny: ['office'] }),
      denied('office', '05T19:00'),
    ],
    ['no longer applies', '05T23:00', policyOf({}, { mode: 'approve' }), hold('policy')],
    ['no longer has the lever', '05T23:00', policyOf({}, { levers: ['delay'] }), hold('policy')],
  ])('%s', (_, time, policy, expected) => {
    expect(holdAt(time, policy)).toEqual(expected)
  })

  test.each<[what: string, mode: ChangePolicy['mode'], origin: Change['origin'], expected: Hold | undefined]>(
    [
      ['a revert', 'apply', { by: 'revert', of: 'ch-two', name: 'policies[0]' }, undefined],
      [
        'a put-back',
        'apply',
        { by: 'schedule', name: 'office', period: iso('05T08:00'), of: 'ch-two' },
        undefined,
      ],
      ['a step', 'apply', { by: 'schedule', name: 'office', period: iso('05T08:00') }, hold('policy')],
      ['a revert', 'approve', { by: 'revert', of: 'ch-two', name: 'policies[0]' }, hold('policy')],
    ],
  )('without the lever, %s in the mode %s', (_, mode, origin, expected) => {
    const policy = policyOf({}, { mode, levers: [] })
    expect(holdAt('05T23:00', policy, { change: { ...BY_POLICY, origin } })).toEqual(expected)
  })

  test.each<[what: string, time: string, when: ChangePolicy['restart']['when'], rungs: unknown]>([
    ['quiet, inside its window', '05T23:00', ['quiet'], { quiet: true, lowestLoad: false }],
    ['the lowest load, inside its window', '05T23:00', ['window'], { quiet: false, lowestLoad: true }],
    ['both', '05T23:00', ['idle', 'quiet', 'window'], { quiet: true, lowestLoad: true }],
    ['both, at the last safe moment', '06T05:49', ['quiet', 'window'], { quiet: true, lowestLoad: true }],
    ['nothing after it', '06T05:50', ['quiet', 'window'], undefined],
    ['nothing outside of it', '05T10:00', ['quiet', 'window'], undefined],
    ['nothing with idle and natural', '05T23:00', ['idle', 'natural'], undefined],
  ])('allows an awake compute %s', (_, time, when, rungs) => {
    const policy = policyOf({ when, windows: ['night'] })
    // 60 s and 10 minutes before the end
    expect(rungsAt(time, policy)).toEqual(rungs && { ...rungs, lastSafe: iso('06T05:49') })
  })

  test.each<[what: string, time: string, deny: readonly string[], freezes: readonly string[], at: string]>([
    ['before a denied window', '05T23:00', ['early'], [], '06T04:59'],
    ['before a freeze', '05T23:00', [], ['early'], '06T04:59'],
    ['before the first of several that follow each other', '05T23:00', ['early'], ['dawn'], '06T03:59'],
    ['after one that closes again', '05T23:00', ['midnight'], [], '06T05:49'],
  ])('has its last safe moment %s', (_, time, deny, frozen, lastSafe) => {
    const policy = policyOf({ when: ['window'], windows: ['night'], deny })
    const freezes = frozen.map((name) => [name, CLOSING.get(name)] as const)
    const windows = new Map([...WINDOWS, ...CLOSING])
    expect(rungsAt(time, policy, { windows, freezes })?.lastSafe).toEqual(iso(lastSafe))
  })

  test('forbids what would not be over when a denied window opens', () => {
    const terms = {
      policy: policyOf({ deny: ['office'] }),
      windows: WINDOWS,
      ofProject: undefined,
      duration: seconds(61),
      isForced: false,
    }
    expect(policyHold(BY_POLICY, terms, iso('05T07:59'))).toEqual(denied('office', '05T19:00'))
  })

  test('holds no change that a person asked for, and no delay by its windows', () => {
    expect(
      holdAt('05T10:00', NIGHTLY, { change: changeOf({ when: 'idle', state: SCHEDULED }) }),
    ).toBeUndefined()
    expect(holdAt('05T10:00', NIGHTLY, { change: { ...BY_POLICY, kind: 'delay' } })).toBeUndefined()
  })

  test('holds what a person approved by its windows alone', () => {
    const change = { ...BY_POLICY, state: { ...SCHEDULED, approvedBy: 'ann' } }
    const without: ChangePolicy = { ...NIGHTLY, mode: 'suggest', levers: [] }
    expect(holdAt('05T23:00', without, { change })).toBeUndefined()
    expect(holdAt('05T10:00', without, { change })).toEqual(hold('outside-window', '05T12:00'))
  })
})

const once = (from: string, to: string): Window =>
  createWindow([{ kind: 'once', from: iso(from), to: iso(to) }])

const projectWindows = (service: Window | undefined, beforeUpdate?: Window): ProjectWindows => ({
  service,
  beforeUpdate,
})

describe('the windows of a project', () => {
  const SERVICE = once('05T02:00', '05T05:00')
  const NONE = createWindow([])
  const BY_SERVICE = policyOf({ when: ['window'], windows: ['service'] })
  const DENIED = policyOf({ when: ['idle'], deny: ['service'] })
  const before = once('05T10:00', '05T10:30')

  test.each<
    [
      what: string,
      time: string,
      policy: ChangePolicy,
      ofProject: ProjectWindows | undefined,
      expected: Hold | undefined,
    ]
  >([
    ['service allows', '05T03:00', BY_SERVICE, projectWindows(SERVICE), undefined],
    // 60 s and 10 minutes before the end
    ['service allows the last safe moment', '05T04:49', BY_SERVICE, projectWindows(SERVICE), undefined],
    ['service is too short by then', '05T04:50', BY_SERVICE, projectWindows(SERVICE), hold('outside-window')],
    [
      'service opens later',
      '05T01:00',
      BY_SERVICE,
      projectWindows(SERVICE),
      hold('outside-window', '05T02:00'),
    ],
    ['the project has no service', '05T03:00', BY_SERVICE, projectWindows(NONE), hold('outside-window')],
    ['service is not readable', '05T03:00', BY_SERVICE, projectWindows(undefined), hold('outside-window')],
    ['service was not read', '05T03:00', BY_SERVICE, undefined, hold('outside-window')],
    ['service is denied', '05T03:00', DENIED, projectWindows(SERVICE), denied('service', '05T05:00')],
    ['service is denied, and closed', '05T06:00', DENIED, projectWindows(SERVICE), undefined],
    ['service is denied, and there is none', '05T03:00', DENIED, projectWindows(NONE), undefined],
    ['service is denied, and not readable', '05T03:00', DENIED, projectWindows(undefined), denied('service')],
    ['service is denied, and was not read', '05T03:00', DENIED, undefined, denied('service')],
    ['an update is announced', '05T10:00', NIGHTLY, projectWindows(NONE, before), undefined],
    [
      'an update is announced for later',
      '05T09:59',
      NIGHTLY,
      projectWindows(NONE, before),
      hold('outside-window', '05T10:00'),
    ],
    [
      'an update is announced for too soon',
      '05T10:20',
      NIGHTLY,
      projectWindows(NONE, before),
      hold('outside-window', '05T12:00'),
    ],
    [
      'an update was announced',
      '05T10:31',
      NIGHTLY,
      projectWindows(NONE, before),
      hold('outside-window', '05T12:00'),
    ],
    [
      'an update is announced into a denied window',
      '05T10:05',
      policyOf({ when: ['window'], windows: ['night'], deny: ['office'] }),
      projectWindows(NONE, before),
      denied('office', '05T19:00'),
    ],
    [
      'an update is announced where the window is not readable',
      '05T10:05',
      BY_SERVICE,
      projectWindows(undefined, before),
      undefined,
    ],
  ])('%s', (_, time, policy, ofProject, expected) => {
    expect(holdAt(time, policy, ofProject && { ofProject })).toEqual(expected)
  })

  test.each<[what: string, time: string, windows: readonly string[], lastSafe: string | undefined]>([
    ['inside service', '05T03:00', ['service'], '05T04:49'],
    ['before an announced update', '05T10:00', ['service'], '05T10:19'],
    ['not at another time', '05T09:00', ['service'], undefined],
    ['nor right before the update', '05T10:20', ['service'], undefined],
    ['in the one that is open for longer', '05T12:05', ['lunch'], '05T12:49'],
  ])('allow an awake compute to be restarted %s', (_, time, windows, lastSafe) => {
    const policy = policyOf({ when: ['window'], windows })
    const ofProject = projectWindows(SERVICE, before)
    const rungs = { quiet: false, lowestLoad: true }
    expect(rungsAt(time, policy, { ofProject })).toEqual(lastSafe && { ...rungs, lastSafe: iso(lastSafe) })
  })
})

const ZONES = bySize(Intl.supportedValuesOf('timeZone'), [
  'Europe/Berlin',
  'America/St_Johns',
  'Pacific/Apia',
])
const YEAR = { min: iso('01T00:00'), max: Date.parse('2027-01-01T00:00:00Z') }

test.each(ZONES)('no change begins or ends outside of its window in a year of %s', (zone) => {
  const windows = windowsOf({ night: { days: 'Sat-Tue', from: '22:30', to: '03:15' } }, zone)
  const [night] = windows.values()
  const policy = policyOf({ when: ['window'], windows: ['night'], closeEarly: seconds(300) })
  fc.assert(
    fc.property(fc.integer(YEAR), fc.integer({ min: 1, max: 7200 }), (time, took) => {
      const [now, duration] = [instant(time), seconds(took)]
      const found = policyHold(
        BY_POLICY,
        { policy, windows, ofProject: undefined, duration, isForced: false },
        now,
      )
      if (!night) throw new Error('there is no window')
      const isInside = partsInside(night, now, after(now, seconds(took + 300))).some(
        ({ from, to }) => from <= now && to >= after(now, seconds(took + 300)),
      )
      expect(found === undefined).toBe(isInside)
      const opensAt = found ? night.at(found.until ?? now)?.from : undefined
      expect(opensAt).toBe(found?.until)
      expect(opensAt ?? Infinity).toBeGreaterThan(now)
    }),
    { numRuns: bySize(25, 100) },
  )
})
