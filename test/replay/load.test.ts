import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTraceFile } from '../../src/cli/terminal/trace-file.ts'
import type { Sizing } from '../../src/model/service/compute.ts'
import { createPreset } from '../../src/model/service/sizes.ts'
import { cu } from '../../src/model/units.ts'
import { loadComputeOf, playLoad, playRule } from '../../src/replay/load.ts'
import { loadSeriesIn } from '../../src/replay/load-series.ts'
import { SIZE_RULES } from '../../src/replay/size-rules.ts'
import { check } from '../support/property.ts'
import { longTest } from '../support/tiers.ts'

const { sizes } = createPreset('2026-03')
const limits = { sizes, largest: cu(16), widest: cu(8), least: cu(0.25) }
const rule = (name: string) => {
  const found = SIZE_RULES.find((one) => one.name === name)
  if (!found) throw new Error(name)
  return found
}

const played = (demand: readonly number[], sizing: Sizing) =>
  playLoad(Float64Array.from(demand), { sizing, next: () => sizing }, sizes)

describe('the autoscaler', () => {
  const sizing = { min: cu(0.25), max: cu(4) }

  test('holds the demand in 90 % of the next size, and goes down one step later', () => {
    // 0.25, then 2 at once, held for one step, then 0.25 again
    expect(played([0.1, 1.7, 0.1, 0.1], sizing)).toMatchObject({ cost: 0.25 + 2 + 2 + 0.25 })
    expect(played([0.9, 0.91], sizing)).toMatchObject({ cost: 1 + 2 })
  })

  test('throttles above the maximum, and for 10 s where the demand passes the size before', () => {
    expect(played([5, 5], sizing)).toMatchObject({ throttled: 1 })
    expect(played([0.1, 1, 0.1, 0.1], sizing).throttled).toBeCloseTo(10 / 300 / 4)
    expect(played([3, 3], { fixed: cu(4) })).toMatchObject({ throttled: 0, cost: 8 })
  })

  test('leaves steps without a value out, and starts anew after them', () => {
    expect(played([1.7, Number.NaN, 0.1], sizing)).toEqual({ cost: 2.25, throttled: 0, restarts: 0 })
  })
})

test('hindsight has the cheapest fixed size and range that throttle half a percent at most', () => {
  const used = Float64Array.from({ length: 1000 }, (_, at) => (at === 500 ? 1 : 0.1))
  const { hindsight } = loadComputeOf({ name: 'a', used }, cu(8), limits)
  // one step of 1000 may be throttled: 1 CU holds the others
  expect(hindsight).toEqual({ bestFixed: 1000, bestPair: 1000, needed: 999 + 8 })
})

const restarts = (demand: readonly number[], sizing: Sizing) =>
  playLoad(Float64Array.from(demand), { sizing, next: rule('recommended').start(sizing, limits) }, sizes)
    .restarts

describe('the recommended rule', () => {
  test('takes one restart for a range that fits', () => {
    expect(restarts(Array<number>(600).fill(0.3), { fixed: cu(4) })).toBe(1)
  })

  test('raises the maximum until the load fits, an hour apart', () => {
    // from 1 CU to 2 after three steps, then after an hour to 4 and to 8
    const full = Array<number>(600).fill(7)
    expect(restarts(full.slice(0, 3), { fixed: cu(1) })).toBe(1)
    expect(restarts(full.slice(0, 14), { fixed: cu(1) })).toBe(1)
    expect(restarts(full.slice(0, 15), { fixed: cu(1) })).toBe(2)
    expect(restarts(full, { fixed: cu(1) })).toBe(3)
  })

  test('costs at most as much as the fixed size it begins with, unless it saturates that', () => {
    check(
      fc.property(
        fc.array(fc.double({ min: 0, max: 3.7, noNaN: true }), { minLength: 1, maxLength: 400 }),
        (loads) => {
          const sizing = { fixed: cu(4) }
          const start = rule('recommended').start(sizing, limits)
          const { cost, throttled } = playLoad(Float64Array.from(loads), { sizing, next: start }, sizes)
          expect(cost).toBeLessThanOrEqual(4 * loads.length)
          expect(throttled).toBeLessThanOrEqual(10 / 300)
        },
      ),
      60,
    )
  })

  test('sees nothing of the demand above the size that it has', () => {
    const sizing = { fixed: cu(1) }
    const costs = [1, 7].map(
      (demand) =>
        playLoad(
          Float64Array.of(demand, demand),
          { sizing, next: rule('recommended').start(sizing, limits) },
          sizes,
        ).cost,
    )
    expect(costs[0]).toBe(costs[1])
  })
})

describe('on recorded load of one database and five machines', () => {
  const folder = new URL('../data/traces/', import.meta.url).pathname
  const [data, meta] = ['nab-aws.csv.gz', 'nab-aws.meta.csv'].map((file) => readTraceFile(folder + file))
  if (!data?.ok || !meta?.ok) throw new Error('the traces can be read')
  const traces = loadSeriesIn(data.value, meta.value)
  if (!traces.ok) throw new Error(traces.error)
  const computes = traces.value.series.map((series) => loadComputeOf(series, cu(4), limits))
  const figures = (name: string, share = 1) => playRule(computes, rule(name), share)

  longTest('the rule saves, throttles hardly, and restarts at most twice', () => {
    expect(traces.value).toMatchObject({ leftOut: 4, rowsRefused: 0 })
    expect(computes).toHaveLength(6)
    const found = figures('recommended')
    expect(found.cost_of_best_fixed).toBeLessThan(0.7)
    expect(found.regret_pct).toBeLessThan(10)
    expect(found.excess_slack_pct).toBeLessThan(10)
    expect(found.throttled_mean_pct).toBeLessThan(0.1)
    expect(found.throttled_ok_pct).toBe(100)
    expect(found.restarts_max).toBeLessThanOrEqual(2)
    expect(figures('recommended', 1 / 4)).toMatchObject({ throttled_ok_pct: 100, restarts_max: 4 })
  })

  test.each(['p95-15', 'decayed-p90-15', 'p99.5-20'])('it is cheaper and safer than %s', (name) => {
    const [ours, theirs] = [figures('recommended'), figures(name)]
    expect(ours.cost_of_best_fixed).toBeLessThan(theirs.cost_of_best_fixed)
    expect(ours.throttled_mean_pct).toBeLessThan(theirs.throttled_mean_pct)
  })
})
