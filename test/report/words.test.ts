import { expect, test } from 'vitest'
import { hours } from '../../src/report/words.ts'

test.each([
  [0, '0.0 h'],
  [41_000, '41.0 s'],
  [300_000, '5.0 min'],
  [360_000, '0.1 h'],
  [12_240_000, '3.4 h'],
])('%i ms are told as %s', (milliseconds, text) => {
  expect(hours(milliseconds)).toBe(text)
})
