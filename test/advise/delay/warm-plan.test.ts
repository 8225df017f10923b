// Plans of gaps with warm-ups: tables on hazards that can be computed by hand, and what holds for all hazards.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hiOf, loOf } from '../../../src/advise/delay/bins.ts'
import { LEARNED_BINS } from '../../../src/advise/delay/fleet-hazard.ts'
import { planCost, type GapPlan, type WarmUp } from '../../../src/advise/delay/gap-plan.ts'
import { longestDelay } from '../../../src/advise/delay/guard.ts'
import { expectedCosts } from '../../../src/advise/delay/hazard.ts'
import {
  bestPlan,
  expectedPlanCost,
  gapOdds,
  planAfter,
  type WarmUpTerms,
} from '../../../src/advise/delay/warm-plan.ts'
import { check } from '../../support/property.ts'

/** Five seconds of a minute. */
const START = 1 / 12

const terms = (wakeCost: number, more: Partial<WarmUpTerms> = {}): WarmUpTerms => ({
  wakeCost,
  startCost: START,
  floor: 1,
  hasSuspendLever: true,
  ...more,
})

/** Odds of a gap that ends at some lengths, each with a probability given that it was reached, and nowhere else. */
const endsAt = (chances: Readonly<Record<number, number>>) => gapOdds((bin) => chances[hiOf(bin)] ?? 0)

describe('with the suspend lever', () => {
  test.each<[string, number, Readonly<Record<number, number>>, GapPlan, number]>([
    [
      'a timer: awake in the last minute',
      5,
      { 20: 1 },
      { delay: 1, warmUps: [{ from: 19, length: 1 }] },
      2 + START,
    ],
    // 0.2 · 5 is less than the minute and the start, 0.22 · 5 is more
    ['a chance that costs more than it saves', 5, { 20: 0.2 }, { delay: 1, warmUps: [] }, 1 + 5],
    [
      'a chance that saves more than it costs',
      5,
      { 20: 0.22 },
      { delay: 1, warmUps: [{ from: 19, length: 1 }] },
      1 + START + 1 + 0.78 * 5,
    ],
    [
      'two minutes one after the other: one start',
      5,
      { 20: 0.3, 21: 0.3 },
      { delay: 1, warmUps: [{ from: 19, length: 2 }] },
      1 + START + 1 + 0.7 + 0.49 * 5,
    ],
    [
      'a minute between: staying awake costs less than another start',
      5,
      { 20: 0.9, 22: 0.9 },
      {
        delay: 1,
        warmUps: [
          { from: 19, length: 1 },
          { from: 21, length: 1 },
        ],
      },
      1 + START + 1 + 0.1 * (START + 1) + 0.01 * 5,
    ],
    [
      'two times far from each other: two starts',
      5,
      { 20: 0.4, 30: 0.5 },
      {
        delay: 1,
        warmUps: [
          { from: 19, length: 1 },
          { from: 29, length: 1 },
        ],
      },
      1 + START + 1 + 0.6 * (START + 1) + 0.3 * 5,
    ],
    ['short gaps: a delay, no start', 5, { 2: 0.5, 3: 1 }, { delay: 3, warmUps: [] }, 1 + 1 + 0.5],
    // 33 and 34 are one bin: half of the gaps end at each
    [
      'a bin of two lengths',
      5,
      { 34: 1 },
      { delay: 1, warmUps: [{ from: 32, length: 2 }] },
      1 + START + 1 + 0.5,
    ],
  ])('%s', (_, wakeCost, chances, plan, cost) => {
    const odds = endsAt(chances)
    expect(bestPlan(odds, terms(wakeCost))).toEqual(plan)
    expect(expectedPlanCost(odds, terms(wakeCost), plan)).toBeCloseTo(cost, 12)
  })

  test('a start that costs a minute more is worth it from a larger chance on', () => {
    const chance = endsAt({ 20: 0.3 })
    expect(bestPlan(chance, terms(5)).warmUps).toHaveLength(1)
    expect(bestPlan(chance, terms(5, { startCost: START + 1 })).warmUps).toEqual([])
  })

  test('it stays awake for the floor', () => {
    const plan = { delay: 4, warmUps: [{ from: 19, length: 4 }] }
    expect(bestPlan(endsAt({ 20: 1 }), terms(15, { floor: 4 }))).toEqual(plan)
  })

  test('warm-ups that cost more than four wakes with the delay are left out', () => {
    const spread = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at + 10, 0.6]))
    expect(bestPlan(endsAt(spread), terms(2))).toEqual({ delay: 1, warmUps: [] })
  })
})

const deployed = (wakeCost: number) => terms(wakeCost, { hasSuspendLever: false })

describe('without it a warmed compute stays awake for the delay in force', () => {
  test.each<[string, number, number, readonly WarmUp[]]>([
    ['a wake that costs more than the delay and the lead', 5, 3, [{ from: 19, length: 3 }]],
    ['a wake that costs as much', 4, 3, []],
    ['never with a delay of as much as a wake', 5, 5, []],
  ])('%s', (_, wakeCost, delay, warmUps) => {
    expect(planAfter(endsAt({ 20: 1 }), deployed(wakeCost), delay)).toEqual({ delay, warmUps })
  })

  test('it begins early enough for all of three times, and the delay is as long as they take', () => {
    const odds = endsAt({ 19: 1 / 3, 20: 1 / 2, 21: 1 })
    expect(bestPlan(odds, deployed(15))).toEqual({ delay: 3, warmUps: [{ from: 18, length: 3 }] })
    expect(bestPlan(odds, terms(15))).toEqual({ delay: 1, warmUps: [{ from: 18, length: 3 }] })
  })
})

const hazards = fc
  .array(fc.oneof(fc.constant(0.0001), fc.double({ min: 0.0001, max: 0.998, noNaN: true })), {
    minLength: LEARNED_BINS,
    maxLength: LEARNED_BINS,
  })
  .map((values) => (bin: number) => values[bin] ?? 0)

const anyTerms = fc.record({
  wakeCost: fc.integer({ min: 1, max: 60 }),
  startCost: fc.constantFrom(START, 1, 3),
  floor: fc.integer({ min: 1, max: 8 }),
  hasSuspendLever: fc.boolean(),
})

/** Warm-ups after a delay, by the steps between them and their lengths. */
const planOf = (delay: number, parts: readonly (readonly [number, number])[]): GapPlan => {
  let from = delay
  const warmUps = parts.map(([pause, length]) => {
    const warmUp = { from: from + pause, length }
    from += pause + length
    return warmUp
  })
  return { delay, warmUps: warmUps.filter((one) => one.from + one.length <= hiOf(LEARNED_BINS - 1)) }
}

const parts = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 10 })), {
  maxLength: 8,
})

test('the expected cost is that of each length by its probability', () => {
  check(
    fc.property(hazards, anyTerms, fc.integer({ min: 1, max: 60 }), parts, (hazard, some, delay, others) => {
      const odds = gapOdds(hazard)
      const plan = planOf(delay, others)
      const steps = hiOf(LEARNED_BINS - 1)
      let expected = (odds.survival[steps] ?? 0) * planCost(steps + 1, plan, some)
      for (let length = 1; length <= steps; length += 1) {
        const ends = (odds.survival[length - 1] ?? 0) - (odds.survival[length] ?? 0)
        expected += ends * planCost(length, plan, some)
      }
      expect(expectedPlanCost(odds, some, plan)).toBeCloseTo(expected, 8)
    }),
  )
})

test('without warm-ups it is the expected cost of the delay', () => {
  check(
    fc.property(hazards, anyTerms, (hazard, some) => {
      const delays = Array.from({ length: LEARNED_BINS }, (_, bin) => hiOf(bin))
      const costs = delays.map((delay) => expectedPlanCost(gapOdds(hazard), some, { delay, warmUps: [] }))
      for (const [at, cost] of expectedCosts(hazard, delays, some.wakeCost).entries())
        expect(costs[at]).toBeCloseTo(cost, 8)
    }),
  )
})

test('a plan has its warm-ups after the delay, in order, as long as the lever allows, within the longest delay', () => {
  check(
    fc.property(hazards, anyTerms, fc.integer({ min: 0, max: 60 }), (hazard, some, more) => {
      const odds = gapOdds(hazard)
      for (const plan of [bestPlan(odds, some), planAfter(odds, some, some.floor + more)]) {
        let asleepFrom = plan.delay
        let cost = plan.delay
        for (const { from, length } of plan.warmUps) {
          // asleep for a step at least
          expect(from).toBeGreaterThan(asleepFrom)
          const isAllowed = some.hasSuspendLever ? length >= some.floor : length === plan.delay
          expect(isAllowed).toBe(true)
          asleepFrom = from + length
          cost += length + some.startCost
        }
        const isOutweighed = !some.hasSuspendLever && some.wakeCost <= plan.delay + 1
        expect(plan.warmUps.length > 0 && cost > longestDelay(some)).toBe(false)
        expect(isOutweighed && plan.warmUps.length > 0).toBe(false)
        expect(plan.delay).toBeGreaterThanOrEqual(some.floor)
      }
    }),
    400,
  )
})

test('warm-ups never cost more than the delay that they follow', () => {
  check(
    fc.property(hazards, anyTerms, fc.integer({ min: 0, max: 60 }), (hazard, some, more) => {
      const odds = gapOdds(hazard)
      const delay = some.floor + more
      const without = expectedPlanCost(odds, some, { delay, warmUps: [] })
      expect(expectedPlanCost(odds, some, planAfter(odds, some, delay))).toBeLessThanOrEqual(without + 1e-9)
    }),
    400,
  )
})

// a wake so expensive that the longest delay leaves nothing out
const unbounded = fc.record({
  wakeCost: fc.integer({ min: 100, max: 300 }),
  startCost: fc.constantFrom(START, 1),
  floor: fc.integer({ min: 1, max: 8 }),
})

test('with the lever no other plan costs less', () => {
  check(
    fc.property(hazards, unbounded, parts, fc.integer({ min: 0, max: 120 }), (hazard, some, others, more) => {
      const odds = gapOdds(hazard)
      const free = { ...some, hasSuspendLever: true }
      const other = planOf(
        some.floor + more,
        others.map(([pause, length]) => [pause, some.floor + length]),
      )
      const least = expectedPlanCost(odds, some, bestPlan(odds, free))
      expect(least).toBeLessThanOrEqual(expectedPlanCost(odds, some, other) + 1e-9)
    }),
    400,
  )
})

/** Each up to 8, then every fourth. */
const triedDelays = fc.oneof(
  fc.integer({ min: 1, max: 8 }),
  fc.integer({ min: 3, max: 24 }).map((fourth) => 4 * fourth),
)

test('without the lever no other plan whose warm-ups last for its delay costs less', () => {
  check(
    fc.property(hazards, unbounded, parts, triedDelays, (hazard, some, others, tried) => {
      const odds = gapOdds(hazard)
      const bound = { ...some, hasSuspendLever: false }
      const delay = Math.max(some.floor, tried)
      const other = planOf(
        delay,
        others.map(([pause]) => [pause, delay]),
      )
      const least = expectedPlanCost(odds, some, bestPlan(odds, bound))
      expect(least).toBeLessThanOrEqual(expectedPlanCost(odds, some, other) + 1e-9)
    }),
    400,
  )
})

test('a probability of a longer gap falls from 1 on', () => {
  check(
    fc.property(hazards, (hazard) => {
      const { survival } = gapOdds(hazard)
      expect(survival[0]).toBe(1)
      for (let bin = 0; bin < LEARNED_BINS; bin += 1) {
        const [reached, passed] = [survival[loOf(bin) - 1] ?? 0, survival[hiOf(bin)] ?? 0]
        expect(passed).toBeCloseTo(reached * (1 - hazard(bin)), 12)
      }
    }),
  )
})
