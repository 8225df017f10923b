// Parts of policies that could never have an effect: a problem where that holds for good, a warning where it depends on the time or on
// other policies.
import { expect, test } from 'vitest'
import { at } from '../../support/zones.ts'
import { GOOD, loadAll, problemsOf } from '../loading.ts'

const SECTIONS = `
calendars: { holidays: { dates: ["2026-12-25"] } }
windows:
  night: "22:00-06:00"
  evening: "20:00-00:00"
  late: "20:00-23:30"
  day: "06:00-22:00"
  workdays: { from: "22:00", to: "06:00", except: [holidays] }
  sale: { from: "2026-11-20T00:00", to: "2026-11-22T00:00" }
  sales: [{ from: "2026-11-20T00:00", to: "2026-11-22T00:00" }, { from: "2027-11-20T00:00", to: "2027-11-22T00:00" }]
  autumn: { from: "2026-11-01T00:00", to: "2026-12-01T00:00" }
policies:
`
const fileOf = (...policies: readonly string[]) =>
  `${GOOD}${SECTIONS}${policies.map((policy) => `  - ${policy}\n`).join('')}`

const denied = (more: string) => `{ restart: { when: [window], ${more} } }`
const NO_ROOM =
  'policies[0].restart.deny: no change fits into restart.windows beside it: expected close_early and a change, 610s, outside of it'

test.each<[string, string, readonly string[]]>([
  ['the window itself', denied('windows: [night], deny: [night]'), [NO_ROOM]],
  ['all of the window', denied('windows: [night], deny: [evening, workdays, night]'), [NO_ROOM]],
  ['all of the window but a holiday', denied('windows: [night], deny: [workdays]'), []],
  ['part of the window', denied('windows: [night], deny: [evening]'), []],
  [
    'all but the time before the window closes',
    denied('windows: [evening], deny: [late], close_early: 1h'),
    [NO_ROOM.replace('610', '3610')],
  ],
  ['another window', denied('windows: [night], deny: [day]'), []],
  ['one of two windows', denied('windows: [night, day], deny: [night]'), []],
  ['a window once, for a time', denied('windows: [night], deny: [autumn]'), []],
  ['all of a window that opens once', denied('windows: [sale], deny: [autumn]'), [NO_ROOM]],
  ['what the service may add to', denied('windows: [night, service], deny: [night]'), []],
])('a policy that denies %s', (_, policy, problems) => {
  expect(problemsOf(fileOf(policy))).toEqual(problems)
})

const NO_PROJECT = (key: string) =>
  `policies[0].levers: expected none of defaults beside match.${key}: the defaults of a project are not those of some of its computes`

test.each<[string, readonly string[]]>([
  ['{ match: { project: shop }, levers: [defaults] }', []],
  ['{ match: { compute: "*" }, levers: [defaults] }', []],
  ['{ match: { compute: ep-a }, levers: [delay] }', []],
  ['{ match: { compute: ep-a }, levers: [defaults] }', [NO_PROJECT('compute')]],
  [
    '{ match: { branch: br-a, compute: ep-a }, levers: [delay, defaults] }',
    [NO_PROJECT('branch and match.compute')],
  ],
  ['{ match: { type: read_only }, levers: [defaults] }', [NO_PROJECT('type')]],
])('a policy with the lever defaults: %s', (policy, problems) => {
  expect(problemsOf(fileOf(policy))).toEqual(problems)
})

const schedule = (window: string) => `autosuspend: { schedule: [{ in: ${window}, delay: 15m }] }`
const over = (path: string, window: string) =>
  `policies[0].${path}: ${window} is over and does not open again`

test.each<[string, readonly string[], readonly string[]]>([
  ['a window that opens again', [denied('windows: [night, sales]')], []],
  ['a window that is open', [denied('windows: [autumn]')], []],
  ['a window that is over', [denied('windows: [night, sale]')], [over('restart.windows[1]', 'sale')]],
  ['the window of the service', [denied('windows: [service]')], []],
  [
    'a schedule that is over',
    [`{ ${schedule('sale')}, levers: [delay] }`],
    [over('autosuspend.schedule[0].in', 'sale')],
  ],
  [
    'warm-ups that are over',
    ['{ warm: { in: sale }, levers: [warm], mode: apply }'],
    [over('warm.in', 'sale')],
  ],
  ['a schedule with its lever', [`{ ${schedule('night')}, levers: [delay] }`], []],
  [
    'a schedule with the lever of another policy',
    [`{ ${schedule('night')} }`, '{ match: { project: a }, levers: [delay] }'],
    [],
  ],
  [
    'a schedule without levers',
    [`{ ${schedule('night')} }`],
    ['policies[0].autosuspend.schedule: does nothing without the lever delay, which no policy has'],
  ],
  [
    'a schedule beside other levers',
    [`{ ${schedule('night')}, levers: [sizing] }`, '{ match: { project: a }, levers: [delay] }'],
    [
      'policies[0].autosuspend.schedule: does nothing without the lever delay, which policies[0].levers leaves out',
    ],
  ],
  [
    'warm-ups without levers',
    ['{ warm: { in: night } }'],
    ['policies[0].warm: does nothing without the lever warm, which no policy has'],
  ],
])('warnings of %s', (_, policies, warnings) => {
  const loaded = loadAll(fileOf(...policies))
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  expect(loaded.value.warnings(at('2026-11-28T00:00:00Z'))).toEqual(warnings)
})
