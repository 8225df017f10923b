import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partsInside } from '../../src/calendar/window.ts'
import { createZone } from '../../src/calendar/zone.ts'
import { buildWindows, windowsSchema } from '../../src/config/sections/windows.ts'
import { awakeRungs, policyHold } from '../../src/decide/policy-hold.ts'
import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../src/model/policy/change-policy.ts'
import type { Change, Hold } from '../../src/model/policy/change.ts'
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
const holdAt = (time: string, policy: ChangePolicy, change: Change = BY_POLICY) =>
  policyHold(change, { policy, windows: WINDOWS, duration: seconds(60), isForced: false }, iso(time))

const NIGHTLY = policyOf({ when: ['window'], windows: ['night', 'lunch'] })
const hold = (because: Hold['because'], until?: string): Hold => ({
  because,
  until: until === undefined ? undefined : iso(until),
})

describe('a policy', () => {
  test.each<[what: string, time: string, policy: ChangePolicy, expected: Hold | undefined]>([
    ['allows idle at any time', '05T10:00', policyOf({}), undefined],
    ['allows its window', '05T23:00', NIGHTLY, undefined],
    ['allows the second of its windows', '05T12:30', NIGHTLY, undefined],
    ['waits for the next of its windows', '05T10:00', NIGHTLY, hold('outside-window', '05T12:00')],
    // 60 s and 10 minutes before the end
    ['allows the last safe moment', '05T05:49', NIGHTLY, undefined],
    ['waits after the last safe moment', '05T05:50', NIGHTLY, hold('outside-window', '05T12:00')],
    [
      'forbids a denied window',
      '05T10:00',
      policyOf({ deny: ['office'] }),
      { ...hold('denied-window', '05T19:00'), detail: 'office' },
    ],
    ['forbids what would end in one', '05T07:59', policyOf({ deny: ['office'] }), undefined],
    [
      'forbids a denied window inside an allowed one',
      '05T12:30',
      policyOf({ when: ['window'], windows: ['lunch'], deny: ['office'] }),
      { ...hold('denied-window', '05T19:00'), detail: 'office' },
    ],
    ['no longer applies', '05T23:00', policyOf({}, { mode: 'approve' }), hold('policy')],
    ['no longer has the lever', '05T23:00', policyOf({}, { levers: ['delay'] }), hold('policy')],
  ])('%s', (_, time, policy, expected) => {
    expect(holdAt(time, policy)).toEqual(expected)
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
    const terms = { policy: policyOf({ when, windows: ['night'] }), windows: WINDOWS, duration: seconds(60) }
    const found = awakeRungs(terms, iso(time))
    // 60 s and 10 minutes before the end
    expect(found).toEqual(rungs && { ...rungs, lastSafe: iso('06T05:49') })
  })

  test('forbids what would not be over when a denied window opens', () => {
    const terms = {
      policy: policyOf({ deny: ['office'] }),
      windows: WINDOWS,
      duration: seconds(61),
      isForced: false,
    }
    expect(policyHold(BY_POLICY, terms, iso('05T07:59'))).toEqual({
      ...hold('denied-window', '05T19:00'),
      detail: 'office',
    })
  })

  test('holds no change that a person asked for, and no delay by its windows', () => {
    expect(holdAt('05T10:00', NIGHTLY, changeOf({ when: 'idle', state: SCHEDULED }))).toBeUndefined()
    expect(holdAt('05T10:00', NIGHTLY, { ...BY_POLICY, kind: 'delay' })).toBeUndefined()
  })

  test('holds what a person approved by its windows alone', () => {
    const approved = { ...BY_POLICY, state: { ...SCHEDULED, approvedBy: 'ann' } }
    const without: ChangePolicy = { ...NIGHTLY, mode: 'suggest', levers: [] }
    expect(holdAt('05T23:00', without, approved)).toBeUndefined()
    expect(holdAt('05T10:00', without, approved)).toEqual(hold('outside-window', '05T12:00'))
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
      const found = policyHold(BY_POLICY, { policy, windows, duration, isForced: false }, now)
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
