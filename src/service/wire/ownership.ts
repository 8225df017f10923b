// A record must not speak for another one.
import type { Listing } from '../../model/ports/service.ts'

export type OwnershipRule<Item> = {
  /** Undefined where nobody was named in the request. */
  readonly projectId: string | undefined
  readonly idOf: (item: Item) => string
}

/** Without the items that name another project than was asked for, and those that use the id of one before them. */
export function keepOwnItems<Item extends { readonly projectId: string }>(
  { items, problems, unread = [] }: Listing<Item>,
  { projectId, idOf }: OwnershipRule<Item>,
): Listing<Item> {
  const own = new Map<string, Item>()
  const lines: string[] = []
  const strange: string[] = []
  for (const item of items) {
    const itemId = idOf(item)
    const isForeign = projectId !== undefined && item.projectId !== projectId
    if (!isForeign && !own.has(itemId)) {
      own.set(itemId, item)
      continue
    }
    lines.push(
      isForeign
        ? `${itemId}: project_id: expected ${projectId}, received ${item.projectId}`
        : `${itemId}: comes twice`,
    )
    strange.push(itemId)
  }
  return {
    items: [...own.values()],
    problems: [...problems, ...lines],
    ...unreadOf([...unread, ...strange]),
  }
}

/** A listing says nothing of what did not fit where all did. */
export const unreadOf = (unread: readonly string[]): Pick<Listing<never>, 'unread'> =>
  unread.length === 0 ? {} : { unread }
