import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  awakeInGap,
  gapGroups,
  lengthBounds,
  savedTime,
  savedTimeIn,
  wakesUnder,
} from '../../../src/advise/backtest.ts'
import { binOf, hiOf, loOf } from '../../../src/advise/delay/bins.ts'
import { expectedCosts, gapHazard } from '../../../src/advise/delay/hazard.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'

const length = fc.integer({ min: 1, max: 1_000_000 })

describe('bins', () => {
  test('every length lies in its bin', () => {
    check(fc.property(length, (steps) => loOf(binOf(steps)) <= steps && steps <= hiOf(binOf(steps))))
  })

  test.each([
    [1, [1, 1]],
    [32, [32, 32]],
    [33, [33, 34]],
    [64, [63, 64]],
    [65, [65, 68]],
    [128, [125, 128]],
    [129, [129, 136]],
  ])('%i steps', (steps, bounds) => {
    expect([loOf(binOf(steps)), hiOf(binOf(steps))]).toEqual(bounds)
  })
})

const gap = (steps: number, over: { hiddenBelow?: number; isOpen?: boolean } = {}) => ({
  low: 60 * steps,
  high: 60 * steps,
  hiddenBelow: 0,
  ...over,
})

describe('the hazard', () => {
  test('grows where gaps end, and falls where they go on', () => {
    const before = gapHazard([], 60)
    const hazard = gapHazard([gap(3), gap(3), gap(3)], 60)
    expect(hazard(binOf(3))).toBeGreaterThan(before(binOf(3)))
    expect(hazard(binOf(2))).toBeLessThan(before(binOf(2)))
    expect(hazard(binOf(4))).toBe(before(binOf(4)))
  })

  test('a gap whose bounds lie in two bins counts in both, by their share', () => {
    const shared = gapHazard([{ low: 45, high: 105, hiddenBelow: 0 }], 60)
    const before = gapHazard([], 60)
    // the weight of the prior is two gaps
    expect(shared(0)).toBeCloseTo((0.25 + 2 * before(0)) / (1 + 2), 9)
    expect(shared(1)).toBeCloseTo((0.75 + 2 * before(1)) / (0.75 + 2), 9)
    expect(shared(2)).toBe(before(2))
  })

  test('a gap in progress tells of the bins that it has passed', () => {
    const open = gapHazard([gap(3, { isOpen: true })], 60)
    const before = gapHazard([], 60)
    expect(open(binOf(3))).toBeLessThan(before(binOf(3)))
    expect(open(binOf(4))).toBe(before(binOf(4)))
  })

  test('a gap tells nothing of lengths that were hidden then', () => {
    const hidden = gapHazard([gap(8, { hiddenBelow: 300 })], 60)
    const before = gapHazard([], 60)
    expect([1, 5].map((steps) => hidden(binOf(steps)))).toEqual([1, 5].map((steps) => before(binOf(steps))))
    expect(hidden(binOf(6))).toBeLessThan(before(binOf(6)))
  })

  test('with many gaps the expected cost is the mean cost', () => {
    const gaps = Array.from({ length: 20_000 }, (_, at) => gap([2, 5, 20][at % 3] ?? 1))
    const [short, long] = expectedCosts(gapHazard(gaps, 60), [3, 10], 5)
    expect(short).toBeCloseTo((2 + 8 + 8) / 3, 1)
    expect(long).toBeCloseTo((2 + 5 + 15) / 3, 1)
  })
})

const begin = fc.integer({ min: 0, max: 9e5 })
const width = fc.constantFrom(0, 1, 60, 600)
const judged = fc
  .array(fc.tuple(begin, fc.integer({ min: 0, max: 90_000 }), width), { maxLength: 40 })
  .map((gaps) =>
    gaps.map(([start, low, wide]) => ({
      from: instant(1000 * start),
      length: lengthBounds({ low: seconds(low), high: seconds(low + wide) }),
    })),
  )
/** The same length for certain, over and over: each second inside the bounds once. */
const spread = ({ low, high }: { low: number; high: number }) =>
  low === high ? [low] : Array.from({ length: high - low }, (_, at) => low + at + 0.5)
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const delay = fc.oneof(fc.integer({ min: 60, max: 5000 }).map(seconds), fc.constant<'never'>('never'))

describe('a gap', () => {
  test.each([
    ['shorter than the delay', { low: 40, high: 60 }, { low: 40, likely: 50, high: 60 }, 0],
    ['longer', { low: 61, high: 90 }, { low: 60, likely: 60, high: 60 }, 1],
    [
      'that may be either',
      { low: 45, high: 105 },
      { low: 45, likely: 0.25 * 52.5 + 0.75 * 60, high: 60 },
      0.75,
    ],
    ['of exactly the delay', { low: 60, high: 60 }, { low: 60, likely: 60, high: 60 }, 0],
  ])('%s', (_, { low, high }, awake, wakes) => {
    const bounds = lengthBounds({ low: seconds(low), high: seconds(high) })
    expect(awakeInGap(bounds, seconds(60))).toEqual(awake)
    expect(wakesUnder([{ from: instant(0), length: bounds }], seconds(60))).toBe(wakes)
  })

  test('costs on average what the lengths inside its bounds cost', () => {
    check(
      fc.property(judged, fc.integer({ min: 60, max: 5000 }).map(seconds), (gaps, asked) => {
        for (const one of gaps) {
          const lengths = spread(one.length)
          expect(awakeInGap(one.length, asked).likely).toBeCloseTo(
            mean(lengths.map((each) => Math.min(each, asked))),
            6,
          )
          expect(wakesUnder([one], asked)).toBeCloseTo(mean(lengths.map((each) => Number(each > asked))), 6)
        }
      }),
    )
  })
})

describe('groups of gaps', () => {
  test('have the parts of a gap on both sides of a delay', () => {
    const bounds = lengthBounds({ low: seconds(45), high: seconds(105) })
    expect(gapGroups([{ from: instant(0), length: bounds }], [seconds(90)], seconds(60))).toEqual([
      { low: 45, high: 60, count: 0.25 },
      { low: 60, high: 90, count: 0.5 },
      { low: 90, high: 105, count: 0.25 },
    ])
  })

  test('give awake time and wakes of every delay that they were made for', () => {
    check(
      fc.property(judged, delay, delay, (gaps, one, other) => {
        const groups = gapGroups(gaps, [one, other], seconds(60))
        for (const asked of [one, other, seconds(300), seconds(3600), 'never' as const]) {
          const awake = groups.reduce(
            (sum, { low, high, count }) =>
              sum + count * (asked === 'never' ? (low + high) / 2 : Math.min((low + high) / 2, asked)),
            0,
          )
          const wakes = groups.reduce(
            (sum, { low, high, count }) =>
              sum + count * Number(asked !== 'never' && (low + high) / 2 > asked),
            0,
          )
          expect(awake).toBeCloseTo(
            gaps.reduce((sum, { length: of }) => sum + awakeInGap(of, asked).likely, 0),
            3,
          )
          expect(wakes).toBeCloseTo(wakesUnder(gaps, asked), 6)
        }
      }),
    )
  })

  test('the saving of parts of the time adds up to the saving', () => {
    check(
      fc.property(judged, delay, delay, (gaps, from, to) => {
        const edges = [0, 3e8, 5e8, 2e9].map(instant)
        const parts = edges
          .slice(1)
          .map((end, at) =>
            gaps.reduce(
              (sum, one) => sum + savedTimeIn(one, { from, to }, { from: edges[at] ?? end, to: end }),
              0,
            ),
          )
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(
          savedTime(gaps, { from, to }).likely,
          3,
        )
      }),
    )
  })
})
