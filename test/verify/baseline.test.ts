import { describe, expect, test } from 'vitest'
import type { Rollup } from '../../src/model/ledger/rollup.ts'
import { instant } from '../../src/model/units.ts'
import { changeBaseline, expectedConnections, hourlyConnections } from '../../src/verify/baseline.ts'
import { at } from '../support/build.ts'
import { computeOf } from '../store/build.ts'

const HOUR = 3_600_000
const WEEK = 7 * 24 * HOUR
const NOW = at(0)

type Hour = Readonly<{
  ago: number
  hits?: number
  misses?: number
  connections?: readonly [sum: number, count: number]
}>

/** Only what is read of an hour. */
const hourOf = ({ ago, hits = 0, misses = 0, connections }: Hour) =>
  ({
    from: instant(NOW - ago),
    cache: { hits: 2 * hits, misses: 5 * misses, warmHits: hits, warmMisses: misses, over: HOUR },
    connections: connections && { count: connections[1], all: { sum: connections[0], max: 99 } },
  }) as unknown as Rollup

describe('the hit ratio before', () => {
  const entry = computeOf('ep-one', 'project-one')
  const read = {
    ...entry,
    reading: { ...entry.reading, cache: { totalHits: 500, totalMisses: 500 } },
  } as unknown as typeof entry
  test.each<[what: string, hours: readonly Hour[], ratio: number]>([
    [
      'of the warm accesses of a week',
      [
        { ago: HOUR, hits: 900, misses: 100 },
        { ago: WEEK, hits: 990, misses: 10 },
      ],
      0.945,
    ],
    [
      'without hours before it',
      [
        { ago: WEEK + 1, hits: 0, misses: 1000 },
        { ago: HOUR, hits: 1000 },
      ],
      1,
    ],
    ['of all readings, where the warm ones of a week are too few', [{ ago: HOUR, hits: 999 }], 0.5],
  ])('%s', (_, hours, ratio) => {
    expect(changeBaseline(read, hours.map(hourOf), NOW).hitRatio).toBe(ratio)
  })

  test('is undefined where nothing was read', () => {
    expect(changeBaseline(entry, [], NOW)).toEqual({
      hitRatio: undefined,
      cacheUsed: undefined,
      isAtLimit: false,
      isReadable: false,
      restarts: 0,
    })
  })
})

const mean = (ago: number, value: number): Hour => ({ ago, connections: [2 * value, 2] })

describe('expected connections', () => {
  test.each<[what: string, hours: readonly Hour[], expected: number | undefined]>([
    ['the lowest of the weeks before', [mean(WEEK, 8), mean(2 * WEEK, 5), mean(3 * WEEK, 9)], 5],
    [
      'of the hour that the instant is in',
      [mean(WEEK + HOUR - 1, 8), mean(2 * WEEK, 7), mean(WEEK + HOUR, 1)],
      7,
    ],
    ['one week is no pattern', [mean(WEEK, 8)], undefined],
    ['other hours say nothing', [mean(WEEK - HOUR, 8), mean(2 * WEEK - HOUR, 8)], undefined],
    ['the hour in progress is not before', [mean(0, 1), mean(WEEK, 8), mean(2 * WEEK, 8)], 8],
  ])('%s', (_, hours, expected) => {
    expect(expectedConnections(hourlyConnections(hours.map(hourOf)), NOW)).toBe(expected)
  })
})
