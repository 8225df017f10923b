// The counter of a budget, over passes that guess, processes that die and configurations that change.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { raiseBudgetCounter } from '../../../src/ledger/budgets/evaluate.ts'
import type { BudgetState } from '../../../src/model/policy/budget.ts'
import type { BudgetCounter } from '../../../src/model/ledger/counters.ts'
import { instant, type Instant } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'
import { at } from '../../support/zones.ts'
import { advanceBudget, budgetOf, cuHours, HOUR, inputAt, sliceOf } from './build.ts'

const MINUTE = 60_000
const START = at('2026-10-20T00:00:00Z')
const budget = budgetOf()

/** Minutes asleep, minutes awake, and how many more a pass in the middle takes it to be awake. */
const waking = fc.tuple(
  fc.integer({ min: 60, max: 600 }),
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 0, max: 10 }),
)
/** Minutes until the next pass, and how much of what it stores survives. */
const turn = fc.tuple(fc.integer({ min: 1, max: 120 }), fc.constantFrom('all', 'settled', 'nothing'))

type Waking = { readonly from: Instant; readonly to: Instant; readonly guess: number }

function wakings(life: readonly (readonly [number, number, number])[]): readonly Waking[] {
  let now: number = START
  return life.map(([asleep, awake, guess]) => {
    const from = instant(now + asleep * MINUTE)
    now = from + awake * MINUTE
    return { from, to: instant(now), guess: guess * MINUTE }
  })
}

const span = (from: Instant, to: number) => sliceOf(from, (to - from) / HOUR)
/** Micros that really were spent by `now`, at 1 CU. */
const truth = (world: readonly Waking[], now: Instant): number =>
  world.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - from), 0) * (1e6 / HOUR)
const isSettled = ({ to }: Waking, by: Instant): boolean => to + HOUR / 4 < by

test('the counter never falls, is never below the real spend, and above it by at most the guess', () => {
  check(
    fc.property(fc.array(waking, { maxLength: 20 }), fc.array(turn, { maxLength: 80 }), (life, turns) => {
      const world = wakings(life)
      let stored: { state: BudgetState | undefined; counter: BudgetCounter | undefined; at: Instant } = {
        state: undefined,
        counter: undefined,
        at: START,
      }
      let [now, shown, guessed] = [START, 0, 0]
      for (const [gap, survives] of turns) {
        now = instant(now + gap * MINUTE)
        const open = world.filter((one) => one.from < now && !isSettled(one, now))
        const guesses = open.map(({ from, to, guess }) => span(from, to > now ? now + guess : to))
        const since = stored.at
        const settled = world.filter((one) => isSettled(one, now) && !isSettled(one, since))
        const pass = advanceBudget(
          budget,
          stored.state,
          inputAt(now, {
            settled: settled.map(({ from, to }) => span(from, to)),
            provisional: guesses,
            counter: stored.counter,
            settledSince: START,
          }),
        )
        guessed = Math.max(guessed, ...open.map(({ to, guess }) => (to > now ? guess : 0)))
        if (survives === 'nothing') continue
        stored = { state: pass.state, counter: survives === 'all' ? pass.counter : stored.counter, at: now }
        if (survives === 'settled') continue
        const total = pass.view?.total ?? 0
        expect(total).toBeGreaterThanOrEqual(shown)
        expect(total).toBeGreaterThanOrEqual(truth(world, now) - 1)
        expect(total).toBeLessThanOrEqual(truth(world, now) + guessed * (1e6 / HOUR) + 1)
        shown = total
      }
    }),
  )
})

const pass = (now: string, hours: number, counter?: BudgetCounter, isUnobserved = false) =>
  advanceBudget(
    budget,
    undefined,
    inputAt(now, { provisional: [sliceOf('2026-11-02T00:00:00Z', hours)], counter, isUnobserved }),
  )

test('provisional usage counts, and after a guess that was too high the counter waits for real usage', () => {
  const first = pass('2026-11-02T02:00:00Z', 2).counter
  expect(first.value).toBe(2e6)
  const restated = pass('2026-11-02T02:10:00Z', 1, first).counter
  expect(restated).toBe(first)
  expect(pass('2026-11-02T03:00:00Z', 3, restated).counter.value).toBe(3e6)
})

test('usage that may have accrued while the service did not answer is in the spend, not in the counter', () => {
  const first = pass('2026-11-02T02:00:00Z', 2).counter
  const blind = pass('2026-11-02T03:00:00Z', 3, first, true)
  expect(blind.counter).toBe(first)
  expect(blind.view).toMatchObject({ total: 2e6, spent: { likely: 3e6 } })
  expect(pass('2026-11-02T04:00:00Z', 3, blind.counter).counter.value).toBe(3e6)
})

test('another definition continues the counter, another unit starts a new one', () => {
  const before = raiseBudgetCounter(budget, undefined, 70)
  const other = raiseBudgetCounter(budgetOf({ definition: 'other' }), before, 40)
  expect(other.value).toBe(70)
  expect(raiseBudgetCounter(budgetOf({ definition: 'other' }), other, 45).value).toBe(75)
  expect(raiseBudgetCounter(budgetOf({ limit: cuHours(5) }), other, 3)).toMatchObject({
    unit: 'cu_hours',
    value: 3,
  })
})
