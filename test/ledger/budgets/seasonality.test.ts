// What is usual at this time of the week, learned from weeks on the wall clock, those of 167 and 169 hours included.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupByCompute, settleBudget, applyLateDiscoveries } from '../../../src/ledger/budgets/settle.ts'
import type { Budget, BudgetState } from '../../../src/model/policy/budget.ts'
import type { AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import { instant, type Instant } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'
import { at, zoneOf } from '../../support/zones.ts'
import { advanceBudget, budgetOf, computeOf, HOUR, inputAt, money, sliceOf } from './build.ts'

const BERLIN = zoneOf('Europe/Berlin')
const DAY = 24 * HOUR
/** 1 CU is a burn of 1 in a month of 30 days. */
const evenly = (zone = BERLIN): Budget =>
  budgetOf({
    limit: money(720),
    wallAt: zone.wallAt,
    periodAt: () => ({ from: at('2026-11-01T00:00:00Z'), to: at('2026-12-01T00:00:00Z') }),
  })

/** Hour by hour what `sizeAt` says of the wall clock, settled once a day. */
function lived(budget: Budget, days: number, sizeAt: (hour: number, weekday: number) => number) {
  return (from: string): BudgetState | undefined => {
    let state: BudgetState | undefined
    for (let day = 0; day < days; day += 1) {
      const begin = at(from) + day * DAY
      const slices = Array.from({ length: 24 }, (_, hour) => hourAt(instant(begin + hour * HOUR)))
      state = JSON.parse(
        JSON.stringify(settled(budget, state, { slices, now: instant(begin + DAY), since: at(from) })),
      ) as BudgetState
    }
    return state
  }
  function hourAt(begin: Instant): AwakeSlice {
    const shown = new Date(budget.wallAt(begin))
    return sliceOf(begin, 1, { cu: sizeAt(shown.getUTCHours(), shown.getUTCDay()) })
  }
}

type Settling = { readonly slices: readonly AwakeSlice[]; readonly now: Instant; readonly since: Instant }

const settled = (budget: Budget, state: BudgetState | undefined, { slices, now, since }: Settling) =>
  settleBudget(budget, state, { ...inputAt(now), settled: groupByCompute(slices), settledSince: since })

/** For 1 h, 6 h, a day and three days. */
const usualAt = (budget: Budget, state: BudgetState | undefined, now: string) =>
  advanceBudget(budget, state, inputAt(now)).view?.burns.map(({ usual }) => usual)

const office = (hour: number, weekday: number): number =>
  hour >= 8 && hour < 18 && weekday >= 1 && weekday <= 5 ? 4 : 0

test('who works in the office is expected there by day and not at night, before and after clocks go back', () => {
  const budget = evenly()
  const state = lived(budget, 60, office)('2026-09-21T00:00:00Z')
  // Thursday the 19th, in winter; the clocks went back on October 25
  expect(usualAt(budget, state, '2026-11-19T15:00:00Z')).toEqual([
    expect.closeTo(4),
    expect.closeTo(4),
    expect.closeTo(40 / 24),
    expect.any(Number),
  ])
  expect(usualAt(budget, state, '2026-11-19T02:00:00Z')).toEqual([
    0,
    0,
    expect.closeTo(40 / 24),
    expect.any(Number),
  ])
  // 8:00 and 18:00 on the wall
  expect(usualAt(budget, state, '2026-11-19T07:00:00Z')?.[0]).toBe(0)
  expect(usualAt(budget, state, '2026-11-19T08:00:00Z')?.[0]).toBeCloseTo(4, 5)
  expect(usualAt(budget, state, '2026-11-19T17:00:00Z')?.[0]).toBeCloseTo(4, 5)
  expect(usualAt(budget, state, '2026-11-19T18:00:00Z')?.[0]).toBe(0)
  expect(usualAt(budget, state, '2026-11-21T15:00:00Z')?.[0]).toBe(0)
})

test.each(['2026-03-10T00:00:00Z', '2026-10-10T00:00:00Z'])(
  'who spends evenly is expected to, also where an hour is shown twice or never: from %s',
  (from) => {
    const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/New_York']
    for (const name of zones) {
      const budget = evenly(zoneOf(name))
      const state = lived(budget, 50, () => 1)(from)
      // later the time after it, in which nothing was spent, is in it, too
      for (let hour = 0; hour < 72; hour += 1) {
        const now = new Date(at(from) + 50 * DAY + hour * HOUR).toISOString()
        for (const usual of usualAt(budget, state, now) ?? []) expect(usual).toBeCloseTo(1, 5)
      }
    }
  },
)

test('a new way of working is expected half as much as the old one after two weeks, and is bounded in memory', () => {
  const budget = evenly()
  const before = lived(budget, 60, () => 2)('2026-08-01T00:00:00Z')
  const quiet = Array.from({ length: 17 }, (_, day) => instant(at('2026-09-30T00:00:00Z') + (day + 1) * DAY))
  const after = quiet.reduce((state, now) => settled(budget, state, { slices: [], now, since: now }), before)
  // what is younger than three days is the pace's
  const [hour] = usualAt(budget, after, '2026-10-17T00:00:00Z') ?? []
  expect(hour).toBeGreaterThan(0.9)
  expect(hour).toBeLessThan(1.45)
  expect(JSON.stringify(after?.seasonality).length).toBeLessThan(4500)
})

test('nothing is expected before two weeks were counted, nor after somebody came of whom nothing is known', () => {
  const budget = evenly()
  const state = lived(budget, 14, () => 1)('2026-11-01T00:00:00Z')
  expect(usualAt(budget, state, '2026-11-14T23:00:00Z')).toEqual([undefined, undefined, undefined, undefined])
  expect(usualAt(budget, state, '2026-11-15T00:00:00Z')?.[0]).toBeCloseTo(1, 5)
  if (!state) throw new Error('no state')
  const knownFrom = at('2026-11-14T12:00:00Z')
  const joined = applyLateDiscoveries(budget, state, [{ compute: computeOf('ep-a'), knownFrom }])
  expect(usualAt(budget, joined, '2026-11-15T00:00:00Z')?.[0]).toBeUndefined()
})

test('what is settled is in the pace or in the season, once, in whatever order and however late it comes', () => {
  // 1970 began on a Thursday, and so do the weeks that fade
  const begin = at('2026-11-05T00:00:00Z')
  const slice = fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 1, max: 600 }))
  check(
    fc.property(fc.array(slice, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(5000)), (slices, turns) => {
      const world = slices.map(([from, length]) => sliceOf(instant(begin + from * 60_000), length / 60))
      const budget = budgetOf()
      let state = settled(budget, undefined, { slices: [], now: instant(begin), since: begin })
      const instants = turns.toSorted((a, b) => a - b).map((minute) => instant(begin + minute * 60_000))
      const share = Math.ceil(world.length / Math.max(1, instants.length))
      for (const [turn, now] of instants.entries())
        state = settled(budget, state, {
          slices: world.slice(turn * share, (turn + 1) * share),
          now,
          since: begin,
        })
      const given = world.slice(0, share * instants.length)
      const whole = given.reduce((sum, { likely }) => sum + ((likely.to - likely.from) * 1e6) / HOUR, 0)
      const kept = [...Object.values(state.spendBuckets), ...(state.seasonality?.spent ?? [])]
      const sum = kept.reduce((all, one) => all + one, 0)
      // an hour of the season is rounded each time it is written
      expect(Math.abs(sum - whole)).toBeLessThanOrEqual(24 * turns.length + 1)
      const time = (state.seasonality?.time ?? []).reduce((all, one) => all + one, 0)
      expect(time).toBe((state.seasonality?.until ?? begin) - begin)
    }),
  )
})
