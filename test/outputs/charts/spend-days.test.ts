import { expect, test } from 'vitest'
import { createUtc } from '../../../src/calendar/zone.ts'
import { micros } from '../../../src/model/units.ts'
import { spendDaysFigure, type SpendDays } from '../../../src/outputs/charts/spend-days.ts'
import { renderHtml } from '../../../src/outputs/page/layout.ts'
import { at } from '../../support/build.ts'

const DAY = 86_400

const daysOf = (spends: readonly Readonly<Record<string, number>>[]): SpendDays => ({
  currency: 'USD',
  span: { from: at(0), to: at(spends.length * DAY) },
  days: spends.map((spend, day) => ({
    date: `2026-01-0${day + 5}`,
    spend: new Map(Object.entries(spend).map(([name, usd]) => [name, micros(usd * 1e6)])),
  })),
})

const shown = (days: SpendDays): string => {
  const figure = spendDaysFigure(days, { title: 'Spend', unnamed: 'without a team', zone: createUtc() })
  return figure ? renderHtml(figure).replaceAll(/\s+/g, ' ') : ''
}

/** Class → top and height of each bar by its day. */
const barsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<path class="([\w-]+)" d="([^"]+)"/g)].map(([, name = '', path = '']) => [
      name,
      [...path.matchAll(/M(\d+) ([\d.]+)h8v([\d.]+)h-8z/g)].map(([, x, y, height]) => [
        (Number(x) - 1) / 10,
        Number(y),
        Number(height),
      ]),
    ]),
  )

test('parts stand on each other, the dearest at the bottom, in the scale of the dearest day', () => {
  const text = shown(daysOf([{ web: 1, shop: 3 }, { shop: 4, '': 4 }, {}]))
  expect(barsOf(text)).toEqual({
    'part-1': [
      [0, 62.5, 37.5],
      [1, 50, 50],
    ],
    'part-2': [[1, 0, 50]],
    'part-3': [[0, 50, 12.5]],
  })
  expect(text).toContain('Spend: 12.00 USD in 3 days, at most 8.00 USD a day')
  expect([...text.matchAll(/<bdi>(.*?)<\/bdi> ([\d.]+ USD)/g)].map(([, ...words]) => words)).toEqual([
    ['shop', '7.00 USD'],
    ['without a team', '4.00 USD'],
    ['web', '1.00 USD'],
  ])
})

test('parts beyond five are one, and the sum of all bars is the spend', () => {
  const text = shown(daysOf([{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }]))
  expect(Object.keys(barsOf(text))).toEqual(['part-1', 'part-2', 'part-3', 'part-4', 'part-5', 'others'])
  expect(barsOf(text)['others']).toEqual([[0, 0, 10.7]])
  expect(text).toContain('<bdi>all others</bdi> 3.00 USD')
  const heights = Object.values(barsOf(text)).flatMap((bars) => bars.map(([, , height = 0]) => height))
  expect(heights.reduce((sum, height) => sum + height, 0)).toBeCloseTo(100, 0)
})

test('one part without a name needs no key, and nothing spent no chart', () => {
  expect(shown(daysOf([{ '': 2 }]))).not.toContain('class="key')
  expect(shown(daysOf([{}, { web: 0 }]))).toBe('')
})
