/** Future events in order of time; events of one instant in the order they were added. */
export type EventHeap<Item> = {
  add(at: number, item: Item): void
  /** Removes and returns the next event due at `until` or before. */
  take(until: number): { readonly at: number; readonly item: Item } | undefined
}

type Entry<Item> = { readonly at: number; readonly number: number; readonly item: Item }

const isBefore = <Item>(a: Entry<Item>, b: Entry<Item>): boolean =>
  a.at < b.at || (a.at === b.at && a.number < b.number)

/** Creates a binary heap: the cost of a call is logarithmic in the number of events. */
export function createEventHeap<Item>(): EventHeap<Item> {
  const heap: Entry<Item>[] = []
  let number = 0
  return {
    add: (at, item) => {
      number += 1
      heap.push({ at, number, item })
      rise(heap)
    },
    take: (until) => {
      const first = heap[0]
      if (!first || first.at > until) return undefined
      const last = heap.pop()
      if (last && heap.length > 0) {
        heap[0] = last
        sink(heap)
      }
      return first
    },
  }
}

function rise<Item>(heap: Entry<Item>[]): void {
  let at = heap.length - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    const [child, parent] = [heap[at], heap[above]]
    if (!child || !parent || !isBefore(child, parent)) return
    heap[at] = parent
    heap[above] = child
    at = above
  }
}

function sink<Item>(heap: Entry<Item>[]): void {
  let at = 0
  for (;;) {
    const below = smallerChild(heap, at)
    const [parent, child] = [heap[at], heap[below]]
    if (!parent || !child || !isBefore(child, parent)) return
    heap[at] = child
    heap[below] = parent
    at = below
  }
}

function smallerChild<Item>(heap: readonly Entry<Item>[], at: number): number {
  const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
  return left && right && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
}
