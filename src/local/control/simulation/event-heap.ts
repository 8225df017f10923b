type Entry<Item> = Readonly<{ at: number; number: number; item: Item }>

/** Future events in order of time, then of addition: a binary heap. */
export function createEventHeap<Item>() {
  const heap: Entry<Item>[] = []
  let number = 0
  return {
    add: (at: number, item: Item) => {
      number += 1
      heap.push({ at, number, item })
      rise(heap)
    },
    /** The next event due by `until`. */
    take: (until: number) => {
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

function rise(heap: Entry<unknown>[]): void {
  let at = heap.length - 1
  while (exchange(heap, at, parentOf(at))) at = parentOf(at)
}

function sink(heap: Entry<unknown>[]): void {
  let [at, below] = [0, earlierChild(heap, 0)]
  while (exchange(heap, below, at)) {
    at = below
    below = earlierChild(heap, at)
  }
}

const parentOf = (child: number) => (child - 1) >> 1

/** The child due first, or its place where there is none. */
function earlierChild(heap: readonly Entry<unknown>[], at: number): number {
  const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
  return left && right && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
}

/** Exchanges the two if the child is due earlier; returns whether it was. */
function exchange(heap: Entry<unknown>[], child: number, parent: number): boolean {
  const [lower, upper] = [heap[child], heap[parent]]
  if (!lower || !upper || !isBefore(lower, upper)) return false
  heap[parent] = lower
  heap[child] = upper
  return true
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>) =>
  a.at < b.at || (a.at === b.at && a.number < b.number)
