// The bound of the guard: what is paid under it is at most 1.05 times what ski rental would have paid, and seven wakes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGuard, gapCost, skiRentalDelay, type Guard } from '../../../src/advise/delay/guard.ts'
import { createDelayLearner } from '../../../src/advise/delay/learner.ts'
import { check } from '../../support/property.ts'
import { longTest, splitCases } from '../../support/tiers.ts'

/** Length of the next gap, minutes, by the delay that awaits it: an adversary knows it. */
type Adversary = (delay: number, gap: number) => number

type Terms = { readonly wakeCost: number; readonly floor: number }

/** Far longer than any delay. */
const SILENCE = 10_000

/** Gap by gap the same numbers, in [0, 1). */
const chance = (gap: number) => (Math.imul(gap + 1, 2_654_435_761) >>> 0) / 2 ** 32

const ADVERSARIES: Readonly<Record<string, (terms: Terms) => Adversary>> = {
  'just after each suspension': () => (delay) => delay + 1,
  'just after, then silence': () => (delay, gap) => (gap % 2 === 0 ? delay + 1 : SILENCE),
  'ten just after, ten silences': () => (delay, gap) => (gap % 20 < 10 ? delay + 1 : SILENCE),
  'just after while the delay is below a wake':
    ({ wakeCost }) =>
    (delay) =>
      delay < wakeCost ? delay + 1 : 1,
  'twenty gaps of the delay, twenty just after': () => (delay, gap) => (gap % 40 < 20 ? delay : delay + 1),
  chance:
    ({ wakeCost }) =>
    (_, gap) =>
      Math.ceil(6 * wakeCost * chance(gap)),
}

const TERMS: readonly Terms[] = [5, 15, 30].flatMap((wakeCost) =>
  [1, 20].map((floor) => ({ wakeCost, floor })),
)

type Outcome = { readonly overBound: number; readonly overOptimum: number }

/** Largest excess over both bounds, minutes: at most 0 where they hold. Without a guard the learner decides alone. */
function duel(
  terms: Terms,
  adversary: Adversary,
  { minutes, guarded = true }: { minutes: number; guarded?: boolean },
): Outcome {
  const { wakeCost, floor } = terms
  const guard = createGuard(terms)
  const learner = createDelayLearner(terms)
  let at = 1
  const decide = () => (guarded ? guard.bind(learner.decide(at)) : learner.decide(at))
  let [time, optimum, overBound, overOptimum] = [0, 0, -Infinity, -Infinity]
  for (let gap = 0; time < minutes; gap += 1) {
    const delay = decide()
    const length = adversary(delay, gap)
    guard.add(length, { delay, warmUps: [] })
    learner.learn(length)
    at += length + 1
    optimum += Math.min(length, floor + wakeCost)
    // a silence takes no longer than what it costs, or the horizon would end after a few
    time += 1 + Math.min(length, delay + wakeCost)
    const { applied, ski } = guard.totals()
    overBound = Math.max(overBound, applied - 1.05 * ski - 7 * wakeCost)
    overOptimum = Math.max(overOptimum, applied - 2.1 * optimum - 8 * wakeCost)
  }
  return { overBound, overOptimum }
}

const cases = Object.entries(ADVERSARIES).flatMap(([name, adversary]) =>
  TERMS.map((terms) => [name, terms, adversary(terms)] as const),
)

/** Each adversary once. */
const [short, others] = splitCases(cases, TERMS.length + 1)

describe('both bounds hold against every adversary', () => {
  test.each(short)('10^4 minutes: %s, %o', (_, terms, adversary) => {
    const { overBound, overOptimum } = duel(terms, adversary, { minutes: 1e4 })
    expect(overBound).toBeLessThanOrEqual(0)
    expect(overOptimum).toBeLessThanOrEqual(0)
  })

  longTest.each(others)('10^4 minutes: %s, %o', (_, terms, adversary) => {
    const { overBound, overOptimum } = duel(terms, adversary, { minutes: 1e4 })
    expect(overBound).toBeLessThanOrEqual(0)
    expect(overOptimum).toBeLessThanOrEqual(0)
  })

  // the cheapest wake has the most gaps in that time
  longTest.each(cases.filter(([, { floor, wakeCost }]) => floor === 1 && wakeCost === 5))(
    '10^5 minutes: %s, %o',
    (_, terms, adversary) => {
      const { overBound, overOptimum } = duel(terms, adversary, { minutes: 1e5 })
      expect(overBound).toBeLessThanOrEqual(0)
      expect(overOptimum).toBeLessThanOrEqual(0)
    },
  )
})

test('without the guard an adversary exceeds the bound by more than a hundred wakes', () => {
  const worst = short.map(
    ([, terms, adversary]) =>
      duel(terms, adversary, { minutes: 1e4, guarded: false }).overBound / terms.wakeCost,
  )
  expect(Math.max(...worst)).toBeGreaterThan(100)
})

const gaps = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5000 })), {
  maxLength: 300,
})
const terms = fc.record({ wakeCost: fc.integer({ min: 1, max: 60 }), floor: fc.integer({ min: 1, max: 60 }) })

const pay = (guard: Guard, length: number, wanted: number) =>
  guard.add(length, { delay: guard.bind(wanted), warmUps: [] })

test('both bounds hold for all gaps, whatever delays are wanted', () => {
  check(
    fc.property(
      terms,
      gaps,
      fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 20 }),
      (some, lengths, wanted) => {
        const { wakeCost, floor } = some
        const guard = createGuard(some)
        let optimum = 0
        for (const [at, length] of lengths.entries()) {
          pay(guard, length, Math.max(floor, wanted[at % wanted.length] ?? floor))
          optimum += Math.min(length, floor + wakeCost)
          const { applied, ski } = guard.totals()
          expect(applied).toBeLessThanOrEqual(1.05 * ski + 7 * wakeCost)
          expect(applied).toBeLessThanOrEqual(2.1 * optimum + 8 * wakeCost)
        }
      },
    ),
    400,
  )
})

test('ski rental pays at most twice the optimum', () => {
  check(
    fc.property(terms, fc.integer({ min: 1, max: 10_000 }), (some, length) => {
      const paid = gapCost(length, skiRentalDelay(some), some.wakeCost)
      expect(paid).toBeLessThanOrEqual(2 * Math.min(length, some.floor + some.wakeCost))
    }),
  )
})
