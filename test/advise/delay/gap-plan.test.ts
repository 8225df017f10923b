import { describe, expect, test } from 'vitest'
import { planCost, playPlan, type GapPlan } from '../../../src/advise/delay/gap-plan.ts'

/** Awake in the steps 0 and 1, 10 to 12, and 20. */
const PLAN: GapPlan = {
  delay: 2,
  warmUps: [
    { from: 10, length: 3 },
    { from: 20, length: 1 },
  ],
}

describe('a gap under a plan of two warm-ups', () => {
  test.each([
    ['that ends in the delay', 1, { awake: 1, warmUps: 0, used: 0, isWoken: false }],
    ['that ends with the delay', 2, { awake: 2, warmUps: 0, used: 0, isWoken: false }],
    ['that ends asleep', 3, { awake: 2, warmUps: 0, used: 0, isWoken: true }],
    ['whose client comes as the warm-up would begin', 10, { awake: 2, warmUps: 0, used: 0, isWoken: true }],
    ['whose client comes after one step of it', 11, { awake: 3, warmUps: 1, used: 1, isWoken: false }],
    ['whose client comes at its end', 13, { awake: 5, warmUps: 1, used: 1, isWoken: false }],
    ['whose client comes after it', 14, { awake: 5, warmUps: 1, used: 0, isWoken: true }],
    ['whose client comes in the second', 21, { awake: 6, warmUps: 2, used: 1, isWoken: false }],
    ['that is longer', 500, { awake: 6, warmUps: 2, used: 0, isWoken: true }],
  ])('%s', (_, length, expected) => {
    expect(playPlan(length, PLAN)).toEqual(expected)
  })

  test('costs the time awake, each start, and the wake of a client that finds it asleep', () => {
    const prices = { wakeCost: 15, startCost: 0.5 }
    expect(planCost(2, PLAN, prices)).toBe(2)
    expect(planCost(13, PLAN, prices)).toBe(5 + 0.5)
    expect(planCost(500, PLAN, prices)).toBe(6 + 2 * 0.5 + 15)
  })
})
