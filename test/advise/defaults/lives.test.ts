// Gaps in the lives of computes, which the defaults of their project are judged by.
import { expect, test } from 'vitest'
import { livesSince } from '../../../src/advise/defaults/lives.ts'
import type { ComputeLife } from '../../../src/advise/defaults/input.ts'
import { millis, SECOND, seconds } from '../../../src/model/units.ts'
import { adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { defaultsInput, lifeFrom } from './build.ts'

const DELETED = 20_000

/** Seconds after the start of the life; `tail` without clients at its end. */
type Awake = readonly [from: number, to: number, tail: number, restart?: 'restart']

const settled = ([from, to, tail, restart]: Awake): ComputeLife['intervals'][number] => ({
  ref: adviseRef,
  interval: { ...awakeInterval(from, to), restart: restart === 'restart' },
  cuTime: {},
  idleTail: millis(tail * SECOND),
  attribution: {},
})

/** No client from `from` on, for `length` seconds. */
type Silence = readonly [from: number, length: number]

const stored = ([from, length]: Silence): ComputeLife['gaps'][number] => ({
  ref: adviseRef,
  from: at(from),
  low: seconds(length),
  high: seconds(length),
  hiddenBelow: seconds(0),
})

test.each<readonly [string, readonly Awake[], readonly Silence[], readonly Silence[]]>([
  [
    'over a suspension, and until the deletion',
    [
      [0, 3000, 300],
      [6000, 9000, 300],
    ],
    [],
    [
      [2700, 3300],
      [8700, 11_300],
    ],
  ],
  [
    'over a restart that a client came after',
    [
      [0, 3000, 2600],
      [3001, 9600, 3600, 'restart'],
    ],
    [[400, 5600]],
    [
      [400, 5600],
      [6000, 14_000],
    ],
  ],
  [
    'over a restart that no client came after',
    [
      [0, 3000, 2600],
      [3001, 4001, 1000, 'restart'],
    ],
    [],
    [[400, 19_600]],
  ],
  [
    'over two restarts, and the suspension after them',
    [
      [0, 3000, 2600],
      [3001, 4001, 1000, 'restart'],
      [4002, 5002, 1000, 'restart'],
      [8400, 9000, 300],
    ],
    [],
    [
      [400, 8000],
      [8700, 11_300],
    ],
  ],
  [
    'none over a restart in use',
    [
      [0, 3000, 0],
      [3001, 4300, 300, 'restart'],
    ],
    [],
    [[4000, 16_000]],
  ],
])('%s', (_, awake, gaps, expected) => {
  const life = lifeFrom(0, {
    deletedAt: at(DELETED),
    intervals: awake.map(settled),
    gaps: gaps.map(stored),
  })
  const lives = livesSince(defaultsInput({ lives: [life] }), at(0))
  const found = lives.flatMap((one) => one.gaps)
  expect(found.map(({ from, length }) => [(from - at(0)) / SECOND, length.likely])).toEqual(expected)
})
