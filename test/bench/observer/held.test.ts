import { expect, test } from 'vitest'
import { heldSeconds } from './held.ts'
import { DELAY } from './stage.ts'

const START = Date.UTC(2026, 0, 5)
const at = (second: number): number => START + 1000 * second
const iso = (second: number): string => new Date(at(second)).toISOString()
const watch = (parts: {
  readonly intervals: readonly (readonly [number, number])[]
  readonly activity: readonly number[]
  readonly deeds: readonly number[]
}): number =>
  heldSeconds({
    intervals: parts.intervals.map(([from, to]) => ({ from: iso(from), to: iso(to) })),
    activity: parts.activity.map(at),
    deeds: parts.deeds.map((second) => ({ from: at(second), to: at(second + 0.1) })),
  })

test('an interval that ends a delay after its last client was held by nobody', () => {
  expect(watch({ intervals: [[0, 10.5 + DELAY]], activity: [0.5, 10.5], deeds: [0, 10] })).toBe(0)
})

test('what the service saw later than any client put the suspension off by as much', () => {
  const intervals = [[0, 8 + DELAY]] as const
  expect(watch({ intervals, activity: [0.5, 8], deeds: [0] })).toBeCloseTo(7.5)
})

test('a client that found awake what would have been asleep was held for until it came', () => {
  const [second, came] = [12, 12 + DELAY - 2]
  const intervals = [[0, came + 0.5 + DELAY]] as const
  expect(watch({ intervals, activity: [0.5, second, came + 0.4], deeds: [0, came] })).toBeCloseTo(
    came - 0.5 - DELAY,
  )
})

test('a client that came within the delay was held for by nobody, whoever looked meanwhile', () => {
  const intervals = [[0, 10.5 + DELAY]] as const
  expect(watch({ intervals, activity: [0.5, 5, 10.5], deeds: [0, 10] })).toBe(0)
})

test('somebody who looked right after a client held for as long as it was later', () => {
  const intervals = [[0, 1.5 + DELAY]] as const
  expect(watch({ intervals, activity: [0.5, 1.5], deeds: [0] })).toBeCloseTo(1)
})
