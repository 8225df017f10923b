import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lagOf, reconciled, sharedOut, type Counted } from '../../src/account/reconcile.ts'
import { cuMillis, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { check } from '../support/property.ts'

const HOUR = 3600
const lag = seconds(900)

/** One CU all the time, known to a hundredth, written down every ten minutes. */
const history: readonly Counted[] = Array.from({ length: 25 }, (_, index) => ({
  at: at(index * 600),
  cuTime: {
    low: cuMillis(index * 600_000 * 0.99),
    likely: cuMillis(index * 600_000),
    high: cuMillis(index * 600_000 * 1.01),
  },
}))

test.each([
  ['as much as was used a lag ago', 4 * HOUR - 900, 0],
  ['as much as is used by now', 4 * HOUR, 0],
  ['less than was surely used a lag ago', 3 * HOUR, -0.1736],
  ['more than can have been used', 5 * HOUR, 0.192],
])('a count of %s', (_, cuSeconds, outside) => {
  const found = reconciled(history, { at: at(4 * HOUR), cuSeconds }, { lag, before: undefined })
  expect(found?.outside).toBeCloseTo(outside, 3)
  expect(found?.isOff).toBe(false)
})

test('what is outside for two polls is off, and what is inside again is not', () => {
  const poll = (cuSeconds: number, before?: ReturnType<typeof reconciled>) =>
    reconciled(history, { at: at(4 * HOUR), cuSeconds }, { lag, before })
  const first = poll(5 * HOUR)
  expect(poll(5 * HOUR, first)?.isOff).toBe(true)
  expect(poll(4 * HOUR, first)?.isOff).toBe(false)
})

test('at the start of a period a count of nothing is right', () => {
  expect(
    reconciled(history.slice(0, 2), { at: at(600), cuSeconds: 0 }, { lag, before: undefined }),
  ).toMatchObject({ outside: 0, isOff: false })
})

test('the lag is how long ago we had counted as much, and unknown while nothing is used', () => {
  expect(lagOf(history, { at: at(4 * HOUR), cuSeconds: 3.5 * HOUR })).toBe(1800)
  expect(lagOf(history, { at: at(4 * HOUR), cuSeconds: 4 * HOUR })).toBeUndefined()
  expect(lagOf([], { at: at(4 * HOUR), cuSeconds: 0 })).toBeUndefined()
})

test('what is shared out lies between the bounds of each and adds up to the total, where that is possible', () => {
  const bounds = fc
    .tuple(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 0, max: 10 ** 9 }))
    .map(([a, b]) => ({
      low: cuMillis(Math.min(a, b)),
      likely: cuMillis(Math.min(a, b)),
      high: cuMillis(Math.max(a, b)),
    }))
  check(
    fc.property(
      fc.array(bounds, { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 0, max: 10 ** 10 }),
      (all, total) => {
        const shares = sharedOut(cuMillis(total), all)
        shares.forEach((share, index) => {
          expect(share).toBeGreaterThanOrEqual(all[index]?.low ?? Infinity)
          expect(share).toBeLessThanOrEqual(all[index]?.high ?? -Infinity)
        })
        const sum = (pick: 'low' | 'high'): number => all.reduce((whole, one) => whole + one[pick], 0)
        const possible = Math.min(sum('high'), Math.max(sum('low'), total))
        expect(Math.abs(shares.reduce((whole, share) => whole + share, 0) - possible)).toBeLessThanOrEqual(
          all.length,
        )
      },
    ),
  )
})
