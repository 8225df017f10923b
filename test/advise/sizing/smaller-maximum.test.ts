import { describe, expect, test } from 'vitest'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { adviseSizing } from '../../../src/advise/sizing/advise-sizing.ts'
import { largestCu, type Sizing } from '../../../src/model/service/compute.ts'
import { bytes } from '../../../src/model/units.ts'
import { adviseInput } from '../../support/advise-input.ts'
import { sizingRecommendation } from '../../support/recommendations.ts'
import { bucket, fixed, hoursOf, proposed, range, sizedInput, stepsOf, target, wholeSizing } from './build.ts'

const DAY = 86_400
const usual = adviseInput().policy

/** Eight days of load, its last steps at the end. */
const week = (loads: readonly number[], days = 8) => [
  bucket((30 - days) * DAY, { load: loads[0] ?? 0 }),
  ...stepsOf(loads),
]
describe('a budget whose limit is exceeded', () => {
  const cache = { used: 300, limit: 700 }
  const asked = (over: Partial<AdviseInput> = {}, sizing: Sizing = range(0.25, 8)) =>
    sizedInput(sizing, { overBudget: 'dev', steps: week([0.1, 1.5]), hours: hoursOf(8, 10), ...over }, cache)

  test('asks for the least maximum that holds the peak and a quarter more, and is named', () => {
    const { to, detail, restarts } = proposed(asked())
    expect([wholeSizing(to.sizing), detail, restarts]).toEqual([
      range(0.25, 2),
      { kind: 'budget', name: 'dev' },
      true,
    ])
    expect(target(asked({ steps: week([1.7]) }))).toEqual(range(0.25, 3))
    expect(target(asked({}, fixed(8)))).toEqual(range(0.25, 2))
  })

  test('asks for no larger maximum beside it', () => {
    for (const { to } of proposed(asked()).alternatives) expect(largestCu(to.sizing ?? fixed(8))).toBe(2)
  })

  test.each<[string, AdviseInput]>([
    ['without such a budget', sizedInput(range(0.25, 8), { steps: week([0.1]) }, cache)],
    ['before a week of load', asked({ steps: week([0.1], 6) })],
    [
      'where the policy keeps sizes up',
      asked({ policy: { ...usual, sizing: { ...usual.sizing, neverDown: true } } }),
    ],
    [
      'where nothing is known about the cache',
      sizedInput(range(0.25, 8), { overBudget: 'dev', steps: week([0.1]) }),
    ],
    ['where the peak needs all of it', asked({ steps: week([6.5]) })],
    ['where connections need all of it', asked({ hours: hoursOf(8, 2700) }, range(1, 8))],
  ])('lowers no maximum %s', (_, input) => {
    const result = adviseSizing(input)
    expect('ref' in result ? largestCu(result.to.sizing ?? fixed(0)) : 8).toBe(8)
  })

  test('keeps the cache that was used', () => {
    const used = { used: 9000, limit: 9000 }
    const steps = week([0.1]).map((step) => ({ ...step, cacheUsed: bytes(used.used * 2 ** 20) }))
    expect(target({ ...asked(), steps })).toEqual(range(0.25, 3))
  })

  test('keeps the maximum of an open recommendation while that holds the peak', () => {
    const previous = [sizingRecommendation({ to: { sizing: range(0.25, 4) } })]
    expect(target(asked({ previous }))).toEqual(range(0.25, 4))
    expect(target(asked({ previous, steps: week([3.5]) }))).toEqual(range(0.25, 5))
  })

  test('asks for less than saturation only once it is over', () => {
    expect(target(asked({ steps: [...week([0.1]), ...stepsOf([8, 8, 8])] }, range(1, 8)))).toEqual(
      range(1, 9),
    )
  })
})
