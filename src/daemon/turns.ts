// Long work in parts, so that waiting work runs in between.
import type { Clock } from '../model/ports/clock.ts'

/** The items in order; the clock yields after each. */
export async function* inTurns<Item>(
  items: Iterable<Item>,
  clock: Pick<Clock, 'yield'>,
): AsyncGenerator<Item> {
  for (const item of items) {
    yield item
    // oxlint-disable-next-line no-await-in-loop -- yielding after each is the point
    await clock.yield()
  }
}

/** The items in order, in chunks of `size`; the last may be shorter. */
export const inChunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, nth) =>
    items.slice(nth * size, (nth + 1) * size),
  )
