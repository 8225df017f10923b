// Long work in parts, so that waiting work runs in between.
import type { Clock } from '../model/ports/clock.ts'

/** The clock yields after each. */
export async function* inTurns<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  clock: Pick<Clock, 'yield'>,
): AsyncGenerator<Item> {
  for await (const item of items) {
    yield item
    await clock.yield()
  }
}

/** In order; the last may be shorter. */
export function* inChunks<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let chunk: Item[] = []
  for (const item of items) {
    if (chunk.push(item) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
