import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNoWakeCosts } from '../../src/advise/no-wake.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import { HOUR, cu, instant, micros, seconds } from '../../src/model/units.ts'
import { fromTo, weekly, windowOf } from '../calendar/windows.ts'
import { refOf } from '../store/build.ts'
import { check } from '../support/property.ts'
import { recommendation } from '../support/recommendations.ts'

/** A Monday. */
const MONDAY = Date.UTC(2026, 10, 16)
const at = (hours: number) => instant(MONDAY + hours * HOUR)
const grounds = {
  ...recommendation().grounds,
  from: at(0),
  to: at(240),
  days: 10,
  cu: { low: cu(0.25), likely: cu(0.5), high: cu(1) },
  perCuHour: micros(100_000),
}
const office = windowOf(weekly('Mon-Fri 08:00-18:00', 'UTC'))
const gap = (from: number, hours: number): Gap => ({
  ref: refOf('ep-one'),
  from: at(from),
  low: seconds(3600 * hours - 60),
  high: seconds(3600 * hours + 60),
  hiddenBelow: seconds(0),
})

const costsOf = (gaps: readonly Gap[], delay: number | 'never' = 3600) => {
  const to = { delay: delay === 'never' ? delay : seconds(delay) }
  const sums = createNoWakeCosts({ to, grounds }, new Map([['office', office]]))
  for (const one of gaps) sums.add(one)
  return sums.costs()
}

// 0.5 CU at 0.1 an hour; 10 days of 30
const PER_HOUR = 0.5 * 100_000 * 3

test.each([
  ['time asleep inside the window costs, and its end was a wake', [gap(9, 4)], 3, 1],
  ['a gap that may be longer than the delay counts by its probability', [gap(9, 1)], 0.5 / 120, 0.5],
  ['a gap within the delay has no sleep', [gap(9, 0.5)], 0, 0],
  ['sleep outside of the window costs nothing', [gap(20, 5)], 0, 0],
  [
    'of sleep that goes beyond the window only the part inside costs, and no wake is avoided',
    [gap(16, 10)],
    1,
    0,
  ],
  ['of sleep that began before the window a wake inside is avoided', [gap(2, 10)], 4, 1],
  ['a gap over days has a part in each window', [gap(17, 48)], 19, 1],
  ['gaps add up', [gap(9, 4), gap(33, 4)], 6, 2],
  ['a gap from before the grounds does not count', [gap(-15, 4)], 0, 0],
])('%s', (_, gaps, hours, wakes) => {
  const [cost] = costsOf(gaps)
  expect(cost).toEqual({
    window: 'office',
    micros: expect.closeTo(hours * PER_HOUR),
    wakesPerDay: wakes / 10,
  })
})

test('without suspensions there is nothing to avoid', () => {
  expect(costsOf([gap(9, 4)], 'never')).toEqual([{ window: 'office', micros: 0, wakesPerDay: 0 }])
})

test('without followed days nothing is known', () => {
  const sums = createNoWakeCosts(
    { to: { delay: seconds(60) }, grounds: { ...grounds, days: 0 } },
    new Map([['office', office]]),
  )
  expect(sums.costs()).toEqual([])
})

test('a longer delay never costs more, and a window that is always open costs all sleep', () => {
  const always = new Map([['always', windowOf(fromTo('2026-11-01T00:00', '2026-12-31T00:00', 'UTC'))]])
  const gaps = fc.array(fc.tuple(fc.integer({ min: 0, max: 230 }), fc.integer({ min: 1, max: 9 })))
  check(
    fc.property(gaps, fc.integer({ min: 60, max: 20_000 }), (list, delay) => {
      const rows = list.map(([from, hours]) => gap(from, hours))
      const [short, long] = [costsOf(rows, delay), costsOf(rows, delay + 600)]
      expect(long[0]?.micros ?? 0).toBeLessThanOrEqual(short[0]?.micros ?? 0)
      const sums = createNoWakeCosts({ to: { delay: seconds(delay) }, grounds }, always)
      for (const row of rows) sums.add(row)
      const asleep = list.map(([, hours]) => Math.max(0, hours * 3600 - delay) / 3600)
      expect(sums.costs()[0]?.micros).toBe(Math.round(PER_HOUR * asleep.reduce((sum, one) => sum + one, 0)))
    }),
  )
})
