// The goal function of the autoscaler, worked by hand (service-facts 10).
import { expect, test } from 'vitest'
import { compute, context, play, project } from './control/build.ts'
import { usageAt } from '../../src/local/control/usage/usage.ts'
import { goalCu, loadAfter, projectedPages } from '../../src/local/control/sizing/autoscale.ts'

const NOTHING = { load: undefined, memory: undefined, workingSet: undefined }
const RANGE = { minCu: 0.25, maxCu: 4 }
const GIB = 2 ** 30

const series = (value: (index: number) => number): number[] =>
  Array.from({ length: 60 }, (_, index) => value(index))

test.each([
  ['a constant one', series(() => 700), 700],
  ['a straight line: the last value and half a step', series((index) => 1000 * (index + 1)), 60_500],
  // growth 0 before, 99,000 after: the estimate is the value before the jump
  ['a jump after half an hour', series((index) => (index < 30 ? 1000 : 100_000)), 1000],
  // at t = 16 the jump comes into sight: 40 before, 1200 - 160 after; the estimate is 160, half a step more is 165
  ['a slow rise, then a jump', series((index) => (index < 20 ? 10 * index : 200 + 1000)), 165],
  ['too few values', [1, 2, 3, 4, 5, 6, 7, 8], undefined],
  ['just enough values', [1, 1, 1, 1, 1, 1, 1, 1, 1], 1],
])('the working set of %s is projected', (_, values, pages) => {
  expect(projectedPages(values)).toBe(pages)
})

test.each([
  ['nothing is known', NOTHING, 0.25],
  ['a load of 0.9 is one CPU: 4 units', { ...NOTHING, load: 0.9 }, 1],
  ['CPU rounds down below a half: 1.4 units', { ...NOTHING, load: 0.315 }, 0.25],
  ['CPU rounds up from a half: 1.6 units', { ...NOTHING, load: 0.36 }, 0.5],
  ['3 GiB in use of 75 %', { ...NOTHING, memory: { used: 3 * GIB, cached: 0 } }, 1],
  ['a byte more takes a unit more', { ...NOTHING, memory: { used: 3 * GIB + 1, cached: 0 } }, 1.25],
  [
    'the cached part of a 4 GiB working set: (2.6 + 1) / 0.9 = 4 units; of the cache itself 4 / 0.75',
    { ...NOTHING, memory: { used: GIB, cached: 2.6 * GIB }, workingSet: series(() => (4 * GIB) / 8192) },
    1.5,
  ],
  ['a working set of 0.75 GiB fits one unit', { ...NOTHING, workingSet: series(() => 98_304) }, 0.25],
  ['a page more does not', { ...NOTHING, workingSet: series(() => 98_305) }, 0.5],
  ['more than the maximum', { ...NOTHING, load: 99 }, 4],
])('when %s', (_, demand, cu) => {
  expect(goalCu(demand, RANGE)).toBe(cu)
})

test('the goal never leaves the range from below', () => {
  expect(goalCu(NOTHING, { minCu: 2, maxCu: 4 })).toBe(2)
})

test('the average follows the load', () => {
  const rising = loadAfter(0, 2, 1)
  expect(rising).toBeCloseTo(2 * (1 - Math.exp(-1)))
  expect(loadAfter(loadAfter(0, 2, 0.5), 2, 0.5)).toBeCloseTo(rising)
  expect(loadAfter(rising, 0, 100)).toBeCloseTo(0)
})

const RANGED = project([compute({}, { minCu: 0.25, maxCu: 2 })])
const goal = (cu: number) => ({ kind: 'goal', endpointId: 'ep-one', cu }) as const

test('a goal inside the range begins a new interval and resizes the server, nothing else', () => {
  const { results, project: last } = play(RANGED, [
    [10, goal(1)],
    [20, goal(1)],
    [30, goal(8)],
  ])
  expect(results.map(({ effects }) => effects.map(({ kind }) => kind))).toEqual([
    ['write-interval', 'resize'],
    [],
    ['write-interval', 'resize'],
  ])
  expect(results[2]?.effects[1]).toEqual({ kind: 'resize', endpointId: 'ep-one', cu: 2 })
  const { now } = context(40)
  expect(last.computes[0]).toMatchObject({
    state: 'active',
    startedAt: now - 40_000,
    updatedAt: now - 40_000,
  })
  expect(last.computes[0]?.meter).toEqual({
    open: { from: now - 10_000, cu: 2, branchId: 'br-one' },
    awakeMs: 30_000,
    cuMs: 10_000 * 0.25 + 20_000,
    suspends: 0,
  })
})

test.each([
  ['a fixed compute', compute()],
  ['a compute that is about to be suspended', compute({ pending: 'idle' }, { maxCu: 2 })],
  ['a compute that sleeps', compute({ state: 'idle' }, { maxCu: 2 })],
])('%s keeps its size whatever the goal', (_, fixed) => {
  const { effects, project: last } = play(project([fixed]), [[10, goal(1)]])
  expect(effects).toEqual([])
  expect(last.computes).toEqual([fixed])
})

test('a new size does not count as a suspension', () => {
  const cause = { kind: 'create', applicationName: undefined, user: undefined } as const
  const record = {
    projectId: 'project-one',
    endpointId: 'ep-one',
    wakes: [{ at: 0, cause }],
    stops: [],
    mutations: [],
    intervals: [{ from: 0, to: 1000, cu: 0.25, branchId: 'br-one' }],
    open: { from: 1000, cu: 1, branchId: 'br-one' },
  }
  expect(usageAt(record, 3000)).toMatchObject({ suspends: 0, awakeSeconds: 3, cuSeconds: 2.25 })
  const ended = { from: 1000, to: 2000, cu: 1, branchId: 'br-one' }
  const slept = { ...record, intervals: [...record.intervals, ended], open: undefined }
  expect(usageAt(slept, 3000)).toMatchObject({ suspends: 1, awakeSeconds: 2, cuSeconds: 1.25 })
})
