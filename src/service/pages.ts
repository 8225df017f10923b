// A list that comes in pages, read whole.
import type { Listing } from '../model/ports/service.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import type { WirePage } from './wire/decode.ts'

/** Against a service that never ends a list: 400,000 projects. Doubled, such a list costs twice the requests before it is noticed. */
const MOST_PAGES = 1000

export type PagingOptions<Item> = {
  /** The most items a page may have: one with less is the last. */
  readonly limit: number
  readonly fetch: (cursor: string | undefined) => Promise<Result<WirePage<Item>, ServiceError>>
  readonly idOf: (item: Item) => string
  /** Whether a page already reaches back far enough. */
  readonly enough?: (page: WirePage<Item>) => boolean
}

/**
 * Every item once, in the order of the service. The last page is short, empty or without a cursor: the service names a
 * cursor even after the last item, so the cursor alone does not tell. Source: service-facts.md, "Projects".
 *
 * @returns cut where a later page cannot be read; `malformed` when the first one cannot, a cursor repeats or there is no end
 */
export async function readPages<Item>(
  paging: PagingOptions<Item>,
): Promise<Result<Listing<Item>, ServiceError>> {
  const items = new Map<string, Item>()
  const problems: string[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let count = 0; count < MOST_PAGES; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page = await paging.fetch(cursor)
    if (!page.ok) return cutAt(page.error, { items: [...items.values()], problems })
    for (const item of page.value.items) items.set(paging.idOf(item), item)
    for (const problem of page.value.problems) problems.push(problem)
    const next = nextCursor(
      { cursor: page.value.cursor, size: pageItemCount(page.value) },
      { limit: paging.limit, cursor },
    )
    if (!next.ok) return next
    cursor = next.value
    if (cursor === undefined || paging.enough?.(page.value))
      return ok({ items: [...items.values()], problems })
    if (cursors.has(cursor)) return twice(cursor)
    cursors.add(cursor)
  }
  return failed({ kind: 'malformed', problems: [`pagination: no end after ${MOST_PAGES} pages`] })
}

/** What was read before a page that cannot be; the error where that is nothing, or may be over the next time. */
function cutAt<Item>(
  error: ServiceError,
  { items, problems }: Listing<Item>,
): Result<Listing<Item>, ServiceError> {
  if (error.kind !== 'malformed' || items.length === 0) return failed(error)
  const told = `what comes after ${items.length} items is not known: ${serviceErrorText(error)}`
  return ok({ items, problems: [...problems, told], cut: true })
}

/** Those that do not fit are items, too. */
export const pageItemCount = ({ items, problems, unreadable }: WirePage<unknown>): number =>
  unreadable ? Infinity : items.length + problems.length

/** Where to go on after a page of `size` items that was asked for with `cursor`; undefined after the last one. */
export function nextCursor(
  page: { readonly cursor: string | undefined; readonly size: number },
  asked: { readonly cursor: string | undefined; readonly limit: number },
): Result<string | undefined, ServiceError> {
  if (page.cursor === undefined || page.size < asked.limit) return ok(undefined)
  return page.cursor === asked.cursor ? twice(page.cursor) : ok(page.cursor)
}

const twice = (cursor: string): Result<never, ServiceError> =>
  failed({ kind: 'malformed', problems: [`pagination.cursor: ${cursor} comes twice`] })
