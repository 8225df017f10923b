import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Truth } from '../../../src/local/engine/truth.ts'
import { check } from '../../support/property.ts'
import { type Known, createListAges, delaysOf, ledgerErrorOf } from './judge.ts'

const START = Date.UTC(2026, 0, 5)
const at = (second: number): number => START + 1000 * second
const iso = (second: number): string => new Date(at(second)).toISOString()

type Interval = readonly [from: number, to: number | null, cu?: number]

/** The truth about computes `ep-0`, `ep-1`, …, each with its awake intervals in seconds after START. */
const truthOf = (now: number, ...computes: readonly (readonly Interval[])[]): Truth => ({
  now: iso(now),
  computes: computes.map((intervals, number) => ({
    projectId: `local-${number}`,
    endpointId: `ep-${number}`,
    port: null,
    awakeSeconds: 0,
    cuSeconds: 0,
    wakes: [],
    suspends: 0,
    stops: [],
    mutations: [],
    intervals: intervals.map(([from, to, cu = 1]) => ({
      from: iso(from),
      to: to === null ? null : iso(to),
      cu,
    })),
  })),
})

test('a list read every minute is half a minute old at the median and a minute at worst', () => {
  const ages = createListAges()
  for (let second = 0; second <= 600; second += 60) ages.note('local-one', at(second))
  const { projects, median, p99, worst } = ages.figures(at(600))
  expect([projects, median, worst]).toEqual([1, 30, 60])
  expect(p99).toBeCloseTo(59.4)
})

test('a list that was not read to the end is as old as the end says', () => {
  const ages = createListAges()
  ages.note('local-one', at(0))
  expect(ages.figures(at(100))).toEqual({ projects: 1, median: 50, p99: 99, worst: 100 })
  expect(createListAges().figures(at(100))).toEqual({ projects: 0, median: 0, p99: 0, worst: 0 })
})

test('ages agree with looking at them every tenth of a second', () => {
  const reads = fc.array(fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 4,
  })
  check(
    fc.property(reads, (projects) => {
      const ages = createListAges()
      const looked: number[] = []
      for (const [number, seconds] of projects.entries()) {
        const sorted = seconds.toSorted((a, b) => a - b)
        for (const second of sorted) ages.note(`local-${number}`, at(second))
        for (let now = (sorted[0] ?? 0) + 0.05; now < 300; now += 0.1)
          looked.push(now - (sorted.findLast((second) => second <= now) ?? 0))
      }
      const { median, worst } = ages.figures(at(300))
      const byLooking = looked.toSorted((a, b) => a - b)
      expect(median).toBeCloseTo(byLooking[byLooking.length >> 1] ?? 0, 0)
      expect(worst).toBeCloseTo(byLooking.at(-1) ?? 0, 0)
    }),
  )
})

const known = (kind: Known['kind'], second: number, changes: Partial<Known> = {}): Known => ({
  endpointId: 'ep-0',
  kind,
  earliest: at(second),
  latest: at(second) + 1000,
  knownAt: at(second + 60),
  ...changes,
})

const whole = { from: at(0), to: at(1000) }

test('a transition is known from the first time it is dated in detail', () => {
  const truth = truthOf(1000, [[100, 400]])
  const figures = delaysOf(
    truth,
    [
      known('wake', 100, { latest: at(160), knownAt: at(110) }), // known, but not when
      known('wake', 100, { knownAt: at(190) }),
      known('wake', 100, { knownAt: at(130) }),
      known('suspension', 400, { earliest: at(398), latest: at(400), knownAt: at(405) }),
    ],
    whole,
  )
  expect(figures).toEqual({ edges: 2, unknown: 0, median: 30, p99: 30, worst: 30 })
})

test('what happened in the last five minutes is not asked for, known or not', () => {
  const truth = truthOf(1000, [[699, 701]])
  expect(delaysOf(truth, [], whole)).toMatchObject({ edges: 1, unknown: 1 })
  expect(delaysOf(truth, [known('suspension', 701)], whole)).toMatchObject({ edges: 1, unknown: 1 })
})

test('what is never known, or dated beside the truth, counts with its age at the end', () => {
  const truth = truthOf(1000, [[100, 400]])
  const figures = delaysOf(
    truth,
    [known('wake', 110), known('suspension', 400, { endpointId: 'ep-1' })],
    whole,
  )
  expect(figures).toEqual({ edges: 2, unknown: 2, median: 900, p99: 900, worst: 900 })
})

test('a new size is no transition, and what was before the window is not asked for', () => {
  const truth = truthOf(1000, [
    [-50, 100, 1],
    [100, 200, 2],
    [300, null, 1],
  ])
  expect(delaysOf(truth, [], whole)).toMatchObject({ edges: 2, unknown: 2, worst: 800 })
})

test('the ledger is held against the use within the window, of each compute since it was known', () => {
  const truth = truthOf(
    1000,
    [[-50, 100, 2]],
    [[900, null, 0.5]],
    [[10, 20]],
    [
      [0, 300],
      [400, 500],
    ],
  )
  const accounts = [
    { endpointId: 'ep-0', low: 199, likely: 201, high: 203, since: at(-50) },
    { endpointId: 'ep-1', low: 60, likely: 60, high: 61, since: at(0) },
    { endpointId: 'ep-3', low: 99, likely: 100, high: 101, since: at(350) },
    { endpointId: 'ep-9', low: 5, likely: 5, high: 5, since: at(0) },
  ]
  expect(ledgerErrorOf(truth, accounts, whole)).toEqual({
    truth: 660,
    likely: 366,
    error: 294 / 660,
    width: 7 / 660,
    contains: false,
    outside: [
      { endpointId: 'ep-1', truth: 50, by: 10 },
      { endpointId: 'ep-9', truth: 0, by: 5 },
    ],
    unseen: { computes: 1, cuSeconds: 10 },
  })
})
