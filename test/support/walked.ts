import type { OrderedMap } from '../../src/std/ordered-map.ts'

/** A map that counts how many of its entries were handed out, to whoever walks over it. */
export function walked<Value>(map: OrderedMap<Value>): {
  readonly map: OrderedMap<Value>
  /** Entries, keys and values that were handed out so far. */
  readonly taken: () => number
} {
  let taken = 0
  function* counted<Item>(items: Iterable<Item>): Generator<Item, undefined> {
    for (const item of items) {
      taken += 1
      yield item
    }
  }
  const entries = () => counted(map.entries())
  return {
    taken: () => taken,
    map: {
      size: map.size,
      get: (key) => map.get(key),
      has: (key) => map.has(key),
      with: map.with,
      without: map.without,
      forEach: (tell) => map.forEach(tell),
      entries,
      keys: () => counted(map.keys()),
      values: () => counted(map.values()),
      [Symbol.iterator]: entries,
    },
  }
}
