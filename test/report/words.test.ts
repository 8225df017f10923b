import { expect, test } from 'vitest'
import { chosenText, hours } from '../../src/report/words.ts'
import { seconds } from '../../src/model/units.ts'

test.each([
  [0, '0.0 h'],
  [41_000, '41.0 s'],
  [300_000, '5.0 min'],
  [360_000, '0.1 h'],
  [12_240_000, '3.4 h'],
])('%i ms are told as %s', (milliseconds, text) => {
  expect(hours(milliseconds)).toBe(text)
})

test.each([
  [1, '1 s'],
  [60, '1 min'],
  [90, '90 s'],
  [300, '5 min'],
  [5400, '90 min'],
  [86_400, '24 h'],
  [604_800, '7 d'],
])('a delay of %i s is told as %s', (span, text) => {
  expect(chosenText(seconds(span))).toBe(text)
})
