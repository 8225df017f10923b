/** Runs `work` on every item, at most `limit` at once, in their order. */
export async function forEachParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    // oxlint-disable-next-line no-await-in-loop -- the workers share the queue
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
