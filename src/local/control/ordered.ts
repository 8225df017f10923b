/** Values by id, kept in the order of their ids, so that a page costs what it shows. */
export type OrderedById<Value> = {
  get(id: string): Value | undefined
  set(id: string, value: Value): void
  delete(id: string): void
  /** Values whose id comes after this one, ascending; all of them without one. */
  after(id: string | undefined): Iterable<Value>
  values(): Iterable<Value>
}

export function createOrderedById<Value>(entries: Iterable<readonly [string, Value]>): OrderedById<Value> {
  const values = new Map(entries)
  const ids = [...values.keys()].toSorted()
  /** Where the first id is that is not below this one. */
  const placeOf = (id: string): number => {
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
      if (!values.has(id)) ids.splice(placeOf(id), 0, id)
      values.set(id, value)
    },
    delete: (id) => {
      if (values.delete(id)) ids.splice(placeOf(id), 1)
    },
    after: (id) => {
      if (id === undefined) return from(0)
      const place = placeOf(id)
      return from(ids[place] === id ? place + 1 : place)
    },
    values: () => values.values(),
  }
}

/** The first `limit` of those that fit. */
export function takeFitting<Value>(
  values: Iterable<Value>,
  fits: (value: Value) => boolean,
  limit: number,
): Value[] {
  const found: Value[] = []
  for (const value of values) {
    if (found.length >= limit) break
    if (fits(value)) found.push(value)
  }
  return found
}
