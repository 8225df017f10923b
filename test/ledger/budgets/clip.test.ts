import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountInLimitUnit } from '../../../src/ledger/budgets/period-totals.ts'
import { addSliceAmounts, NO_AMOUNTS } from '../../../src/ledger/settle/cu-time.ts'
import { clipSlice, possibleInterval } from '../../../src/ledger/settle/slices.ts'
import { partsInside, partsOutside } from '../../../src/calendar/window.ts'
import { periodOf, type PeriodRule } from '../../../src/calendar/period.ts'
import type { BudgetLimit } from '../../../src/model/policy/budget.ts'
import type { AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import { cu, instant, type Instant, type Interval } from '../../../src/model/units.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { check } from '../../support/property.ts'
import { at, zoneOf } from '../../support/zones.ts'
import { HOUR, refOf, sliceOf } from './build.ts'

const UNITS: readonly BudgetLimit['unit'][] = ['money', 'cu_hours', 'awake_hours']
const START = Date.parse('2026-03-20T00:00:00Z')
const DAY = 24 * HOUR

/** A slice with doubt at both ends and in its size. Of one in three the likely time begins before the longest. */
const slices = fc
  .record({
    from: fc.integer({ min: 0, max: 40 * DAY }),
    parts: fc.array(fc.integer({ min: 0, max: 4 * DAY }), { minLength: 5, maxLength: 5 }),
    sizes: fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 3, maxLength: 3 }),
    price: fc.constantFrom('106000', '140000', '222000'),
  })
  .map(({ from, parts, sizes, price }): AwakeSlice => {
    const ends = parts.reduce<number[]>((all, part) => [...all, (all.at(-1) ?? 0) + part], [START + from])
    const between = (begin: number, end: number) => ({
      from: instant(ends[begin] ?? 0),
      to: instant(ends[end] ?? 0),
    })
    const quarters = sizes.toSorted((x, y) => x - y).map((size) => cu(size / 4))
    const [low = cu(1), likely = cu(1), high = cu(1)] = quarters
    return {
      ref: refOf('ep-a'),
      low: between(2, 3),
      likely: between(1, 4),
      high: between(from % 3 === 0 ? 2 : 0, 5),
      size: { low, likely, high },
      price,
      assumed: false,
    }
  })

const sumOf = (parts: readonly AwakeSlice[]) => {
  const amounts = addSliceAmounts(NO_AMOUNTS, parts)
  return UNITS.map((unit) => amountInLimitUnit(amounts, unit))
}

/** Intervals that tile `[from, to)`, as `next` names them. */
function tiles(from: Instant, to: Instant, next: (at: Instant) => Interval | undefined): Interval[] {
  const found: Interval[] = []
  for (let now = from; now < to;) {
    const one = next(now)
    if (!one) throw new Error('no period')
    found.push(one)
    now = one.to
  }
  return found
}

test('cut anywhere, a slice loses nothing, and its bounds stay in order', () => {
  check(
    fc.property(
      fc.array(slices, { maxLength: 5 }),
      fc.array(fc.integer({ min: 0, max: 60 * DAY }), { maxLength: 8 }),
      (all, cuts) => {
        const points = [
          -Infinity,
          ...new Set(cuts.toSorted((a, b) => a - b).map((cut) => START + cut)),
          Infinity,
        ].map(instant)
        const intervals = points.slice(1).map((to, index) => ({ from: points[index] ?? to, to }))
        const parts = all.flatMap((slice) => clipSlice(slice, intervals))
        expect(sumOf(parts)).toEqual(sumOf(all))
        const nested = all.filter(({ high, likely }) => high.from <= likely.from)
        for (const part of nested.flatMap((slice) => clipSlice(slice, intervals)))
          for (const { low, likely, high } of sumOf([part])) {
            expect(low).toBeLessThanOrEqual(likely)
            expect(likely).toBeLessThanOrEqual(high)
          }
      },
    ),
    300,
  )
})

test('the sum over the periods is the whole, in every kind of period', () => {
  const zone = fc.constantFrom('Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe').map(zoneOf)
  const rules = fc.oneof<fc.Arbitrary<PeriodRule>[]>(
    zone.map((one) => ({ per: 'day', zone: one })),
    zone.map((one) => ({ per: 'week', zone: one, anchor: 1 })),
    zone.map((one) => ({ per: 'month', zone: one, anchor: 31 })),
    fc.constant({ per: 'window', window: windowOf(weekly('Mon-Fri 08:00-19:00')) }),
  )
  check(
    fc.property(rules, fc.array(slices, { minLength: 1, maxLength: 5 }), (rule, all) => {
      const periods = tiles(instant(START), instant(START + 62 * DAY), (now) => periodOf(rule, now))
      expect(sumOf(all.flatMap((slice) => clipSlice(slice, periods)))).toEqual(sumOf(all))
    }),
  )
})

test('inside and outside of a window are the whole', () => {
  const texts = fc.constantFrom('Mon-Fri 08:00-19:00', '22:00-06:00', 'Sun 02:10-02:50', '00:00-24:00')
  check(
    fc.property(texts, slices, (text, slice) => {
      const window = windowOf(weekly(text))
      const { from, to } = possibleInterval(slice)
      const parts = clipSlice(slice, [...partsInside(window, from, to), ...partsOutside(window, from, to)])
      expect(sumOf(parts)).toEqual(sumOf([slice]))
    }),
    200,
  )
})

test('low, likely and high are each cut at the instant', () => {
  const slice: AwakeSlice = {
    ...sliceOf('2026-11-30T20:00:00Z', 6),
    low: { from: at('2026-11-30T22:00:00Z'), to: at('2026-11-30T23:00:00Z') },
    likely: { from: at('2026-11-30T21:00:00Z'), to: at('2026-12-01T01:00:00Z') },
  }
  const december = { from: at('2026-12-01T00:00:00Z'), to: at('2027-01-01T00:00:00Z') }
  expect(clipSlice(slice, [december])).toEqual([
    {
      ...slice,
      low: { from: december.from, to: december.from },
      likely: { from: december.from, to: at('2026-12-01T01:00:00Z') },
      high: { from: december.from, to: at('2026-12-01T02:00:00Z') },
    },
  ])
  expect(clipSlice(slice, [{ from: at('2026-12-01T02:00:00Z'), to: december.to }])).toEqual([])
})

test('money is computed once, from whole sums', () => {
  // a third of an hour of 0.25 CU at 0.106 costs 8833.33 micros; three of them an hour's 26500
  const thirds = [0, 20, 40].map((minute) =>
    sliceOf(instant(START + minute * 60_000), 1 / 3, { cu: 0.25, price: '106000' }),
  )
  expect(amountInLimitUnit(addSliceAmounts(NO_AMOUNTS, thirds), 'money').likely).toBe(26_500)
})
