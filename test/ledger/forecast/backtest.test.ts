// One's own finished windows, and what they correct, with values worked out by hand.
import { expect, test } from 'vitest'
import {
  backtestWindows,
  correctionFromOutcomes,
  intervalCoverage,
} from '../../../src/ledger/forecast/correction.ts'

const from = (amounts: readonly (number | undefined)[]) => ({ amounts, firstWeekday: 0 })

const constant = (days: number, amount = 1) => from(Array.from({ length: days }, () => amount))

const outcome = { from: 0, to: 30, rate: 1, knownDays: 30, spread: 0.2, miss: 2 }

test.each<[string, Parameters<typeof correctionFromOutcomes>[2], number]>([
  // 0.2 · √(1.2 + 20 / 100)
  ['no window', [], 0.23664],
  // a window of 30 days weighs 5 / 30, after 240 days half: √((3 · 1.4 + 2² / 12) / (3 + 1 / 12))
  ['one missed by two spreads', [outcome], 0.24251],
  ['one missed by everything: four spreads count', [{ ...outcome, miss: -Infinity }], 0.26792],
  // the middle moves by 0.05, see below: √((3 · 1.4 + 1.95²) / (3 + 1))
  ['one of two days weighs 1', [{ ...outcome, from: 268, to: 270 }], 0.28289],
  ['one that is not over', [{ ...outcome, to: 271 }], 0.23664],
  ['one from when almost nothing was spent', [{ ...outcome, rate: 0.05 }], 0.23664],
])('the spread is corrected by own finished windows: %s', (_, outcomes, spread) => {
  expect(correctionFromOutcomes({ spread: 0.2, rate: 1, knownDays: 100 }, 270, outcomes).spread).toBeCloseTo(
    spread,
    4,
  )
})

const short = { ...outcome, from: 265, to: 270 }

const times = (count: number, miss: number) => Array.from({ length: count }, () => ({ ...short, miss }))

// of windows that weigh 1 the mean is m = sum / (3 + count), and m · (1 - 1 / (1 + (sum² / (3 + count) / 3)²)) of it moves the middle
test.each<[string, Parameters<typeof correctionFromOutcomes>[2], number]>([
  ['no window', [], 0],
  ['one that ended two spreads above', times(1, 2), 0.05],
  ['one that ended anywhere above: two spreads count', times(1, 9), 0.05],
  ['twenty that ended one spread above', times(20, 1), 0.84443],
  ['twenty that ended one spread below', times(20, -1), -0.84443],
  ['twenty that held nothing', times(20, -Infinity), -1.7359],
  ['as many above as below', [...times(10, 1), ...times(10, -1)], 0],
])('the middle moves by what own finished windows missed to one side: %s', (_, outcomes, spreads) => {
  const { shift } = correctionFromOutcomes({ spread: 0.2, rate: 1, knownDays: 100 }, 270, outcomes)
  expect(shift / 0.2).toBeCloseTo(spreads, 4)
})

test('what is explained by the side of the misses does not widen the interval', () => {
  // √((3 · 1.4 + 20 · 0.15557²) / (3 + 20))
  const { spread } = correctionFromOutcomes({ spread: 0.2, rate: 1, knownDays: 100 }, 270, times(20, 1))
  expect(spread / 0.2).toBeCloseTo(0.45128, 4)
})

test('no spread is above 2, however little is known', () => {
  expect(correctionFromOutcomes({ spread: 1.9, rate: 1, knownDays: 1 }, 1, []).spread).toBe(2)
})

test('windows begin every five days from the thirtieth on and miss nothing where nothing changes', () => {
  const outcomes = backtestWindows(constant(100), 10)
  expect(outcomes.map((each) => [each.from, each.to])).toEqual(
    Array.from({ length: 13 }, (_, at) => [30 + 5 * at, 40 + 5 * at]),
  )
  for (const { miss } of outcomes) expect(miss).toBeCloseTo(0, 8)
  expect(intervalCoverage(outcomes)).toMatchObject({ windows: 13, inside: 1 })
  expect(intervalCoverage(outcomes)?.error).toBeCloseTo(0, 8)
})

const error = (away: number) => intervalCoverage([{ ...outcome, miss: away / outcome.spread }])?.error

test('the error of a window is what was expected beside what was spent, and no more than all of it', () => {
  expect(error(Math.log(2))).toBeCloseTo(0.5, 8)
  expect(error(-Math.log(1.25))).toBeCloseTo(0.25, 8)
  expect(error(-Infinity)).toBe(1)
})

test('coverage judges each window by what had finished when it began', () => {
  const far = { ...outcome, to: 10, miss: 4 }
  const inside = (miss: number) => intervalCoverage([far, { ...outcome, from: 20, to: 30, miss }])?.inside
  // √((3 (1.2 + 20 / 30) + 3.998² h) / (3 + h)) = 1.958 times 1.34 below and 1.26 above 0.002, where h = 2^(-10/240) / 2
  expect([-2.63, -2.62, 2.46, 2.47].map(inside)).toEqual([0, 0.5, 0.5, 0])
})

test('windows older than two years are left out', () => {
  expect(backtestWindows(constant(900), 10)[0]?.from).toBe(170)
})

test('a window with an unknown day is none', () => {
  const history = from([...constant(60).amounts, undefined, ...constant(20).amounts])
  expect(backtestWindows(history, 10).map((each) => each.from)).toEqual([30, 35, 40, 45, 50, 65, 70])
})

test('a window that held nothing missed by everything; without windows there is no coverage', () => {
  const silent = from([...constant(60).amounts, ...constant(400, 0).amounts])
  const misses = backtestWindows(silent, 10).filter((each) => each.from === 60)
  expect(misses.map(({ miss }) => miss < -4)).toEqual([true])
  expect(intervalCoverage([])).toBeUndefined()
})

test('windows are continued from those of a shorter history', () => {
  const amounts = Array.from({ length: 900 }, (_, day) => 1 + ((day * 7919) % 13))
  const earlier = backtestWindows(from(amounts.slice(0, 888)), 12)
  expect(backtestWindows(from(amounts), 12, earlier)).toEqual(backtestWindows(from(amounts), 12))
})
