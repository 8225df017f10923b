import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countUpTo,
  NO_DURATIONS,
  WAKE_BOUNDS,
  withDuration,
} from '../../../src/model/ledger/duration-histogram.ts'
import { millis } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'

test('at each bound, and at any that comes later, those count that are no longer', () => {
  const times = fc.array(fc.oneof(fc.nat(40_000), fc.constantFrom(...WAKE_BOUNDS)).map(millis))
  check(
    fc.property(times, (all) => {
      const counted = all.reduce((known, one) => withDuration(known, one, WAKE_BOUNDS), NO_DURATIONS)
      expect(WAKE_BOUNDS.map((bound) => countUpTo(counted, bound))).toEqual(
        WAKE_BOUNDS.map((bound) => all.filter((one) => one <= bound).length),
      )
      expect([counted.count, counted.sum]).toEqual([all.length, all.reduce((sum, one) => sum + one, 0)])
      const between = countUpTo(counted, millis(700))
      expect(between).toBe(countUpTo(counted, millis(500)))
    }),
  )
})
