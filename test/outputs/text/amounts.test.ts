import { expect, test } from 'vitest'
import {
  budgetAmountText,
  exactDurationText,
  hoursText,
  recentDurationText,
  moneyColumn,
  moneyColumns,
  moneyText,
  percentText,
  rangeText,
  savingText,
  shortNumber,
  spanText,
} from '../../../src/outputs/text/amounts.ts'
import { seconds } from '../../../src/model/units.ts'

test.each([
  [0, '0 h'],
  [41_000, '41 s'],
  [300_000, '5 min'],
  [360_000, '0.1 h'],
  [12_240_000, '3.4 h'],
  [604_800_000, '168.0 h'],
  [265_554_720_000, '73,765.2 h'],
])('%i ms are told as %s in a column', (milliseconds, text) => {
  expect(hoursText(milliseconds)).toBe(text)
})

test.each([
  [0, '0 s'],
  [400, '0.4 s'],
  [42_100, '42.1 s'],
  [60_000, '60 s'],
  [119_960, '120 s'],
  [120_000, '2 min'],
  [300_000, '5 min'],
  [750_000, '12.5 min'],
  [3_596_900, '59.9 min'],
  [3_597_000, '1 h'],
  [3_600_000, '1 h'],
  [5_040_000, '1.4 h'],
  [75_600_000, '21 h'],
  [110_880_000, '30.8 h'],
  [604_800_000, '168 h'],
  [4_677_480_000, '1,299 h'],
])('%i ms are told as %s', (milliseconds, text) => {
  expect(spanText(milliseconds)).toBe(text)
})

test.each([
  [0, '0 %'],
  [0.0003, '<0.1 %'],
  [0.004, '0.4 %'],
  [0.005, '1 %'],
  [0.145, '14 %'],
  [0.9949, '99 %'],
  [0.996, '99.6 %'],
  [0.9996, '>99.9 %'],
  [1, '100 %'],
  [1.004, '100 %'],
  [25.5, '2550 %'],
])('a share of %d is told as %s: none and all are said of none and all alone', (share, text) => {
  expect(percentText(share)).toBe(text)
})

test.each([
  [1, '1 s', '1 s'],
  [60, '1 min', 'minute'],
  [90, '90 s', '90 s'],
  [300, '5 min', '5 min'],
  [3600, '1 h', 'hour'],
  [5400, '90 min', '90 min'],
  [86_400, '24 h', '24 h'],
  [604_800, '7 d', '7 d'],
])('a delay of %i s is told as %s, and is of the last %s', (span, text, last) => {
  expect([exactDurationText(seconds(span)), recentDurationText(seconds(span))]).toEqual([text, last])
})

test.each([
  [0, '0.00 USD'],
  [1, '0.0001 cents'],
  [-1, '-0.0001 cents'],
  [342, '0.03 cents'],
  [4200, '0.42 cents'],
  [9999, '0.01 USD'],
  [10_000, '0.01 USD'],
  [106_000, '0.11 USD'],
  [1_234_500_000, '1,234.50 USD'],
  [123_456_789_012_345, '123,456,789.01 USD'],
  [-1_234_500_000, '-1,234.50 USD'],
  [0.2, '0.00 USD'],
])('%d micros are %s', (micros, text) => {
  expect(moneyText(micros, 'USD')).toBe(text)
})

test('amounts in a currency whose hundredths have no name stay in the currency', () => {
  expect(moneyText(342, 'JPY')).toBe('0.00034 JPY')
})

test.each([
  [
    [15_590_000, 37, 0, -2_000_000, -3],
    ['15.59 USD', '<0.01 USD', '0.00 USD', '-2.00 USD', '>-0.01 USD'],
  ],
  [
    [4200, 370, 37],
    ['0.42 cents', '0.04 cents', '<0.01 cents'],
  ],
  [
    [42, 7],
    ['0.0042 cents', '0.0007 cents'],
  ],
  [[], []],
])('a column of %j is %j', (amounts, texts) => {
  expect(amounts.map(moneyColumn(amounts, 'USD'))).toEqual(texts)
})

test('each currency of a column has its own unit', () => {
  const amounts = [
    { micros: 4200, currency: 'USD' },
    { micros: 2_000_000, currency: 'EUR' },
    { micros: 4200, currency: 'EUR' },
  ]
  expect(amounts.map(moneyColumns(amounts))).toEqual(['0.42 cents', '2.00 EUR', '<0.01 EUR'])
})

test.each([
  [200, 'USD', '200.00 USD'],
  [12.5, 'cu_hours', '12.5 CU-hours'],
  [500, 'cu_hours', '500 CU-hours'],
  [0.042, 'cu_hours', '0.042 CU-hours'],
  [0, 'awake_hours', '0 awake hours'],
  [12_345.67, 'awake_hours', '12,345.7 awake hours'],
])('of a budget %d in %s is %s', (value, unit, text) => {
  expect(budgetAmountText(value, unit)).toBe(text)
})

test('a range is told only where its ends are told differently', () => {
  expect(rangeText({ low: 0.96, high: 1.04 }, shortNumber)).toBeUndefined()
  expect(rangeText({ low: 0.9, high: 1100 }, shortNumber)).toBe('0.9 to 1,100')
})

test.each([
  [
    { low: 9_100_000, likely: 12_300_000, high: 14_000_000 },
    'saves 12.30 USD in 30 days (9.10 USD to 14.00 USD)',
  ],
  [{ low: 0, likely: 0, high: 44 }, 'saves at most 0.0044 cents in 30 days'],
  [{ low: 0, likely: 0, high: 0 }, 'saves no money'],
  [
    { low: -4_540_000, likely: -2_300_000, high: -10_000 },
    'costs 2.30 USD more in 30 days (0.01 USD to 4.54 USD)',
  ],
])('a saving of %j', (saving, text) => {
  expect(savingText(saving, 'USD')).toBe(text)
})
