type Entry<Item> = { readonly at: number; readonly number: number; readonly item: Item }

/**
 * Future events in order of time; events of one instant in the order they were added. A binary heap: the cost of a call is
 * logarithmic in the number of events.
 */
export function createEventHeap<Item>() {
  const heap: Entry<Item>[] = []
  let number = 0
  return {
    add: (at: number, item: Item): void => {
      number += 1
      heap.push({ at, number, item })
      rise(heap)
    },
    /** Removes and returns the next event due at `until` or before. */
    take: (until: number): Entry<Item> | undefined => {
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
  while (exchange(heap, at, parentOf(at))) at = parentOf(at)
}

function sink<Item>(heap: Entry<Item>[]): void {
  let [at, below] = [0, earlierChild(heap, 0)]
  while (exchange(heap, below, at)) {
    at = below
    below = earlierChild(heap, at)
  }
}

const parentOf = (child: number): number => (child - 1) >> 1

/** The child that is due first, or the place of one where there is none. */
function earlierChild<Item>(heap: readonly Entry<Item>[], at: number): number {
  const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
  return left && right && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
}

/** Exchanges a child with its parent if it is due earlier, and returns whether it was. */
function exchange<Item>(heap: Entry<Item>[], child: number, parent: number): boolean {
  const [lower, upper] = [heap[child], heap[parent]]
  if (!lower || !upper || !isBefore(lower, upper)) return false
  heap[parent] = lower
  heap[child] = upper
  return true
}

const isBefore = <Item>(a: Entry<Item>, b: Entry<Item>): boolean =>
  a.at < b.at || (a.at === b.at && a.number < b.number)
