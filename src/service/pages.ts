// Reads a paged list whole.
import type { Listing } from '../model/ports/service.ts'
import { firstLines } from '../std/first-problems.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { ServiceError } from '../model/service/service-error.ts'
import type { WirePage } from './wire/decode.ts'

/** Pages after which a list counts as endless, 500: 200,000 projects, or 500,000 operations of one. */
const MAX_PAGES = 500

export type PagingOptions<Item> = Readonly<{
  fetch: (cursor: string | undefined) => Promise<Result<WirePage<Item>, ServiceError>>
  idOf: (item: Item) => string
  /** Whether no page after this one is needed. */
  isLast?: (page: WirePage<Item>) => boolean
}>

/**
 * Every item once, in the order of the service.
 *
 * @returns the error of a page that cannot be read; `malformed` when a cursor repeats or there is no end
 */
export async function readPages<Item>(
  paging: PagingOptions<Item>,
): Promise<Result<Listing<Item>, ServiceError>> {
  const items = new Map<string, Item>()
  const problems: string[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page = await paging.fetch(cursor)
    if (!page.ok) return page
    for (const item of page.value.items) items.set(paging.idOf(item), item)
    for (const problem of page.value.problems) problems.push(problem)
    const next = nextCursor(page.value, cursor)
    if (!next.ok) return next
    cursor = next.value
    if (cursor === undefined || paging.isLast?.(page.value))
      return ok({ items: [...items.values()], problems: firstLines(problems) })
    if (cursors.has(cursor)) return repeatedCursor(cursor)
    cursors.add(cursor)
  }
  return failed({ kind: 'malformed', problems: [`pagination: no end after ${MAX_PAGES} pages`] })
}

/**
 * Cursor of the page after `page`, which was requested with `requested`; undefined after the last one, which is empty or has no cursor. A page
 * of unavailable projects is not empty. A page may be shorter than asked, and the service names a cursor even after the last item. Source: service-facts.md, "Projects".
 */
export function nextCursor(
  { cursor, size }: Pick<WirePage<unknown>, 'cursor' | 'size'>,
  requested: string | undefined,
): Result<string | undefined, ServiceError> {
  if (cursor === undefined || size === 0) return ok(undefined)
  return cursor === requested ? repeatedCursor(cursor) : ok(cursor)
}

const repeatedCursor = (cursor: string): Result<never, ServiceError> =>
  failed({ kind: 'malformed', problems: [`pagination.cursor: ${cursor} comes twice`] })
