import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type UseRecord, usageAt, sumUsage, intervalsIn } from '../../../../src/local/control/usage/usage.ts'
import { check } from '../../../support/property.ts'

const SIZES = [0.25, 0.5, 2]

/** A compute with these lengths of sleeping and being awake in turn, the last of which may still run. */
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
    open: runs ? { from: at, cu: 4, branchId: 'br-one' } : undefined,
  }
}

const records = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 }), fc.boolean())
  .map(([lengths, runs]) => record(lengths, runs))
const instant = fc.integer({ min: 0, max: 700 })

test('what lies within two windows side by side is what lies within both together', () => {
  check(
    fc.property(records, instant, instant, (use, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const parts = [intervalsIn(use, { from: 0, to: from }), intervalsIn(use, { from, to })].flat()
      expect(sumUsage(parts)).toEqual(sumUsage(intervalsIn(use, { from: 0, to })))
    }),
  )
})

test('what lies before an instant is the account as of it', () => {
  check(
    fc.property(records, instant, (use, at) => {
      const { awakeMs, cuMs } = sumUsage(intervalsIn(use, { from: 0, to: at }))
      const account = usageAt(use, at)
      expect(awakeMs).toBeCloseTo(1000 * account.awakeSeconds, 6)
      expect(cuMs).toBeCloseTo(1000 * account.cuSeconds, 6)
    }),
  )
})

test('parts lie in the window, in order, none empty', () => {
  check(
    fc.property(records, instant, instant, (use, one, other) => {
      const window = { from: Math.min(one, other), to: Math.max(one, other) }
      const parts = intervalsIn(use, window)
      expect(parts.every(({ from, to }) => window.from <= from && from < to && to <= window.to)).toBe(true)
      expect(parts.every(({ to }, at) => to <= (parts[at + 1]?.from ?? Infinity))).toBe(true)
    }),
  )
})
