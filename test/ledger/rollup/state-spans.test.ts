import { expect, test } from 'vitest'
import { stateSpansBetween } from '../../../src/ledger/rollup/state-spans.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { at, compute } from '../../support/build.ts'

type Seen = readonly [when: number, over: Partial<Compute>]

const started = at(100)
const suspended = at(160)
const HOUR = 3600

test.each<readonly [string, Seen, Seen, readonly (readonly [string, number, number])[]]>([
  ['two looks that agree', [0, { state: 'active' }], [60, { state: 'active' }], [['active', 0, 60]]],
  ['a change that nothing dates', [0, { state: 'idle' }], [60, { state: 'active' }], []],
  [
    'a wake that the record dates',
    [60, { state: 'idle' }],
    [120, { state: 'active', startedAt: started }],
    [
      ['idle', 60, 100],
      ['active', 100, 120],
    ],
  ],
  [
    'a whole awake interval between two looks',
    [60, { state: 'idle' }],
    [200, { state: 'idle', startedAt: started, suspendedAt: suspended }],
    [
      ['idle', 60, 100],
      ['active', 100, 160],
      ['idle', 160, 200],
    ],
  ],
  [
    'a suspension and a wake between two looks',
    [120, { state: 'active', startedAt: at(10) }],
    [240, { state: 'active', startedAt: at(200), suspendedAt: suspended }],
    [
      ['active', 120, 160],
      ['idle', 160, 200],
      ['active', 200, 240],
    ],
  ],
  [
    'a suspension in the second of the look before',
    [159.5, { state: 'active', startedAt: started }],
    [240, { state: 'active', startedAt: at(200), suspendedAt: at(159) }],
    [
      ['idle', 159.5, 200],
      ['active', 200, 240],
    ],
  ],
  [
    'a restart',
    [60, { state: 'active', startedAt: at(10) }],
    [120, { state: 'active', startedAt: started }],
    [
      ['active', 60, 100],
      ['active', 100, 120],
    ],
  ],
  [
    'a suspension of a wake that nothing dates',
    [120, { state: 'idle' }],
    [200, { state: 'idle', suspendedAt: suspended }],
    [['idle', 160, 200]],
  ],
  [
    'a record that is behind its state',
    [60, { state: 'idle' }],
    [120, { state: 'idle', startedAt: started }],
    [['idle', 60, 100]],
  ],
  [
    'a long sleep that an unchanged record proves',
    [0, { state: 'idle', suspendedAt: at(-10) }],
    [9 * HOUR, { state: 'idle', suspendedAt: at(-10) }],
    [['idle', 0, 9 * HOUR]],
  ],
  ['a long absence without a record', [0, { state: 'idle' }], [HOUR, { state: 'idle' }], []],
  [
    'a long absence with a start in it, of a record that tells no suspensions and may hide some',
    [0, { state: 'idle' }],
    [HOUR, { state: 'active', startedAt: started }],
    [['active', 100, HOUR]],
  ],
  [
    'a suspension and a wake, so long after the look before that there may have been others',
    [0, { state: 'active', startedAt: at(-10) }],
    [700, { state: 'active', startedAt: at(600), suspendedAt: at(500) }],
    [
      ['idle', 500, 600],
      ['active', 600, 700],
    ],
  ],
  [
    'a suspension long after the look before, and no start since',
    [0, { state: 'active', startedAt: at(-10) }],
    [700, { state: 'idle', startedAt: at(-10), suspendedAt: at(500) }],
    [
      ['active', 0, 500],
      ['idle', 500, 700],
    ],
  ],
  [
    'days awake without a look: the last hour',
    [0, { state: 'active', startedAt: at(-10) }],
    [72 * HOUR, { state: 'active', startedAt: at(-10) }],
    [['active', 71 * HOUR, 72 * HOUR]],
  ],
  ['a clock that was set back', [60, { state: 'active' }], [0, { state: 'active' }], []],
])('%s', (_, [before, known], [when, seen], stretches) => {
  const found = stateSpansBetween(
    { compute: compute(known), at: at(before) },
    { compute: compute(seen), at: at(when) },
  )
  expect(found).toMatchObject(stretches.map(([state, from, to]) => ({ state, from: at(from), to: at(to) })))
})

const used = { state: 'active', startedAt: at(-1000), lastActive: at(-10) } as const

test.each<readonly [string, Seen, Seen, readonly boolean[]]>([
  ['two minutes apart', [0, used], [120, used], [true]],
  ['further apart', [0, used], [121, used], [false]],
  ['without activity fields', [0, { state: 'active' }], [60, { state: 'active' }], [false]],
  ['of a compute that nobody used', [0, { ...used, lastActive: undefined }], [60, used], [true]],
  ['asleep', [0, { state: 'idle' }], [60, { state: 'idle' }], [false]],
  [
    'far apart, a minute after a wake',
    [0, { state: 'idle', startedAt: at(-1000), suspendedAt: at(-10) }],
    [900, { ...used, startedAt: at(840), suspendedAt: at(-10) }],
    [false, true],
  ],
])('of looks %s, awake time is followed or not', (_, [before, known], [when, seen], followed) => {
  const found = stateSpansBetween(
    { compute: compute(known), at: at(before) },
    { compute: compute(seen), at: at(when) },
  )
  expect(found.map((span) => span.followed)).toEqual(followed)
})

test.each<
  readonly [string, listed: readonly [number, number], readonly (readonly [boolean, number, number])[]]
>([
  ['since before', [-500, 890], [[true, 0, 900]]],
  [
    'later',
    [600, 890],
    [
      [false, 0, 600],
      [true, 600, 900],
    ],
  ],
  [
    'no longer',
    [-500, 700],
    [
      [true, 0, 700],
      [false, 700, 900],
    ],
  ],
  ['only earlier', [-500, -100], [[false, 0, 900]]],
])('between looks far apart, activity is followed while lists show it: %s', (_, [from, to], spans) => {
  const found = stateSpansBetween(
    { compute: compute(used), at: at(0) },
    { compute: compute(used), at: at(900), listed: { from: at(from), to: at(to) } },
  )
  expect(found.map((one) => [one.followed, (one.from - at(0)) / 1000, (one.to - at(0)) / 1000])).toEqual(
    spans,
  )
})
