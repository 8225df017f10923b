// Cache by object identity. Not a WeakMap: with 100,000 entries it blocks the event loop for half a second at every full garbage
// collection.

export type IdentityCache<Key, Value> = ReturnType<typeof createIdentityCache<Key, Value>>

type Entry<Value> = { value: Value; round: number }

export function createIdentityCache<Key, Value>() {
  const entries = new Map<Key, Entry<Value>>()
  let [round, usedCount] = [0, 0]
  const markUsed = (entry: Entry<Value>) => {
    if (entry.round === round) return
    entry.round = round
    usedCount += 1
  }
  return {
    get: (key: Key): Value | undefined => {
      const entry = entries.get(key)
      if (entry) markUsed(entry)
      return entry?.value
    },
    set: (key: Key, value: Value) => {
      const entry = entries.get(key) ?? { value, round: round - 1 }
      entries.set(key, entry)
      entry.value = value
      markUsed(entry)
    },
    /** Evicts entries without a `get` or `set` since the last call. */
    evictUnused: () => {
      if (entries.size > usedCount)
        for (const [key, entry] of entries) if (entry.round !== round) entries.delete(key)
      round += 1
      usedCount = 0
    },
  }
}
