import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareAt, reconcile } from '../../../src/ledger/metering/follow.ts'
import { newProjectMetering } from '../../../src/ledger/metering/follow.ts'
import type { ProjectUsage } from '../../../src/ledger/metering/ledger-use.ts'
import type { MeterBaseline, ProjectMetering } from '../../../src/model/ledger/metering.ts'
import { cu, cuMillis, seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const HOUR = 3600
const hours = (count: number) => cuMillis(count * HOUR * 1000)

test.each([
  ['within the bounds', 4, 0],
  ['less than was surely used', 3.24, -0.19],
  ['more than can have been used', 5.5, 0.2],
])('a count %s', (_, counted, outside) => {
  const stretch = { from: at(0), to: at(4 * HOUR), metered: hours(counted), low: hours(4), high: hours(4.4) }
  const found = reconcile(stretch, undefined)
  expect(found.outside).toBeCloseTo(outside, 3)
  expect(found.diverges).toBe(false)
  expect(reconcile(stretch, found).diverges).toBe(outside !== 0)
  expect(reconcile({ ...stretch, metered: hours(4.2) }, found).diverges).toBe(false)
})

test('two counts that are hardly outside are tolerated', () => {
  const stretch = { from: at(0), to: at(HOUR), metered: hours(1.01), low: hours(0.9), high: hours(1) }
  const found = reconcile(stretch, undefined)
  expect(found.outside).toBeGreaterThan(0)
  expect(reconcile(stretch, found).diverges).toBe(false)
})

/** A ledger of which `used` CU-hours are known for sure. */
const useOf = (used: number, computes = 'ep-one'): ProjectUsage => ({
  settled: { low: hours(used), likely: hours(used), high: hours(used) },
  slices: [],
  rates: [],
  awakeFrom: [],
  suspendedAt: undefined,
  largest: cu(1),
  computes,
})

const base = (hour: number, counted: number, still = true): MeterBaseline => ({
  until: at(hour * HOUR),
  cuTime: hours(counted),
  ledger: hours(0),
  still,
})

type Stage = readonly [base: MeterBaseline, use: ProjectUsage]

const after = (...stages: readonly Stage[]): ProjectMetering =>
  stages.reduce<ProjectMetering>((count, [one, use]) => ({ ...count, ...compareAt(count, one, use) }), {
    ...newProjectMetering({ at: at(0), cuTime: hours(0) }),
    lag: { atLeast: seconds(900), atMost: seconds(900) },
  })

test('what the service counts from one base to a later one is held against what the ledger grew by', () => {
  const agrees = after([base(0, 100), useOf(7)], [base(2, 101), useOf(8)])
  expect(agrees.reconciliation).toMatchObject({
    from: at(0),
    to: at(2 * HOUR),
    metered: hours(1),
    outside: 0,
  })
  const apart = after([base(0, 100), useOf(7)], [base(2, 101.5), useOf(8)], [base(4, 103), useOf(9)])
  expect(apart.reconciliation).toMatchObject({ diverges: true })
  expect(apart.reconciliation?.outside).toBeCloseTo(1 / 3, 2)
})

test('less than an hour is not compared, and other computes begin anew', () => {
  expect(after([base(0, 100), useOf(7)], [base(0.9, 109), useOf(7)]).reconciliation).toBeUndefined()
  const left = after([base(0, 100), useOf(7, 'ep-one ep-two')], [base(2, 101), useOf(3)])
  expect(left).toMatchObject({ reconciliation: undefined, comparison: { at: at(2 * HOUR) } })
})

test('where the lag takes part, a moment of all computes at their largest is forgiven at the ends', () => {
  const minute = 1 / 60
  const stages = (still: boolean): readonly Stage[] => [
    [base(0, 0, still), useOf(0)],
    [base(2, 1 + minute, still), useOf(1)],
  ]
  expect(after(...stages(false)).reconciliation?.outside).toBe(0)
  expect(after(...stages(true)).reconciliation?.outside).toBeGreaterThan(0)
})

test('whatever is counted, a share above 0 says how much more than the bounds, one below 0 how much less', () => {
  const cuTime = fc.integer({ min: 0, max: 10 ** 9 })
  check(
    fc.property(cuTime, cuTime, cuTime, (counted, one, other) => {
      const [low, high] = [cuMillis(Math.min(one, other)), cuMillis(Math.max(one, other))]
      const { outside } = reconcile(
        { from: at(0), to: at(HOUR), metered: cuMillis(counted), low, high },
        undefined,
      )
      expect(Math.sign(outside)).toBe(counted < low ? -1 : counted > high ? 1 : 0)
      expect(Math.abs(outside)).toBeLessThanOrEqual(1)
    }),
  )
})
