// The bound of the guard with warm-ups: it is the same as without them, whatever plans are wanted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GapPlan } from '../../../src/advise/delay/gap-plan.ts'
import { createFleetHazard } from '../../../src/advise/delay/fleet-hazard.ts'
import { createGuard, longestDelay, withinLongest } from '../../../src/advise/delay/guard.ts'
import { createWarmUpLearner } from '../../../src/advise/delay/warm-learner.ts'
import type { WarmUpTerms } from '../../../src/advise/delay/warm-plan.ts'
import { check } from '../../support/property.ts'
import { longTest, splitCases } from '../../support/tiers.ts'

/** Length of the next gap, minutes, by the plan that awaits it: an adversary knows it. */
type Adversary = (plan: GapPlan, gap: number) => number

/** Far longer than any plan. */
const SILENCE = 10_000

const justAfter = ({ delay, warmUps }: GapPlan): number => {
  const last = warmUps.at(-1)
  return (last ? last.from + last.length : delay) + 1
}

/** Just before the first warm-up would begin. */
const justBefore = ({ delay, warmUps }: GapPlan): number => warmUps[0]?.from ?? delay + 1

/** A timer, until the learner starts the compute ahead of it. */
const lured =
  (answer: (plan: GapPlan) => number): Adversary =>
  (plan) =>
    plan.warmUps.length > 0 ? answer(plan) : 19

const ADVERSARIES: Readonly<Record<string, Adversary>> = {
  'a timer, then just after each warm-up': lured(justAfter),
  'a timer, then just before each warm-up': lured(justBefore),
  'a timer, then silence': lured(() => SILENCE),
  'ten gaps of a timer, ten just after all warm-ups': (plan, gap) => (gap % 20 < 10 ? 29 : justAfter(plan)),
  'ten gaps of a timer, ten silences': (_, gap) => (gap % 20 < 10 ? 19 : SILENCE),
  'two timers by turns, then just before': (plan, gap) =>
    gap % 60 < 40 ? 7 + 20 * (gap % 2) : justBefore(plan),
}

const TERMS: readonly WarmUpTerms[] = [5, 15, 30].flatMap((wakeCost) =>
  [true, false].flatMap((hasSuspendLever) =>
    [
      { floor: 1, startCost: 1 / 12 },
      { floor: 10, startCost: 1 },
    ].map((more) => ({ wakeCost, hasSuspendLever, ...more })),
  ),
)

type Outcome = Readonly<{ overBound: number; overOptimum: number; warmUps: number }>

/** Largest excess over both bounds, minutes: at most 0 where they hold. */
function duel(terms: WarmUpTerms, adversary: Adversary, minutes: number): Outcome {
  const guard = createGuard(terms)
  const learner = createWarmUpLearner(terms, createFleetHazard())
  let [at, time, optimum] = [1, 0, 0]
  let [overBound, overOptimum, warmUps] = [-Infinity, -Infinity, 0]
  for (let gap = 0; time < minutes; gap += 1) {
    const delay = guard.bind(learner.decide(at))
    const plan = guard.bindWarmUps({ delay, warmUps: learner.warmUps(delay) })
    const length = adversary(plan, gap)
    const before = guard.totals().applied
    guard.add(length, plan)
    learner.learn(length)
    at += length + 1
    optimum += Math.min(length, terms.floor + terms.wakeCost)
    warmUps += plan.warmUps.length
    const { applied, ski } = guard.totals()
    // a silence takes no longer than what it costs, or the horizon would end after a few
    time += 1 + applied - before
    overBound = Math.max(overBound, applied - 1.05 * ski - 7 * terms.wakeCost)
    overOptimum = Math.max(overOptimum, applied - 2.1 * optimum - 7 * terms.wakeCost)
  }
  return { overBound, overOptimum, warmUps }
}

const cases = Object.entries(ADVERSARIES).flatMap(([name, adversary]) =>
  TERMS.map((terms) => [name, terms, adversary] as const),
)

/** Each adversary twice. */
const [short, others] = splitCases(cases, TERMS.length / 2 + 1)

/** Number of warm-ups of a duel in which both bounds hold. */
function held(terms: WarmUpTerms, adversary: Adversary, minutes: number): number {
  const { overBound, overOptimum, warmUps } = duel(terms, adversary, minutes)
  expect(overBound).toBeLessThanOrEqual(0)
  expect(overOptimum).toBeLessThanOrEqual(0)
  return warmUps
}

describe('both bounds hold against every adversary of warm-ups', () => {
  test.each(Object.entries(ADVERSARIES))('%s has met warm-ups', (_, adversary) => {
    const terms = { wakeCost: 15, floor: 1, startCost: 1 / 12, hasSuspendLever: true }
    expect(held(terms, adversary, 2e3)).toBeGreaterThan(0)
  })

  test.each(short)('10^4 minutes: %s, %o', (_, terms, adversary) => {
    held(terms, adversary, 1e4)
  })

  longTest.each(others)('10^4 minutes: %s, %o', (_, terms, adversary) => {
    held(terms, adversary, 1e4)
  })

  longTest.each(cases.filter(([, { floor, wakeCost }]) => floor === 1 && wakeCost === 5))(
    '5·10^4 minutes: %s, %o',
    (_, terms, adversary) => {
      held(terms, adversary, 5e4)
    },
  )
})

const anyTerms = fc.record({
  wakeCost: fc.integer({ min: 1, max: 60 }),
  floor: fc.integer({ min: 1, max: 60 }),
  startCost: fc.constantFrom(1 / 12, 1, 5),
})

const plans = fc.array(
  fc.record({
    delay: fc.integer({ min: 1, max: 400 }),
    parts: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 200 })), {
      maxLength: 6,
    }),
  }),
  { minLength: 1, maxLength: 20 },
)

const gaps = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 400 }), fc.constant(SILENCE)),
  { maxLength: 300 },
)

/** Warm-ups one after the other, with pauses. */
function planFrom(delay: number, parts: readonly (readonly [number, number])[]): GapPlan {
  let from = delay
  const warmUps = parts.map(([pause, length]) => {
    from += pause
    const warmUp = { from, length }
    from += length
    return warmUp
  })
  return { delay, warmUps }
}

test('both bounds hold for all gaps, whatever plans are wanted', () => {
  check(
    fc.property(anyTerms, gaps, plans, (terms, lengths, wanted) => {
      const { wakeCost, floor } = terms
      const guard = createGuard(terms)
      let optimum = 0
      for (const [at, length] of lengths.entries()) {
        const one = wanted[at % wanted.length]
        const delay = guard.bind(Math.max(floor, one?.delay ?? floor))
        guard.add(length, guard.bindWarmUps(planFrom(delay, one?.parts ?? [])))
        optimum += Math.min(length, floor + wakeCost)
        const { applied, ski } = guard.totals()
        expect(applied).toBeLessThanOrEqual(1.05 * ski + 7 * wakeCost + 1e-6)
        expect(applied).toBeLessThanOrEqual(2.1 * optimum + 7 * wakeCost + 1e-6)
      }
    }),
    400,
  )
})

test('unless it binds, it leaves the first warm-ups that fit in the longest delay, each with its start', () => {
  const terms = { wakeCost: 5, floor: 1, startCost: 1 }
  const wanted = planFrom(2, [
    [3, 8],
    [3, 7],
    [3, 1],
  ])
  expect(longestDelay(terms)).toBe(20)
  // 2 + 8 + 1 + 7 + 1 are 19, the third would make it 21
  expect(createGuard(terms).bindWarmUps(wanted)).toEqual({ delay: 2, warmUps: wanted.warmUps.slice(0, 2) })
  expect(withinLongest({ ...wanted, delay: 4 }, terms).warmUps).toHaveLength(1)
})

test('while it binds, ski rental decides without warm-ups', () => {
  const terms = { wakeCost: 5, floor: 1, startCost: 1 }
  const guard = createGuard(terms)
  const wanted = planFrom(1, [[5, 10]])
  let warmed = 0
  while (guard.bindWarmUps(wanted).warmUps.length > 0 && warmed < 100) {
    guard.add(SILENCE, wanted)
    warmed += 1
  }
  // each silence costs 17 in place of 10, and 10.5 are allowed: over two wakes after the second
  expect(warmed).toBe(2)
  expect(guard.bind(1)).toBe(5)
})
