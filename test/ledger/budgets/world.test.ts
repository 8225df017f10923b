// Months of passes over computes that wake and sleep, with restarts, against sums made directly from what happened.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountInLimitUnit } from '../../../src/ledger/budgets/period-totals.ts'
import { addSliceAmounts, NO_AMOUNTS } from '../../../src/ledger/settle/cu-time.ts'
import { clipSlice } from '../../../src/ledger/settle/slices.ts'
import { partsInside, partsOutside } from '../../../src/calendar/window.ts'
import { periodOf } from '../../../src/calendar/period.ts'
import type { Budget, BudgetState } from '../../../src/model/policy/budget.ts'
import type { AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import { instant, type Instant } from '../../../src/model/units.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { check } from '../../support/property.ts'
import { at, zoneOf } from '../../support/zones.ts'
import { advanceBudget, budgetOf, HOUR, inputAt, money, sliceOf } from './build.ts'

const BERLIN = zoneOf('Europe/Berlin')
const office = windowOf(weekly('Mon-Fri 08:00-19:00'))
const BUDGETS: readonly Budget[] = [
  budgetOf({ limit: money(60) }),
  budgetOf({ limit: money(3), periodAt: (now) => periodOf({ per: 'day', zone: BERLIN }, now) }),
  budgetOf({
    limit: money(15),
    periodAt: (now) => periodOf({ per: 'week', zone: BERLIN, anchor: 1 }, now),
    countedIn: (from, to) => partsOutside(office, from, to),
  }),
  budgetOf({
    limit: money(2),
    scope: { compute: ['ep-b'] },
    periodAt: (now) => periodOf({ per: 'window', window: office }, now),
    countedIn: (from, to) => partsInside(office, from, to),
  }),
]
const START = at('2026-10-20T00:00:00Z')
/** What is over for that long is settled. */
const LATENESS = HOUR / 4

/** Stretches of sleep and waking of one compute, in minutes. */
const life = fc.array(fc.tuple(fc.integer({ min: 5, max: 3000 }), fc.integer({ min: 1, max: 900 })), {
  maxLength: 30,
})

function wakings(id: string, stretches: readonly (readonly [number, number])[]): AwakeSlice[] {
  let now: number = START
  return stretches.map(([asleep, awake]) => {
    const slice = sliceOf(instant(now + asleep * 60_000), awake / 60, { id, cu: 0.25 })
    now += (asleep + awake) * 60_000
    return slice
  })
}

const until = (slices: readonly AwakeSlice[], now: Instant): AwakeSlice[] =>
  slices
    .filter(({ high }) => high.from < now)
    .flatMap((slice) => clipSlice(slice, [{ from: START, to: now }]))

test('what is counted is what happened in the period, and each rung is told once for it', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 5, maxLength: 60 })
  check(
    fc.property(fc.constantFrom(...BUDGETS), fc.tuple(life, life), gaps, (budget, [a, b], minutes) => {
      const world = [...wakings('ep-a', a), ...wakings('ep-b', b)]
      let state: BudgetState | undefined
      let before = START
      const told: string[] = []
      for (const gap of minutes) {
        const now = instant(before + gap * 60_000)
        const isSettled = (slice: AwakeSlice, by: Instant) => slice.high.to + LATENESS < by
        const input = inputAt(now, {
          settled: world.filter((slice) => isSettled(slice, now) && !isSettled(slice, before)),
          provisional: until(
            world.filter((slice) => !isSettled(slice, now)),
            now,
          ),
          settledSince: START,
        })
        const pass = advanceBudget(budget, state, input)
        state = JSON.parse(JSON.stringify(pass.state)) as BudgetState
        before = now
        const { view } = pass
        if (!view) throw new Error('no period')
        const happened = until(world, now)
          .filter(({ ref }) => budget.scope.compute === undefined || ref.endpointId === 'ep-b')
          .flatMap((slice) => clipSlice(slice, budget.countedIn(START, now)))
          .flatMap((slice) => clipSlice(slice, [view.period]))
        expect(view.spent).toEqual(amountInLimitUnit(addSliceAmounts(NO_AMOUNTS, happened), 'money'))
        expect(view.rungs.length > 0).toBe(view.share >= 0.5)
        for (const event of pass.events)
          if (event.kind === 'budget-rung') told.push(`${event.period.from} ${event.rung}`)
      }
      expect(new Set(told).size).toBe(told.length)
    }),
    200,
  )
})
