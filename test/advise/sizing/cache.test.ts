import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { adviseSizing } from '../../../src/advise/sizing/advise-sizing.ts'
import { largestCu, type Sizing } from '../../../src/model/service/compute.ts'
import { cu, ratio } from '../../../src/model/units.ts'
import { adviseEntry, adviseInput } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { check } from '../../support/property.ts'
import { fixed, proposed, range, sizedInput, stepsOf, target } from './build.ts'

const DAY = 86_400
const { policy, plan } = adviseInput()
if (!plan) throw new Error('the builder has a plan')

/** File cache of 1 CU, MiB. */
const LIMIT = 3072
const FULL = { used: LIMIT, limit: LIMIT }

type Windows = {
  ratios: readonly number[]
  accesses?: number
  cache?: typeof FULL
  over?: Partial<AdviseInput>
}

/** Windows after the warm-up, the last ones before now. */
function seen(sizing: Sizing, { ratios, accesses = 20_000, cache = FULL, over = {} }: Windows): AdviseInput {
  const steps = stepsOf(ratios.map(() => 0.1)).map((step, index) => {
    const hits = Math.round(accesses * (ratios[index] ?? 1))
    const growth = { hits, misses: accesses - hits, warmHits: hits, warmMisses: accesses - hits }
    return { ...step, cache: { ...growth, over: step.time.active } }
  })
  return sizedInput(sizing, { steps, ...over }, cache)
}

const hour = (hitRatio: number, count = 12) => Array<number>(count).fill(hitRatio)

describe('a full cache under its target in an hour of windows', () => {
  test('gets the next size, and says why', () => {
    const { detail, saving } = proposed(seen(range(0.25, 1), { ratios: hour(0.97) }))
    expect(detail).toEqual({ kind: 'cache', hitRatio: 0.97, target: 0.99 })
    expect(saving.low).toBeLessThan(0)
    expect(saving.likely).toBeLessThanOrEqual(0)
    expect(target(seen(range(0.25, 1), { ratios: hour(0.97) }))).toEqual(range(0.25, 2))
    expect(target(seen(range(0.25, 3), { ratios: hour(0.97), cache: { used: 9216, limit: 9216 } }))).toEqual(
      range(0.25, 4),
    )
  })

  test('gets the next fixed size where the plan has no ranges', () => {
    const over = { plan: { ...plan, hasRanges: false } }
    expect(target(seen(fixed(1), { ratios: hour(0.97), over }))).toEqual(fixed(2))
  })

  test('gets none beyond the policy', () => {
    const over = { policy: { ...policy, sizing: { ...policy.sizing, max: cu(1) } } }
    const input = seen(range(0.25, 1), { ratios: hour(0.97), over })
    expect(adviseSizing(input)).toMatchObject({ because: 'policy' })
  })
})

const resized = [
  { ref: adviseEntry().ref, delay: 'never', since: at(0), sizing: range(0.25, 0.5) },
  { ref: adviseEntry().ref, delay: 'never', since: at(30 * DAY - 3000), sizing: range(0.25, 1) },
] as const

test.each<[string, Windows]>([
  ['the cache is full at its target', { ratios: hour(0.995) }],
  [
    'the cache is not full: first reads and scans',
    { ratios: hour(0.2), cache: { used: 2000, limit: LIMIT } },
  ],
  ['a range is below its maximum', { ratios: hour(0.2), cache: { used: 768, limit: 768 } }],
  ['less than an hour was seen', { ratios: hour(0.2, 11) }],
  ['the windows have few accesses', { ratios: hour(0.2), accesses: 9999 }],
  ['a scan took less than half of the windows', { ratios: [...hour(0.2, 6), ...hour(0.999, 6)] }],
  ['the windows are those of the size before', { ratios: hour(0.2), over: { settings: resized } }],
  [
    'the policy has no target',
    { ratios: hour(0.2), over: { policy: { ...policy, sizing: { ...policy.sizing, hitRatio: ratio(0) } } } },
  ],
])('no larger size where %s', (_, windows) => {
  expect(adviseSizing(seen(range(0.25, 1), windows))).toMatchObject({ because: 'fits' })
})

test('no larger size for what was counted before the warm-up', () => {
  const input = seen(range(0.25, 1), { ratios: hour(0.2) })
  const steps = input.steps.map((step) => ({
    ...step,
    cache: step.cache && { ...step.cache, warmHits: 0, warmMisses: 0 },
  }))
  expect(adviseSizing({ ...input, steps })).toMatchObject({ because: 'fits' })
})

test('a cache that is not full never asks for a larger size', () => {
  check(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: Math.floor(0.94 * LIMIT) }),
      fc.constantFrom(range(0.25, 1), fixed(1)),
      (ratios, used, sizing) => {
        const advised = adviseSizing(seen(sizing, { ratios, cache: { used, limit: LIMIT } }))
        expect(largestCu(('ref' in advised ? advised.to.sizing : undefined) ?? sizing)).toBe(1)
      },
    ),
  )
})
