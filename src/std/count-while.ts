/** Leading positions for which `holds` is true, by binary search: no later one may be. */
export function countWhile(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
