// Cache of derived values by object identity. Not a WeakMap: with a hundred thousand entries it blocks the event loop for half a second
// at every full garbage collection.

export type IdentityCache<Of, Value> = {
  readonly get: (one: Of) => Value | undefined
  readonly set: (one: Of, value: Value) => void
  /** Evicts entries without a `get` or `set` since the last call. */
  readonly evictUnused: () => void
}

type Entry<Value> = { value: Value; round: number }

export function createIdentityCache<Of, Value>(): IdentityCache<Of, Value> {
  const entries = new Map<Of, Entry<Value>>()
  let [round, wanted] = [0, 0]
  const want = (entry: Entry<Value>): void => {
    if (entry.round === round) return
    entry.round = round
    wanted += 1
  }
  return {
    get: (one) => {
      const entry = entries.get(one)
      if (entry) want(entry)
      return entry?.value
    },
    set: (one, value) => {
      const entry = entries.get(one) ?? { value, round: round - 1 }
      entries.set(one, entry)
      entry.value = value
      want(entry)
    },
    evictUnused: () => {
      if (entries.size > wanted)
        for (const [one, entry] of entries) if (entry.round !== round) entries.delete(one)
      round += 1
      wanted = 0
    },
  }
}
