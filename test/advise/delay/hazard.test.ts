import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { awakeInGap, gapGroups, savedTime, savedTimeIn, wakesUnder } from '../../../src/advise/backtest.ts'
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
  length: 60 * steps,
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

const judged = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 9e5 }), fc.integer({ min: 60, max: 90_000 })), { maxLength: 40 })
  .map((gaps) =>
    gaps.map(([from, likely]) => ({
      from: instant(1000 * from),
      length: { low: seconds(likely - 30), likely: seconds(likely), high: seconds(likely + 30) },
    })),
  )
const delay = fc.oneof(fc.integer({ min: 60, max: 5000 }).map(seconds), fc.constant<'never'>('never'))

describe('groups of gaps', () => {
  test('give awake time and wakes of every delay that they were made for', () => {
    check(
      fc.property(judged, delay, delay, (gaps, one, other) => {
        const groups = gapGroups(gaps, [one, other], seconds(60))
        for (const asked of [one, other, seconds(300), seconds(3600), 'never' as const]) {
          const awake = groups.reduce(
            (sum, { low, high, count }) => sum + count * awakeInGap((low + high) / 2, asked),
            0,
          )
          const wakes = groups.reduce(
            (sum, { low, high, count }) =>
              sum + count * Number(asked !== 'never' && (low + high) / 2 > asked),
            0,
          )
          expect(awake).toBeCloseTo(
            gaps.reduce((sum, { length: of }) => sum + awakeInGap(of.likely, asked), 0),
            3,
          )
          expect(wakes).toBe(wakesUnder(gaps, asked))
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
