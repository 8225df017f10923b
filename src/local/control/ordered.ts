/** The first `limit` values that fit, ascending, after the id `after`; undefined for the first page. */
export type PageQuery<Value> = Readonly<{
  after: string | undefined
  limit: number
  fits: (value: Value) => boolean
}>

/** Map in order of id: a page costs as much as it contains. */
export function createOrderedById<Value extends { readonly id: string }>(initial: readonly Value[]) {
  const values = new Map(initial.map((value) => [value.id, value]))
  const ids = [...values.keys()].toSorted()
  /** Index of the first id that is not below this one. */
  const indexOf = (id: string) => {
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ids[middle] ?? '') < id) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    get: (id: string) => values.get(id),
    set: (value: Value) => {
      if (!values.has(value.id)) ids.splice(indexOf(value.id), 0, value.id)
      values.set(value.id, value)
    },
    delete: (id: string) => {
      if (values.delete(id)) ids.splice(indexOf(id), 1)
    },
    values: () => values.values(),
    page: ({ after, limit, fits }: PageQuery<Value>) => {
      const matches: Value[] = []
      let index = after === undefined ? 0 : indexOf(after)
      if (ids[index] === after) index += 1
      for (; index < ids.length && matches.length < limit; index += 1) {
        const value = values.get(ids[index] ?? '')
        if (value !== undefined && fits(value)) matches.push(value)
      }
      return matches
    },
  }
}
