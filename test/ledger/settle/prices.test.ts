import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replacePricesFrom } from '../../../src/ledger/settle/prices.ts'
import { priceAt } from '../../../src/ledger/settle/slices.ts'
import type { Prices } from '../../../src/model/ledger/quantities.ts'
import { instant, micros } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'

const list = (...periods: readonly (readonly [from: number, perCuHour: number])[]): Prices => ({
  currency: 'USD',
  periods: periods.map(([from, perCuHour]) => ({ from: instant(from), perCuHour: micros(perCuHour) })),
})
const NOW = instant(1000)

test.each([
  ['one that holds for all time', list([10, 1]), list([0, 2]), list([10, 1], [1000, 2])],
  ['the past told otherwise', list([10, 1], [500, 2]), list([10, 7], [600, 2]), list([10, 1], [500, 2])],
  [
    'the past told otherwise, and the present',
    list([10, 1], [500, 2]),
    list([10, 7], [600, 3]),
    list([10, 1], [500, 2], [1000, 3]),
  ],
  ['one to come', list([10, 1]), list([10, 1], [2000, 2]), list([10, 1], [2000, 2])],
  ['one to come that comes no more', list([10, 1], [2000, 2]), list([10, 1]), list([10, 1])],
  ['the first is to come', list([2000, 1]), list([3000, 2]), list([0, 1], [1000, 2])],
  ['at the very instant', list([10, 1]), list([10, 1], [1000, 2]), list([10, 1], [1000, 2])],
])('%s: what was keeps its price', (_, before, next, expected) => {
  expect(replacePricesFrom(NOW, before, next)).toEqual(expected)
})

test('what holds from now on as before is the same object', () => {
  for (const [before, next] of [
    [list([10, 1], [500, 2]), list([0, 2])],
    [list([2000, 1]), list([2000, 1])],
    [list([10, 1], [2000, 2]), list([10, 1], [1500, 1], [2000, 2])],
  ] as const)
    expect(replacePricesFrom(NOW, before, next)).toBe(before)
  const other = { ...list([10, 1]), currency: 'EUR' }
  expect(replacePricesFrom(NOW, list([10, 1]), other)).toEqual(other)
})

test('before that instant the one list holds, from it on the other, and doing it twice is doing it once', () => {
  const lists = fc
    .array(fc.tuple(fc.nat({ max: 2000 }), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 6 })
    .map((periods) => list(...periods.toSorted(([a], [b]) => a - b)))
  check(
    fc.property(lists, lists, fc.nat({ max: 2200 }), (before, next, when) => {
      const now = replacePricesFrom(NOW, before, next)
      expect(priceAt(now, instant(when))).toBe(priceAt(when < NOW ? before : next, instant(when)))
      expect(replacePricesFrom(NOW, now, next)).toBe(now)
    }),
  )
})
