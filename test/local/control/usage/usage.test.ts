import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type UseRecord, usageAt, sumUsage, intervalsIn } from '../../../../src/local/control/usage/usage.ts'
import { check } from '../../../support/property.ts'

const SIZES = [0.25, 0.5, 2]

/** A compute that sleeps and is awake in turn for these lengths; the last one may be in progress. */
const record = (lengths: readonly number[], runs: boolean): UseRecord => {
  let at = 0
  const intervals = lengths.flatMap((length, place) => {
    const from = at
    at += length
    const cu = SIZES[place % SIZES.length] ?? 1
    return place % 2 === 1 ? [{ from, to: at, cu, branchId: 'br-one' }] : []
  })
  return {
    projectId: 'local-one',
    endpointId: 'ep-one',
    wakes: intervals.map(({ from }) => ({
      at: from,
      cause: { kind: 'client', applicationName: undefined, user: undefined },
    })),
    intervals,
    stops: [],
    mutations: [],
    open: runs ? { from: at, cu: 4, branchId: 'br-one' } : undefined,
  }
}

const records = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 }), fc.boolean())
  .map(([lengths, runs]) => record(lengths, runs))
const instant = fc.integer({ min: 0, max: 700 })

test('the usage of two adjacent windows is that of both together', () => {
  check(
    fc.property(records, instant, instant, (use, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const parts = [intervalsIn(use, { from: 0, to: from }), intervalsIn(use, { from, to })].flat()
      expect(sumUsage(parts)).toEqual(sumUsage(intervalsIn(use, { from: 0, to })))
    }),
  )
})

test('the intervals before an instant are the usage as of it', () => {
  check(
    fc.property(records, instant, (use, at) => {
      const { awakeMs, cuMs } = sumUsage(intervalsIn(use, { from: 0, to: at }))
      const account = usageAt(use, at)
      expect(awakeMs).toBeCloseTo(1000 * account.awakeSeconds, 6)
      expect(cuMs).toBeCloseTo(1000 * account.cuSeconds, 6)
    }),
  )
})

test('clipped intervals lie in the window, in order, none empty', () => {
  check(
    fc.property(records, instant, instant, (use, one, other) => {
      const window = { from: Math.min(one, other), to: Math.max(one, other) }
      const parts = intervalsIn(use, window)
      expect(parts.every(({ from, to }) => window.from <= from && from < to && to <= window.to)).toBe(true)
      expect(parts.every(({ to }, at) => to <= (parts[at + 1]?.from ?? Infinity))).toBe(true)
    }),
  )
})
