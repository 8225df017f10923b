import fc from 'fast-check'
import { expect, test } from 'vitest'
import { valueText } from '../../../../src/outputs/metrics/exposition/format.ts'
import { MAX_NUMBER_LENGTH, writeNumber } from '../../../../src/outputs/metrics/exposition/write-number.ts'
import { check } from '../../../support/property.ts'

/** Before it, and where it may not be, other bytes stay. */
function written(value: number): string {
  const bytes = Buffer.alloc(MAX_NUMBER_LENGTH + 20, '#')
  const end = writeNumber(bytes, 7, value)
  expect(bytes.toString('latin1', 0, 7)).toBe('#######')
  expect(bytes.toString('latin1', 7 + MAX_NUMBER_LENGTH)).toBe('#'.repeat(13))
  return bytes.toString('latin1', 7, end)
}

const digits = fc.integer({ min: 1, max: 16 }).chain((count) => fc.nat({ max: 10 ** count - 1 }))

test.each([
  ['any number', fc.double()],
  ['counts', digits],
  ['money, in millionths', digits.map((micros) => micros / 1_000_000)],
  ['time, in milliseconds', digits.map((millis) => millis / 1000)],
  ['what is next to one of these', digits.map((micros) => (micros / 1_000_000) * (1 + Number.EPSILON))],
  ['what is less than 0', digits.map((micros) => -micros / 1_000_000)],
  ['sizes', fc.integer({ min: 0, max: 60 }).map((power) => 2 ** power)],
])('%s: the bytes are those of the text', (_, values) => {
  check(
    fc.property(values, (value) => {
      expect(written(value)).toBe(valueText(value))
    }),
    5000,
  )
})

test.each([
  0,
  -0,
  0.1,
  0.000_001,
  0.000_000_1,
  0.999_999,
  0.999_999_9,
  1,
  9.5,
  10,
  999_999_999,
  999_999_999.999_999,
  1e9,
  1_000_000_000.001,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 31 + 0.5,
  1_763_798_400.123,
  3_000_000_000.007,
  999_999_999_999.999,
  1e12,
  2 ** 53,
  1e15,
  1e21,
  1e22,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  -1.234_567_890_123_456_7e-100,
  -0.000_001_234_567_890_123_456_7,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
])('%d', (value) => {
  expect(written(value)).toBe(valueText(value))
})
