import { describe, expect, test } from 'vitest'
import { mayActOn } from '../../../src/ledger/budgets/evaluate.ts'
import { partsInside, partsOutside } from '../../../src/calendar/window.ts'
import { periodOf } from '../../../src/calendar/period.ts'
import type { Budget, BudgetState } from '../../../src/model/policy/budget.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { instant, ratio } from '../../../src/model/units.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { at } from '../../support/zones.ts'
import {
  advanceBudget,
  type BudgetInput,
  awakeHours,
  budgetOf,
  computeOf,
  cuHours,
  HOUR,
  inputAt,
  money,
  refOf,
  sliceOf,
  UTC,
} from './build.ts'

const MILLION = 1_000_000

/** One pass after the other, with the state as a store would give it back: what each showed and told. */
function passes(inputs: readonly BudgetInput[], budget: Budget = budgetOf()) {
  let state: BudgetState | undefined
  return inputs.map((input) => {
    const pass = advanceBudget(budget, state, input)
    state = JSON.parse(JSON.stringify(pass.state)) as BudgetState
    return {
      ...pass,
      spent: pass.view?.spent.likely,
      told: pass.events.flatMap((event) => (event.kind === 'budget-rung' ? [event.rung] : [])),
    }
  })
}

const onePass = (budget: Partial<Budget>, input: BudgetInput) =>
  advanceBudget(budgetOf(budget), undefined, input)
const november = (day: number, hour = 0) =>
  instant(at('2026-11-01T00:00:00Z') + (day - 1) * 24 * HOUR + hour * HOUR)

describe('what is counted', () => {
  test('is what was settled, and what is not settled yet on top of it, never both', () => {
    const [first, second] = [sliceOf('2026-11-02T00:00:00Z', 2), sliceOf('2026-11-02T10:00:00Z', 3)]
    const spent = passes([
      inputAt('2026-11-02T01:00:00Z', { provisional: [sliceOf('2026-11-02T00:00:00Z', 1)] }),
      inputAt('2026-11-02T02:30:00Z', { provisional: [first] }),
      inputAt('2026-11-02T03:00:00Z', { settled: [first] }),
      inputAt('2026-11-02T12:00:00Z', { provisional: [sliceOf('2026-11-02T10:00:00Z', 2)] }),
      inputAt('2026-11-02T14:00:00Z', { settled: [second] }),
      inputAt('2026-11-02T14:00:00Z'),
    ]).map((pass) => pass.spent)
    expect(spent).toEqual([1, 2, 2, 4, 5, 5].map((units) => units * MILLION))
  })

  test.each([
    ['money', money(10), 6 * MILLION],
    ['CU-hours', cuHours(10), 6 * HOUR],
    ['awake hours', awakeHours(10), 3 * HOUR],
  ])('is counted in %s', (_, limit, likely) => {
    const { view } = onePass(
      { limit },
      inputAt('2026-11-02T14:00:00Z', { settled: [sliceOf('2026-11-02T00:00:00Z', 3, { cu: 2 })] }),
    )
    expect(view).toMatchObject({
      spent: { low: likely, likely, high: likely },
      share: likely / limit.amount,
      remaining: limit.amount - likely,
    })
  })

  test('begins anew with each period; what straddles the edge is in both', () => {
    const over = sliceOf('2026-11-30T20:00:00Z', 10)
    const all = passes([
      inputAt('2026-11-30T23:00:00Z', { provisional: [sliceOf('2026-11-30T20:00:00Z', 3)] }),
      inputAt('2026-12-01T02:00:00Z', { provisional: [sliceOf('2026-11-30T20:00:00Z', 6)] }),
      inputAt('2026-12-01T07:00:00Z', { settled: [over] }),
    ])
    expect(all.map(({ spent }) => spent)).toEqual([3, 2, 6].map((units) => units * MILLION))
    expect(all[2]?.state.records.map(({ settled }) => settled.all.awake.likely / HOUR)).toEqual([4, 6])
  })

  test('has the bounds of its slices', () => {
    const slice = {
      ...sliceOf('2026-11-02T00:00:00Z', 4),
      low: { from: at('2026-11-02T01:00:00Z'), to: at('2026-11-02T02:00:00Z') },
      likely: { from: at('2026-11-02T01:00:00Z'), to: at('2026-11-02T03:00:00Z') },
    }
    const { view } = onePass({}, inputAt('2026-11-03T00:00:00Z', { provisional: [slice] }))
    expect(view?.spent).toEqual({ low: MILLION, likely: 2 * MILLION, high: 4 * MILLION })
  })

  test('lies inside its window, or outside', () => {
    const office = windowOf(weekly('Mon-Fri 08:00-19:00', 'UTC'))
    const input = inputAt('2026-11-23T12:00:00Z', { provisional: [sliceOf('2026-11-20T18:00:00Z', 66)] })
    const inOffice = onePass({ countedIn: (from, to) => partsInside(office, from, to) }, input)
    const beside = onePass({ countedIn: (from, to) => partsOutside(office, from, to) }, input)
    expect([inOffice.view?.spent.likely, beside.view?.spent.likely]).toEqual([5 * MILLION, 61 * MILLION])
  })

  test('is of the computes in scope, also of those that are gone', () => {
    const computes = new Map(
      [computeOf('ep-a', { isDeleted: true }), computeOf('ep-b'), computeOf('ep-c')].map((one) => [
        computeKey(one.ref),
        one,
      ]),
    )
    const provisional = ['ep-a', 'ep-b', 'ep-c'].map((id, index) =>
      sliceOf('2026-11-02T00:00:00Z', 10 ** index, { id }),
    )
    const { view } = onePass(
      { scope: { compute: ['ep-a', 'ep-c'] } },
      inputAt('2026-11-20T00:00:00Z', { computes, provisional }),
    )
    expect(view?.spent.likely).toBe(101 * MILLION)
    expect(view?.maxBurn).toBeCloseTo((4 * 720) / 100)
  })

  test('is known from the first pass on, or from as far back as it was given', () => {
    const [first, later] = passes([inputAt('2026-11-10T00:00:00Z'), inputAt('2026-12-10T00:00:00Z')])
    expect(first?.view?.knownFrom).toBe(at('2026-11-10T00:00:00Z'))
    expect(later?.view?.knownFrom).toBe(at('2026-12-01T00:00:00Z'))
    const given = onePass({}, inputAt('2026-11-10T00:00:00Z', { settledSince: at('2026-10-01T00:00:00Z') }))
    expect(given.view?.knownFrom).toBe(at('2026-11-01T00:00:00Z'))
  })

  test('is known from when a clock that was ahead came back', () => {
    const [, later] = passes([inputAt('2030-01-01T00:00:00Z'), inputAt('2026-11-10T00:00:00Z')])
    expect(later?.view?.knownFrom).toBe(at('2026-11-10T00:00:00Z'))
  })

  test('begins anew when something else is to be counted', () => {
    const { state } = onePass(
      {},
      inputAt('2026-11-10T00:00:00Z', { settled: [sliceOf('2026-11-02T00:00:00Z', 3)] }),
    )
    const changed = advanceBudget(budgetOf({ definition: 'others' }), state, inputAt('2026-11-11T00:00:00Z'))
    expect(changed.view).toMatchObject({ spent: { likely: 0 }, knownFrom: at('2026-11-11T00:00:00Z') })
  })

  test('has no view where there is no period', () => {
    expect(onePass({ periodAt: () => undefined }, inputAt('2026-11-10T00:00:00Z'))).toMatchObject({
      view: undefined,
      events: [],
    })
  })
})

const spending = (day: number, units: number) =>
  inputAt(november(day), { provisional: [sliceOf(november(1), 1, { cu: units })] })

describe('a rung', () => {
  test('fires once, also when the spend is restated below it and rises again', () => {
    const told = passes(
      [49.9, 50, 51, 49, 52, 80, 79, 85, 100, 99, 109.9, 110, 300].map((units, day) =>
        spending(day + 2, units),
      ),
    )
    expect(told.map((pass) => pass.told)).toEqual([
      [],
      [50],
      [],
      [],
      [],
      [80],
      [],
      [],
      [100],
      [],
      [],
      [110],
      [],
    ])
    expect(told.at(-1)?.view?.rungs).toEqual([50, 80, 100, 110])
  })

  test('that was passed with another is told with it', () => {
    const [pass] = passes([spending(2, 104)])
    expect(pass?.events).toEqual([
      {
        account: 'main',
        at: november(2),
        kind: 'budget-rung',
        budget: 'all',
        rung: 100,
        spent: { low: 104 * MILLION, likely: 104 * MILLION, high: 104 * MILLION },
        limit: money(100),
        period: { from: november(1), to: at('2026-12-01T00:00:00Z') },
      },
    ])
    expect(pass?.view?.rungs).toEqual([50, 80, 100])
  })

  test('fires again in the next period, and not again when the clock steps back over the edge', () => {
    const december = { provisional: [sliceOf('2026-12-01T00:00:00Z', 1, { cu: 60 })] }
    const both = [sliceOf(november(1), 1, { cu: 60 }), ...december.provisional]
    const told = passes([
      spending(30, 60),
      inputAt('2026-12-01T01:00:00Z', december),
      inputAt('2026-11-30T23:59:00Z', { provisional: both }),
      inputAt('2026-12-01T01:01:00Z', { provisional: both }),
      inputAt('2031-12-01T01:01:00Z'),
      inputAt('2026-12-01T01:02:00Z', { provisional: both }),
    ])
    expect(told.map((pass) => pass.told)).toEqual([[50], [50], [], [], [], []])
  })

  test('reached by what settles after the end of the period is told, for that period', () => {
    const over = sliceOf('2026-11-30T23:00:00Z', 1, { cu: 90 })
    const all = passes([
      inputAt('2026-11-30T20:00:00Z'),
      inputAt('2026-12-01T00:10:00Z', { provisional: [over] }),
      inputAt('2026-12-01T00:30:00Z', { settled: [over] }),
    ])
    expect(all.map(({ told }) => told)).toEqual([[], [80], []])
    expect(all[1]?.events).toMatchObject([{ period: { from: november(1) }, spent: { likely: 90 * MILLION } }])
    expect(all[1]?.view).toMatchObject({ rungs: [], spent: { likely: 0 } })
  })

  test('of another limit fires for itself', () => {
    const { state } = onePass({}, spending(2, 100))
    const raised = advanceBudget(budgetOf({ limit: money(160) }), state, spending(3, 100))
    expect(raised.events).toMatchObject([{ rung: 50 }])
    const again = advanceBudget(budgetOf({ limit: money(160) }), raised.state, spending(4, 130))
    expect(again.events).toMatchObject([{ rung: 80 }])
  })

  test('of periods long past is forgotten', () => {
    const daily = budgetOf({ periodAt: (now) => periodOf({ per: 'day', zone: UTC }, now) })
    const all = passes(
      Array.from({ length: 30 }, (_, day) => inputAt(november(day + 1))),
      daily,
    )
    expect(all.at(-1)?.state.records.map(({ from }) => from)).toEqual(
      [27, 28, 29, 30].map((day) => november(day)),
    )
  })
})

const partlyAssumed = (assumed: number) =>
  inputAt(november(10), {
    settled: [sliceOf(november(1), 10 - assumed), sliceOf(november(2), assumed, { assumed: true })],
  })

describe('a budget', () => {
  const hard = { mode: 'hard', scope: { compute: ['ep-a*'] } } as const

  test.each<[string, Partial<Budget>, number, unknown]>([
    ['that is soft acts at 80 %', { ...hard, mode: 'soft' }, 0, { kind: 'acts', rungs: [80] }],
    [
      'of a whole account tells, also when it is hard',
      { mode: 'hard' },
      0,
      { kind: 'tells', because: 'whole-account' },
    ],
    [
      'of everything by another name tells, too',
      { mode: 'hard', scope: { project: ['*'] } },
      0,
      { kind: 'tells', because: 'whole-account' },
    ],
    ['that is hard acts at 100 %, too', hard, 0, { kind: 'acts', rungs: [80, 100] }],
    ['of which a fifth is assumed acts', hard, 2, { kind: 'acts', rungs: [80, 100] }],
    ['of which more is assumed is held', hard, 2.5, { kind: 'held', because: 'assumed', share: ratio(0.25) }],
  ])('%s', (_, budget, assumed, acting) => {
    const { view } = onePass(budget, partlyAssumed(assumed))
    expect(view?.enforcement).toEqual(acting)
    expect(view?.assumed).toBeCloseTo(assumed / 10)
  })

  test('does not act upon what is exempt or out of its scope', () => {
    const budget = budgetOf({ scope: { compute: ['ep-a', 'ep-b'] }, exempt: [{ branch: ['br-ep-b'] }] })
    expect(['ep-a', 'ep-b', 'ep-c'].filter((id) => mayActOn(budget, computeOf(id)))).toEqual(['ep-a'])
    expect(
      onePass(
        budget,
        inputAt(november(2), { provisional: [sliceOf(november(1), 1, { ref: refOf('ep-b') })] }),
      ).view?.spent.likely,
    ).toBe(MILLION)
  })
})
