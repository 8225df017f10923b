/** Of items that come one after another the `count` with the largest scores, in falling order; equal ones in the order they came. Costs little for few of many. */
export function createTopK<Item>(
  count: number,
  scoreOf: (item: Item) => number,
): { readonly add: (item: Item) => void; readonly all: () => readonly Item[] } {
  const kept: { readonly item: Item; readonly score: number }[] = []
  return {
    add: (item) => {
      const score = scoreOf(item)
      const last = kept.at(-1)
      if (kept.length === count && (!last || score <= last.score)) return
      kept.splice(placeOf(kept, score), 0, { item, score })
      if (kept.length > count) kept.pop()
    },
    all: () => kept.map(({ item }) => item),
  }
}

/** After everything that is as large. */
function placeOf(kept: readonly { readonly score: number }[], score: number): number {
  let [low, high] = [0, kept.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((kept[middle]?.score ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}
