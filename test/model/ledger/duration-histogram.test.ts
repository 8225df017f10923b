import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countUpTo,
  EMPTY_DURATIONS,
  WAKE_LATENCY_BUCKETS,
  addDuration,
} from '../../../src/model/ledger/counters.ts'
import { millis } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'

test('at each bound, and at any that comes later, those count that are no longer', () => {
  const times = fc.array(fc.oneof(fc.nat(40_000), fc.constantFrom(...WAKE_LATENCY_BUCKETS)).map(millis))
  check(
    fc.property(times, (all) => {
      const counted = all.reduce(
        (known, one) => addDuration(known, one, WAKE_LATENCY_BUCKETS),
        EMPTY_DURATIONS,
      )
      expect(WAKE_LATENCY_BUCKETS.map((bound) => countUpTo(counted, bound))).toEqual(
        WAKE_LATENCY_BUCKETS.map((bound) => all.filter((one) => one <= bound).length),
      )
      expect([counted.count, counted.sum]).toEqual([all.length, all.reduce((sum, one) => sum + one, 0)])
      const between = countUpTo(counted, millis(700))
      expect(between).toBe(countUpTo(counted, millis(500)))
    }),
  )
})
