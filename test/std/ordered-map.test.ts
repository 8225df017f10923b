import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asOrderedMap, orderedMap, type OrderedMap } from '../../src/std/ordered-map.ts'
import { check } from '../support/property.ts'

type Change = { readonly key: string; readonly value: number | undefined }

const changes = fc.array(
  fc.record({ key: fc.string({ maxLength: 2 }), value: fc.option(fc.nat(9), { nil: undefined }) }),
  { maxLength: 60 },
)

const changed = (map: OrderedMap<number>, { key, value }: Change): OrderedMap<number> =>
  value === undefined ? map.without(key) : map.with(key, value)

/** What a plain map comes to by the same changes, in the order of its keys. */
function plainly(first: Iterable<readonly [string, number]>, all: readonly Change[]): [string, number][] {
  const map = new Map(first)
  for (const { key, value } of all) {
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Enough for several chunks. */
const many: readonly (readonly [string, number])[] = Array.from({ length: 2000 }, (_, index) => [
  String.fromCodePoint(32 + ((index * 37) % 95)) + String((index * 7919) % 1000),
  index,
])

test.each([
  ['few', []],
  ['many', many],
])('it holds what a plain map would, in order: %s', (_, first) => {
  const begun = orderedMap(first)
  check(
    fc.property(changes, (all) => {
      const map = all.reduce(changed, begun)
      const expected = plainly(first, all)
      expect([...map]).toEqual(expected)
      expect([...map.keys()]).toEqual(expected.map(([key]) => key))
      expect([...map.values()]).toEqual(expected.map(([, value]) => value))
      expect(map.size).toBe(expected.length)
      const known = new Map(expected)
      for (const { key } of all)
        expect([map.has(key), map.get(key)]).toEqual([known.has(key), known.get(key)])
    }),
    30,
  )
})

test('what it was before a change stays as it was', () => {
  const before = orderedMap(many)
  const held = [...before]
  for (const [key] of many.slice(0, 500)) before.without(key).with(`${key}!`, 0)
  expect([...before]).toEqual(held)
})

test('keys in rising order leave few chunks, whichever way it is built', () => {
  const rising = many.toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect([...orderedMap(rising)]).toEqual([...asOrderedMap(new Map(many))])
  const map = orderedMap(rising)
  expect(asOrderedMap(map)).toBe(map)
})
