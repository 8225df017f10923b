import { countWhile } from './count-while.ts'

/** The `count` items with the largest scores, falling; equal ones in the order of adding. Cheap where `count` is small. */
export function createTopK<Item>(
  count: number,
  scoreOf: (item: Item) => number,
): Readonly<{ add: (item: Item) => void; all: () => readonly Item[] }> {
  const top: Readonly<{ item: Item; score: number }>[] = []
  return {
    add: (item) => {
      const score = scoreOf(item)
      const last = top.at(-1)
      if (top.length === count && (!last || score <= last.score)) return
      const behind = countWhile(top.length, (at) => (top[at]?.score ?? 0) >= score)
      top.splice(behind, 0, { item, score })
      if (top.length > count) top.pop()
    },
    all: () => top.map(({ item }) => item),
  }
}
