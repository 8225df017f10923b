// The model of the file cache: examples worked by hand, and properties.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CacheModel,
  type RelationReading,
  recordAccesses,
  emptyCache,
  resizeCache,
  touchedSince,
  usedPages,
  workingSet,
} from '../../src/local/control/sizing/cache-model.ts'

const MINUTE = 60_000

/** Readings of database `app` one after the other, a second apart. */
function play(first: CacheModel, ...readings: readonly (readonly RelationReading[])[]): CacheModel {
  let model = first
  for (const relations of readings)
    model = recordAccesses(model, { database: 'app', relations }, { since: model.at, now: model.at + 1000 })
  return model
}

const big = (read: number, pages = 1000): RelationReading => ({ id: 'big', read, pages })
const small = (read: number, pages = 100): RelationReading => ({ id: 'small', read, pages })

test('reading a relation that fits at random touches 1 - 1/e of it in as many accesses as it has pages', () => {
  const once = play(emptyCache(5000, 0), [big(1000)])
  expect(once.misses).toBeCloseTo(1000 * (1 - Math.exp(-1)))
  expect(once.hits).toBeCloseTo(1000 * Math.exp(-1))
  expect(usedPages(once)).toBeCloseTo(once.misses)
})

test('a relation larger than the cache hits with the share that fits', () => {
  const warm = play(emptyCache(250, 0), [big(10_000)])
  const later = play(warm, [big(14_000)])
  expect(usedPages(later)).toBeCloseTo(250)
  expect(later.hits - warm.hits).toBeCloseTo(1000)
  expect(later.misses - warm.misses).toBeCloseTo(3000)
})

const ratioOf = (from: CacheModel, to: CacheModel): number =>
  (to.hits - from.hits) / (to.hits - from.hits + to.misses - from.misses)

test('more room raises the hit ratio from then on, less room lowers it at once', () => {
  const warm = play(emptyCache(250, 0), [big(10_000)])
  const grown = play(resizeCache(warm, 750), [big(20_000)])
  const shrunk = play(resizeCache(grown, 250), [big(30_000)])
  expect(ratioOf(play(grown, []), play(grown, [big(21_000)]))).toBeCloseTo(0.75)
  expect(ratioOf(grown, shrunk)).toBeCloseTo(0.25)
  expect(usedPages(resizeCache(grown, 250))).toBeCloseTo(250)
  expect(resizeCache(grown, 250).evicted - grown.evicted).toBeCloseTo(500)
})

test('pages that were not read lately are evicted for pages that are read', () => {
  const both = play(emptyCache(600, 0), [small(1000)], [small(1000), big(3000, 550)])
  expect(both.relations.get('app\0small')?.resident).toBeLessThan(60)
  expect(both.relations.get('app\0big')?.resident).toBeGreaterThan(540)
})

test('a dropped relation frees its room; counters reset by a user do not fall', () => {
  const before = play(emptyCache(5000, 0), [big(2000), small(50)])
  const dropped = play(before, [small(50)])
  expect(usedPages(dropped)).toBeLessThan(60)
  expect([dropped.hits, dropped.misses]).toEqual([before.hits, before.misses])
  const reset = play(before, [big(10), small(0)])
  expect(reset.hits + reset.misses).toBe(2060)
})

test('relations of other databases stay', () => {
  const app = play(emptyCache(5000, 0), [big(2000)])
  const other = recordAccesses(app, { database: 'other', relations: [small(10)] }, { since: 1000, now: 2000 })
  expect(other.relations.size).toBe(2)
})

test('the working set counts distinct pages of the last minutes, spread evenly between marks', () => {
  const early = recordAccesses(
    emptyCache(5000, 0),
    { database: 'app', relations: [big(100_000)] },
    { since: 0, now: MINUTE },
  )
  const late = recordAccesses(
    early,
    { database: 'app', relations: [big(100_000), small(100_000)] },
    { since: 10 * MINUTE, now: 11 * MINUTE },
  )
  const minutes = workingSet(late, 11 * MINUTE).map(Math.round)
  expect(minutes.slice(0, 2)).toEqual([100, 200])
  expect(minutes.slice(-1)).toEqual([1100])
  expect(minutes).toHaveLength(60)
  expect(touchedSince(late).at(-1)).toEqual({ at: 11 * MINUTE, pages: 0 })
  expect(workingSet(late, 12 * MINUTE)[0]).toBe(0)
})

test('the model retains the marks of one hour', () => {
  let model = emptyCache(100, 0)
  for (let minute = 1; minute <= 200; minute += 1)
    model = recordAccesses(
      model,
      { database: 'app', relations: [small(minute)] },
      { since: (minute - 1) * MINUTE, now: minute * MINUTE },
    )
  expect(model.marks.length).toBeLessThanOrEqual(62)
  expect(workingSet(model, 200 * MINUTE)[59]).toBeCloseTo(100 * (1 - Math.exp(-60 / 100)), 0)
})

const change = fc.record({
  big: fc.nat(5000),
  small: fc.nat(500),
  bigPages: fc.nat(2000),
  smallPages: fc.nat(300),
  capacity: fc.option(fc.nat(1500)),
})

test('counters never fall, every access is a hit or a miss, and what is resident fits', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      let model = emptyCache(500, 0)
      const read = { big: 0, small: 0 }
      for (const step of changes) {
        const before = model
        read.big += step.big
        read.small += step.small
        if (step.capacity !== null) model = resizeCache(model, step.capacity)
        model = play(model, [big(read.big, step.bigPages), small(read.small, step.smallPages)])
        expect(model.hits).toBeGreaterThanOrEqual(before.hits - 1e-9)
        expect(model.misses).toBeGreaterThanOrEqual(before.misses - 1e-9)
        expect(model.hits + model.misses).toBeCloseTo(read.big + read.small)
        expect(usedPages(model)).toBeLessThanOrEqual(model.capacity + 1e-6)
      }
    }),
    { seed: 7 },
  )
})

test('while everything fits, the interval of readings does not change the result', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(5000), (first, second) => {
      const inOne = play(emptyCache(2000, 0), [big(first + second)])
      const inTwo = play(emptyCache(2000, 0), [big(first)], [big(first + second)])
      expect(inTwo.misses).toBeCloseTo(inOne.misses)
    }),
    { seed: 7 },
  )
})
