import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contains, duration, emptyAt, intersect, overlap, overlaps } from '../../src/ledger/interval-math.ts'
import { union } from '../../src/model/time.ts'
import { instant, type Interval } from '../../src/model/units.ts'
import { check } from '../support/property.ts'

const LENGTH = 40
/** Short enough that many share an edge; one in some is empty. */
const interval = fc
  .tuple(fc.integer({ min: 0, max: LENGTH }), fc.integer({ min: 0, max: LENGTH }))
  .map(([a, b]): Interval => ({ from: instant(Math.min(a, b)), to: instant(Math.max(a, b)) }))
const intervals = fc.array(interval, { maxLength: 8 })

/** The milliseconds of an interval, one by one. */
const instantsOf = ({ from, to }: Interval): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

test('an intersection is inside both, has the time in common, and is an empty interval of the second where there is none', () => {
  check(
    fc.property(interval, interval, (a, b) => {
      const common = intersect(a, b)
      const shared = instantsOf(a).filter((at) => instantsOf(b).includes(at))
      expect(instantsOf(common)).toEqual(shared)
      expect(contains(b, common)).toBe(true)
      expect(shared.length === 0 || contains(a, common)).toBe(true)
      expect(duration(common)).toBe(shared.length)
      expect(overlap(a, b)).toBe(shared.length)
    }),
  )
})

test('two intervals overlap when they have time in common; neither order nor an empty one matters', () => {
  check(
    fc.property(interval, interval, (a, b) => {
      expect(overlap(a, b)).toBe(overlap(b, a))
      expect(overlaps(a, b)).toBe(overlaps(b, a))
      const isNeitherEmpty = duration(a) > 0 && duration(b) > 0
      expect(isNeitherEmpty && overlaps(a, b)).toBe(overlap(a, b) > 0)
      expect(duration(emptyAt(a.from))).toBe(0)
      expect(contains(a, emptyAt(a.from)) && contains(a, emptyAt(a.to))).toBe(true)
    }),
  )
})

test('an interval contains another when their intersection is the other', () => {
  check(
    fc.property(interval, interval, (a, b) => {
      expect(contains(a, b)).toBe(intersect(b, a).from === b.from && intersect(b, a).to === b.to)
    }),
  )
})

test('a union has every instant once, in ascending order, without empty or adjacent parts', () => {
  check(
    fc.property(intervals, (all) => {
      const joined = union(all)
      const instants = [...new Set(all.flatMap(instantsOf))].toSorted((a, b) => a - b)
      expect(joined.flatMap(instantsOf)).toEqual(instants)
      expect(joined.reduce((sum, part) => sum + duration(part), 0)).toBe(instants.length)
      expect(joined.every((part) => duration(part) > 0)).toBe(true)
      joined
        .slice(1)
        .forEach(({ from }, index) => expect(from).toBeGreaterThan(joined[index]?.to ?? Infinity))
      expect(union(all.toReversed())).toEqual(joined)
    }),
  )
})

test('the parts of a union inside adjacent intervals add up to it', () => {
  check(
    fc.property(intervals, fc.integer({ min: 0, max: LENGTH }), (all, cut) => {
      const [before, after] = [
        { from: instant(0), to: instant(cut) },
        { from: instant(cut), to: instant(LENGTH) },
      ]
      for (const part of union(all)) expect(overlap(part, before) + overlap(part, after)).toBe(duration(part))
    }),
  )
})
