import { expect, test } from 'vitest'
import { arrivalWithin } from '../../../src/advise/delay/arrival.ts'
import { gapHazard } from '../../../src/advise/delay/hazard.ts'
import { seconds } from '../../../src/model/units.ts'

const grid = seconds(60)
const within = (hazard: (bin: number) => number, past: number, span: number): number =>
  arrivalWithin(hazard, { past: seconds(past), within: seconds(span), grid })

const half = () => 0.5
/** Lengths of 33 and 34 minutes share a bin. */
const late = (bin: number) => (bin === 32 ? 0.75 : 0)

test('a hazard of a half in each minute: half in one minute, three quarters in two', () => {
  expect(within(half, 0, 60)).toBeCloseTo(0.5)
  expect(within(half, 600, 120)).toBeCloseTo(0.75)
  expect(within(half, 90, 60)).toBeCloseTo(0.5)
  expect(within(half, 0, 0)).toBe(0)
})

test('bins of several minutes spread their hazard', () => {
  expect(within(late, 32 * 60, 60)).toBeCloseTo(0.5)
  expect(within(late, 32 * 60, 120)).toBeCloseTo(0.75)
  expect(within(late, 0, 32 * 60)).toBe(0)
})

test('clients that came every 10 minutes are expected after 9 and not after 2', () => {
  const gaps = Array.from({ length: 100 }, () => ({ low: 600, high: 600, hiddenBelow: 0 }))
  const hazard = gapHazard(gaps, grid)
  expect(within(hazard, 120, 10)).toBeLessThan(0.05)
  expect(within(hazard, 570, 10)).toBeGreaterThan(0.05)
})

test('without gaps a change of 10 seconds may go at once', () => {
  expect(within(gapHazard([], grid), 0, 10)).toBeLessThan(0.05)
})
