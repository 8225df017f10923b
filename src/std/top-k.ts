/** The `count` items with the largest scores, falling; equal ones in the order of adding. Cheap where `count` is small. */
export function createTopK<Item>(
  count: number,
  scoreOf: (item: Item) => number,
): { readonly add: (item: Item) => void; readonly all: () => readonly Item[] } {
  const top: { readonly item: Item; readonly score: number }[] = []
  return {
    add: (item) => {
      const score = scoreOf(item)
      const last = top.at(-1)
      if (top.length === count && (!last || score <= last.score)) return
      top.splice(insertionIndex(top, score), 0, { item, score })
      if (top.length > count) top.pop()
    },
    all: () => top.map(({ item }) => item),
  }
}

/** Behind every score that is as large. */
function insertionIndex(top: readonly { readonly score: number }[], score: number) {
  let [low, high] = [0, top.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((top[middle]?.score ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}
