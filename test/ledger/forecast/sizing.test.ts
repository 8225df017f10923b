import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restateAtSizing } from '../../../src/ledger/forecast/daily.ts'
import { cuTimeSum } from '../../../src/ledger/settle/cu-time.ts'
import { largestCu, smallestCu, type Sizing } from '../../../src/model/service/compute.ts'
import type { Bounds } from '../../../src/model/ledger/quantities.ts'
import { cu, cuMillis, millis } from '../../../src/model/units.ts'
import { check } from '../../support/property.ts'

const HOUR = 3_600_000

const awake = (hours: number) => ({
  low: millis((hours * HOUR) / 2),
  likely: millis(hours * HOUR),
  high: millis(hours * HOUR),
})
const time = (hours: number): Bounds<ReturnType<typeof cuMillis>> => ({
  low: cuMillis((hours * HOUR) / 2),
  likely: cuMillis(hours * HOUR),
  high: cuMillis(hours * HOUR),
})
const range = (min: number, max: number): Sizing => ({ min: cu(min), max: cu(max) })

// ten hours at an average of 2 CU, of which five at each price
const amounts = { awake: awake(10), cuTime: { 100: time(5), 200: time(15) } }

test.each<[string, Sizing, number]>([
  ['the same', { fixed: cu(2) }, 1],
  ['twice as large', { fixed: cu(4) }, 2],
  ['an eighth', { fixed: cu(0.25) }, 0.125],
  ['a range that it was in', range(1, 4), 1],
  ['a range that is all above', range(3, 4), 1.5],
  ['a range that is all below', range(0.25, 1), 0.5],
])('a day costs what its awake time costs at the sizing of now: %s', (_, sizing, factor) => {
  expect(restateAtSizing(amounts, sizing)).toEqual({
    awake: awake(10),
    cuTime: { 100: time(5 * factor), 200: time(15 * factor) },
  })
})

test('a day asleep, and one of which no awake time is likely, stay as they are', () => {
  const asleep = { awake: awake(0), cuTime: {} }
  const unlikely = { awake: awake(0), cuTime: { 100: time(1) } }
  expect(restateAtSizing(asleep, { fixed: cu(4) })).toEqual(asleep)
  expect(restateAtSizing(unlikely, { fixed: cu(4) })).toEqual(unlikely)
})

test('what it comes to is always within the sizing, and bounds stay in order', () => {
  const hours = fc.double({ min: 0.1, max: 24, noNaN: true })
  const sizes = fc.tuple(fc.constantFrom(0.25, 1, 2), fc.constantFrom(2, 4, 8))
  check(
    fc.property(hours, hours, sizes, (long, spent, [min, max]) => {
      const sizing = range(min, max)
      const { cuTime } = restateAtSizing({ awake: awake(long), cuTime: { 100: time(spent) } }, sizing)
      const { low, likely, high } = cuTimeSum(cuTime)
      expect(likely).toBeGreaterThanOrEqual(long * HOUR * smallestCu(sizing) - max)
      expect(likely).toBeLessThanOrEqual(long * HOUR * largestCu(sizing) + max)
      expect([low, likely, high]).toEqual([low, likely, high].toSorted((a, b) => a - b))
    }),
  )
})
