// Ownership rule: a list item that names another project, or repeats an id, is rejected.
import type { Listing } from '../../model/ports/service.ts'
import { firstLines } from '../../std/first-problems.ts'

export type OwnershipRule<Item> = Readonly<{
  /** Undefined where the request named no project. */
  projectId: string | undefined
  idOf: (item: Item) => string
}>

export function keepOwnItems<Item extends { readonly projectId: string }>(
  { items, problems, unread = [], ...listing }: Listing<Item>,
  { projectId, idOf }: OwnershipRule<Item>,
): Listing<Item> {
  const own = new Map<string, Item>()
  const lines: string[] = []
  const rejected: string[] = []
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
    rejected.push(itemId)
  }
  return {
    ...listing,
    items: [...own.values()],
    problems: [...problems, ...firstLines(lines)],
    ...unreadOf([...unread, ...rejected]),
  }
}

/** The field is absent where every record fits. */
export const unreadOf = (unread: readonly string[]): Pick<Listing<never>, 'unread'> =>
  unread.length === 0 ? {} : { unread }
