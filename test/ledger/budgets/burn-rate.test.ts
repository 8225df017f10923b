import { describe, expect, test } from 'vitest'
import { periodOf } from '../../../src/calendar/period.ts'
import type { BudgetState, BurnRate } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { cu, instant, type Instant } from '../../../src/model/units.ts'
import { at } from '../../support/zones.ts'
import {
  advanceBudget,
  awakeHours,
  budgetOf,
  computeOf,
  cuHours,
  HOUR,
  inputAt,
  money,
  sliceOf,
  UTC,
} from './build.ts'

const NOVEMBER = at('2026-11-01T00:00:00Z')
const burned = (burns: readonly BurnRate[] | undefined) =>
  burns?.map(({ burn }) => burn && Number(burn.toFixed(6)))

/** Each hour is settled an hour after it ended; until then it is provisional. `rate` CU from hour to hour. */
function run(hours: number, rate: (hour: number) => number, budget = budgetOf({ limit: money(720) })) {
  const hourly = (hour: number) => sliceOf(instant(NOVEMBER + hour * HOUR), 1, { cu: rate(hour) })
  let state: BudgetState | undefined
  let burns: readonly BurnRate[] | undefined
  for (let now = 1; now <= hours; now += 1) {
    const pass = advanceBudget(
      budget,
      state,
      inputAt(instant(NOVEMBER + now * HOUR), {
        settled: now > 1 ? [hourly(now - 2)] : [],
        provisional: [hourly(now - 1)],
        settledSince: NOVEMBER,
      }),
    )
    state = JSON.parse(JSON.stringify(pass.state)) as BudgetState
    burns = pass.view?.burns
  }
  return { state, burns }
}

describe('burn', () => {
  test('is 1 in every window when the limit is spent evenly', () => {
    expect(burned(run(80, () => 1).burns)).toEqual([1, 1, 1, 1])
  })

  test('is what was spent in the window by what was planned for it', () => {
    expect(burned(run(80, (hour) => (hour === 79 ? 24 : 0)).burns)).toEqual([24, 4, 1, 0.333333])
    expect(burned(run(80, (hour) => (hour < 56 ? 3 : 0)).burns)).toEqual([0, 0, 0, 2])
  })

  test('is not known before that much time was counted', () => {
    expect(burned(run(7, () => 1).burns)).toEqual([1, 1, undefined, undefined])
  })

  test('reaches back over the edge of the period', () => {
    const daily = budgetOf({ limit: money(24), periodAt: (now) => periodOf({ per: 'day', zone: UTC }, now) })
    expect(burned(run(73, () => 1, daily).burns)).toEqual([1, 1, 1, 1])
  })

  test.each([
    ['CU-hours', cuHours(1440)],
    ['awake hours', awakeHours(720)],
  ])('is of %s, too', (_, limit) => {
    expect(burned(run(80, () => 2, budgetOf({ limit })).burns)).toEqual([1, 1, 1, 1])
  })

  test('is counted to the minute where it begins inside five', () => {
    const input = inputAt('2026-11-20T12:02:00Z', {
      settled: [sliceOf('2026-11-20T00:00:00Z', 12)],
      settledSince: NOVEMBER,
    })
    const { view } = advanceBudget(budgetOf({ limit: money(720) }), undefined, input)
    expect(burned(view?.burns)?.[0]).toBeCloseTo(58 / 60)
  })

  test('keeps no more than three days', () => {
    const { state } = run(400, () => 1)
    expect(Object.keys(state?.spendBuckets ?? {}).length).toBeLessThanOrEqual(72 * 12 + 1)
  })
})

const tiersOf = (maxCu: number) => {
  const computes = new Map([computeOf('ep-a', { maxCu: cu(maxCu) })].map((one) => [computeKey(one.ref), one]))
  const now: Instant = at('2026-11-20T12:00:00Z')
  const { view } = advanceBudget(budgetOf({ limit: money(720) }), undefined, inputAt(now, { computes }))
  return {
    maxBurn: view?.maxBurn,
    tiers: view?.burns.map(({ threshold, off }) => off ?? (threshold && Number(threshold.toFixed(6)))),
  }
}

describe('the tiers', () => {
  test.each([
    ['as usual where there is room', 56, [14.4, 6, 2, 'left-to-forecast']],
    ['lowered where all computes together burn less', 5, [4, 4, 2, 'left-to-forecast']],
    ['partly off', 2, ['out-of-reach', 1.6, 1.6, 'left-to-forecast']],
    ['off where nothing but the floor can be reached', 2.5, ['out-of-reach', 2, 2, 'left-to-forecast']],
    ['all off', 1, ['out-of-reach', 'out-of-reach', 'out-of-reach', 'left-to-forecast']],
  ])('%s', (_, maxCu, expected) => {
    expect(tiersOf(maxCu)).toEqual({ maxBurn: maxCu, tiers: expected })
  })

  test('are by window', () => {
    const { view } = advanceBudget(budgetOf(), undefined, inputAt('2026-11-20T12:00:00Z'))
    expect(view?.burns.map(({ window }) => window / 3600)).toEqual([1, 6, 24, 72])
  })
})
