// What was worked out of each of very many things, for as long as they are asked for. A WeakMap forgets by itself, but one of a hundred
// thousand entries holds up the event loop for half a second whenever all garbage is collected.

export type IdentityCache<Of, Value> = {
  readonly get: (one: Of) => Value | undefined
  readonly set: (one: Of, value: Value) => void
  /** Forgets what was neither asked for nor kept since the last time. */
  readonly evictUnused: () => void
}

type Entry<Value> = { value: Value; round: number }

/** By identity, where `Of` is an object. */
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
