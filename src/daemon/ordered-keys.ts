// Keys of a map in order, without sorting all of them whenever some are added.

export type Ordered = {
  /** As they were given: a map keeps its keys in the order in which they came. */
  readonly given: readonly string[]
  readonly sorted: readonly string[]
}

/** @param before what the last call returned: keys that came since are merged into its order */
export function orderedKeys(given: readonly string[], before: Ordered | undefined): Ordered {
  const known = before && isContinued(before.given, given) ? before : { given: [], sorted: [] }
  const fresh = given.slice(known.given.length).toSorted()
  return { given, sorted: fresh.length === 0 ? known.sorted : merged(known.sorted, fresh) }
}

const isContinued = (before: readonly string[], given: readonly string[]): boolean =>
  before.length <= given.length && before.every((key, index) => given[index] === key)

function merged(a: readonly string[], b: readonly string[]): readonly string[] {
  const all: string[] = []
  let [left, right] = [0, 0]
  while (left < a.length || right < b.length) {
    const [one, other] = [a[left], b[right]]
    if (other === undefined || (one !== undefined && one <= other)) {
      all.push(one ?? '')
      left += 1
    } else {
      all.push(other)
      right += 1
    }
  }
  return all
}
