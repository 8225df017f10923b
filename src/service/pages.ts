// Reads a paged list whole.
import type { Listing } from '../model/ports/service.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import type { WirePage } from './wire/decode.ts'

/** Pages after which a list counts as endless: 400,000 projects. */
const MAX_PAGES = 1000

export type PagingOptions<Item> = {
  /** Items of a full page: a page with fewer is the last. */
  readonly limit: number
  readonly fetch: (cursor: string | undefined) => Promise<Result<WirePage<Item>, ServiceError>>
  readonly idOf: (item: Item) => string
  /** Whether no page after this one is needed. */
  readonly isLast?: (page: WirePage<Item>) => boolean
}

/**
 * Every item once, in the order of the service. The last page is short, empty or without a cursor: the service names a cursor even after
 * the last item. Source: service-facts.md, "Projects".
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
  for (let count = 0; count < MAX_PAGES; count += 1) {
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
    if (cursor === undefined || paging.isLast?.(page.value))
      return ok({ items: [...items.values()], problems })
    if (cursors.has(cursor)) return repeatedCursor(cursor)
    cursors.add(cursor)
  }
  return failed({ kind: 'malformed', problems: [`pagination: no end after ${MAX_PAGES} pages`] })
}

/** Items read before an unreadable page; the error where there are none, or where a retry may help. */
function cutAt<Item>(
  error: ServiceError,
  { items, problems }: Listing<Item>,
): Result<Listing<Item>, ServiceError> {
  if (error.kind !== 'malformed' || items.length === 0) return failed(error)
  const problem = `what comes after ${items.length} items is not known: ${serviceErrorText(error)}`
  return ok({ items, problems: [...problems, problem], cut: true })
}

/** Items of a page, including those that do not fit. */
export const pageItemCount = ({ items, problems, unreadable }: WirePage<unknown>): number =>
  unreadable ? Infinity : items.length + problems.length

/** Cursor of the page after `page`, which was requested with `requested`; undefined after the last one. */
export function nextCursor(
  page: { readonly cursor: string | undefined; readonly size: number },
  requested: { readonly cursor: string | undefined; readonly limit: number },
): Result<string | undefined, ServiceError> {
  if (page.cursor === undefined || page.size < requested.limit) return ok(undefined)
  return page.cursor === requested.cursor ? repeatedCursor(page.cursor) : ok(page.cursor)
}

const repeatedCursor = (cursor: string): Result<never, ServiceError> =>
  failed({ kind: 'malformed', problems: [`pagination.cursor: ${cursor} comes twice`] })
