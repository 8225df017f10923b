import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { binOf } from '../../../src/advise/delay/bins.ts'
import { createFleetHazard, type ComputeHazard } from '../../../src/advise/delay/fleet-hazard.ts'
import { createDelayLearner } from '../../../src/advise/delay/learner.ts'
import { createPast } from '../../../src/advise/delay/past.ts'

/** Gaps one after the other, with a step of activity between two. Returns the first idle step after the last one. */
function playGaps(compute: ComputeHazard, from: number, lengths: readonly number[]): number {
  let at = from
  for (const length of lengths) {
    compute.beginGap(at, 0)
    compute.endGap(length)
    at += length + 1
  }
  return at
}

/** Hazard at ten idle minutes of a compute with gaps of three minutes, beside a compute that is idle for `silence` minutes after such gaps. */
function hazardBeside(silence: number): number {
  const fleet = createFleetHazard()
  const [one, other] = [fleet(), fleet()]
  for (let at = 0; at < 200; at += 4) {
    if (at <= 200 - silence) other.beginGap(at, 0)
    one.beginGap(at, 0)
    one.endGap(3)
    if (at + 4 <= 200 - silence) other.endGap(3)
  }
  one.beginGap(200, 0)
  return one.hazard(binOf(10))
}

describe('the hazard', () => {
  test('learns from the gap in progress of another compute, and no more than it has lasted', () => {
    const [four = 0, eight = 0, twelve = 0, sixteen] = [4, 8, 12, 16].map(hazardBeside)
    expect(eight).toBeLessThan(four)
    expect(twelve).toBeLessThan(eight)
    // the bins passed after ten minutes are of another group
    expect(sixteen).toBe(twelve)
  })

  test('learns nothing of lengths that were hidden', () => {
    const hidden = createFleetHazard()()
    const before = createFleetHazard()()
    for (let at = 1; at < 1000; at += 100) {
      hidden.beginGap(at, 5)
      hidden.endGap(8)
    }
    hidden.beginGap(1001, 0)
    before.beginGap(1001, 0)
    const ratio = (length: number) => hidden.hazard(binOf(length)) / before.hazard(binOf(length))
    expect(ratio(8)).toBeGreaterThan(2)
    expect(ratio(6)).toBeLessThan(0.5)
    expect(ratio(1)).toBeCloseTo(1, 1)
  })

  test('is higher where activity came an hour earlier, whatever the last gaps were', () => {
    const compute = createFleetHazard()()
    // activity in two minutes of each hour, the second at another one in each of three hours, and again 60 minutes later
    const minutes = Array.from({ length: 200 }, (_, hour) => [
      60 * hour,
      60 * hour + 10 + 7 * (hour % 3),
    ]).flat()
    for (const [at, minute] of minutes.slice(1).entries()) {
      const before = minutes[at] ?? 0
      compute.beginGap(before + 1, 0)
      compute.endGap(minute - before - 1)
    }
    // the second activity of the last hour was at minute 17: the first of the next hour comes 42 idle minutes later
    compute.beginGap((minutes.at(-1) ?? 0) + 1, 0)
    const [inWindow, before] = [42, 38].map((length) => compute.hazard(binOf(length)))
    expect(inWindow).toBeGreaterThan(3 * (before ?? 1))
  })

  test('a silence of ages takes no longer than a short one', () => {
    const compute = createFleetHazard()()
    compute.beginGap(playGaps(compute, 1, [1e12, 1e12]), 0)
    expect(compute.gaps()).toBe(2)
  })
})

describe('keys of a bin', () => {
  test('a bit for each window with activity: 15, 30, 60, 120, 180 minutes earlier', () => {
    const past = createPast()
    past.beginGap(1001)
    past.endGap(59)
    // active in minute 1060 for five minutes
    past.beginGap(1065)
    const keyAfter = (idle: number) => past.windowKey(binOf(idle)).toString(2).padStart(5, '0')
    expect([1, 9, 10, 14, 15, 16, 25, 29, 30].map(keyAfter)).toEqual([
      '00000',
      '00000',
      '00001',
      '00001',
      '00000',
      '00000',
      '00010',
      '00010',
      '00000',
    ])
    // minute 1120 to 1124, and of the minute before the first gap 1060
    expect(keyAfter(57)).toBe('00100')
  })

  test('positions against the last three gaps; without a gap another one', () => {
    const past = createPast()
    past.beginGap(1)
    const none = past.positionKey(5)
    past.endGap(10)
    past.beginGap(12)
    const keys = [1, 8, 9, 10, 12].map((bin) => past.positionKey(bin))
    expect(new Set([none, ...keys]).size).toBe(6)
    expect(past.positionKey(7)).toBe(past.positionKey(8))
    expect(past.positionKey(30)).toBe(past.positionKey(12))
  })
})

type HiddenCase = Readonly<{ wakeCost: number; length: number; hiddenBelow: number }>

/** Delay after 40 gaps of one length, in each of which gaps shorter than `hiddenBelow` could not have been seen. */
function delayAfter({ wakeCost, length, hiddenBelow }: HiddenCase): number {
  const learner = createDelayLearner({ wakeCost, floor: 1 })
  let at = 1
  for (let gap = 0; gap < 40; gap += 1) {
    learner.decide(at, hiddenBelow)
    learner.learn(length)
    at += length + 1
  }
  return learner.decide(at)
}

describe('the learner', () => {
  test.each([
    ['gaps one after the other: it stays while no other one is cheaper by a hundredth', 1, [1, 60]],
    ['gaps an hour apart: the lever binds no delay, so the cheapest one', 60, [100, 400]],
  ])('changes of the delay, %s', (_, activity, [least, most]) => {
    const learner = createDelayLearner({ wakeCost: 15, floor: 1 })
    const delays: number[] = []
    // a heavy tail: the expected costs of many delays are nearly the same
    const lengths = fc.sample(
      fc.noBias(fc.integer({ min: 1, max: 10_000 })).map((chance) => Math.ceil((chance / 10_000) ** -1.2)),
      { numRuns: 600, seed: 7 },
    )
    let at = 1
    for (const length of lengths) {
      delays.push(learner.decide(at))
      learner.learn(length)
      at += length + activity
    }
    const changes = delays.filter((delay, index) => index > 200 && delay !== delays[index - 1]).length
    expect(changes).toBeGreaterThanOrEqual(least ?? 0)
    expect(changes).toBeLessThan(most ?? 0)
  })

  test.each([
    ['without hidden gaps: too long to wait for', { wakeCost: 15, length: 40, hiddenBelow: 0 }, 1],
    ['as without any gaps', { wakeCost: 15, length: 40, hiddenBelow: 20 }, 4],
    ['without hidden gaps: short enough', { wakeCost: 30, length: 22, hiddenBelow: 0 }, 22],
    ['no delay is cheaper for not having been judged', { wakeCost: 30, length: 22, hiddenBelow: 20 }, 22],
  ])('learns nothing about delays below which gaps were hidden; %s', (_, hidden, delay) => {
    expect(delayAfter(hidden)).toBe(delay)
  })
})
