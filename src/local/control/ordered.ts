/** Map from id to value, ordered by id: a page costs only as much as it contains. */
export type OrderedById<Value> = {
  get(id: string): Value | undefined
  set(id: string, value: Value): void
  delete(id: string): void
  /** Values with greater ids, ascending; all values when the id is undefined. */
  after(id: string | undefined): Iterable<Value>
  values(): Iterable<Value>
}

export function createOrderedById<Value>(entries: Iterable<readonly [string, Value]>): OrderedById<Value> {
  const values = new Map(entries)
  const ids = [...values.keys()].toSorted()
  /** Index of the first id that is not below this one. */
  const indexOf = (id: string): number => {
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ids[middle] ?? '') < id) low = middle + 1
      else high = middle
    }
    return low
  }
  function* from(start: number): Iterable<Value> {
    for (let at = start; at < ids.length; at += 1) {
      const value = values.get(ids[at] ?? '')
      if (value !== undefined) yield value
    }
  }
  return {
    get: (id) => values.get(id),
    set: (id, value) => {
      if (!values.has(id)) ids.splice(indexOf(id), 0, id)
      values.set(id, value)
    },
    delete: (id) => {
      if (values.delete(id)) ids.splice(indexOf(id), 1)
    },
    after: (id) => {
      if (id === undefined) return from(0)
      const index = indexOf(id)
      return from(ids[index] === id ? index + 1 : index)
    },
    values: () => values.values(),
  }
}

/** The first `limit` values that fit. */
export function takeFitting<Value>(
  values: Iterable<Value>,
  fits: (value: Value) => boolean,
  limit: number,
): Value[] {
  const matches: Value[] = []
  for (const value of values) {
    if (matches.length >= limit) break
    if (fits(value)) matches.push(value)
  }
  return matches
}
