// The journal of the memory store: the rules of the tables, by hand.
import { isEnded, type Change, type ChangeEvent, type ChangeTally } from '../../src/model/policy/change.ts'
import type { Journal } from '../../src/model/ports/journal.ts'
import type { Write } from '../../src/model/ports/store.ts'
import { addSaved, NOTHING_SAVED, type SavedPart } from '../../src/model/policy/saved.ts'
import { targetKey } from '../../src/model/service/compute.ts'
import { latest } from '../../src/model/units.ts'
import { compare } from './memory-outbox.ts'
import type { AccountRows, RowsByAccount } from './memory-store.ts'

export const journalOf = (rowsOf: RowsByAccount): Journal => ({
  openChanges: async (account) =>
    inOrder([...rowsOf(account).changes.values()].filter(({ state }) => !isEnded(state))),
  change: async (account, id) => rowsOf(account).changes.get(id),
  changes: async (account, { target, project = target?.projectId, since = -Infinity, count }) =>
    inOrder(
      [...rowsOf(account).changes.values()].filter(
        ({ ref, state }) =>
          (!isEnded(state) || state.endedAt >= since) &&
          (project === undefined || ref.projectId === project) &&
          (!target || ref.endpointId === target.endpointId),
      ),
    )
      .toReversed()
      .slice(0, count),
  changeEvents: async (account, id) =>
    rowsOf(account)
      .changeEvents.filter(({ changeId }) => changeId === id)
      .toSorted(byVersion),
  changeTallies: async (account) =>
    [...rowsOf(account).changeTallies]
      .toSorted(([one], [other]) => compare(one, other))
      .map(([, tally]) => tally),
  savedParts: async (account, part) =>
    sortedRows(rowsOf(account).savedParts).filter((one) =>
      'changeId' in part
        ? one.changeId === part.changeId
        : one.to >= part.since && (!part.target || targetKey(one.ref) === targetKey(part.target)),
    ),
  savedTallies: async (account) => sortedRows(rowsOf(account).savedTallies),
  placedHolds: async (account, since) =>
    [...rowsOf(account).placedHolds.values()]
      .filter(({ ended }) => !ended || ended.at >= (since ?? Infinity))
      .toSorted((one, other) => one.placedAt - other.placedAt || compare(one.id, other.id)),
  forcedChanges: async (account) => sortedRows(rowsOf(account).forcedChanges),
  storedBrakes: async (account) => sortedRows(rowsOf(account).brakes),
})

const sortedRows = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] =>
  [...rows].toSorted(([one], [other]) => compare(one, other)).map(([, row]) => row)

export function addTally(tallies: Map<string, ChangeTally>, added: ChangeTally): void {
  const { ref, kind, outcome } = added
  const key = `${ref.projectId} ${ref.endpointId} ${kind} ${outcome}`
  const { count = 0, interrupted = 0, avoided = 0, lastAt = added.lastAt } = tallies.get(key) ?? {}
  tallies.set(key, {
    ...added,
    count: count + added.count,
    interrupted: interrupted + added.interrupted,
    avoided: avoided + added.avoided,
    lastAt: latest(lastAt, added.lastAt),
  })
}

const partKey = ({ changeId, from }: SavedPart): string => `${changeId} ${String(from).padStart(16, '0')}`

export const hasCountedPart = ({ savedParts }: AccountRows, writes: readonly Write[]): boolean =>
  writes.some((write) => write.kind === 'saved-part' && savedParts.has(partKey(write.part)))

export function addSavedPart({ savedParts, savedTallies }: AccountRows, part: SavedPart): void {
  const { ref, team, saved, extra } = part
  savedParts.set(partKey(part), part)
  const key = `${ref.projectId} ${ref.endpointId ?? ''} ${team}`
  const before = savedTallies.get(key) ?? NOTHING_SAVED
  savedTallies.set(key, { ref, team, ...addSaved(before, { saved, extra }) })
}

const byVersion = (one: ChangeEvent, other: ChangeEvent): number => one.version - other.version

const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))

/** The changes with these writes; undefined where one is refused. */
export function changesWith(
  changes: ReadonlyMap<string, Change>,
  writes: readonly Write[],
): ReadonlyMap<string, Change> | undefined {
  if (!writes.some(({ kind }) => kind === 'change')) return changes
  const next = new Map(changes)
  for (const write of writes) {
    if (write.kind !== 'change') continue
    const { change, replaces } = write
    if (next.get(change.id)?.version !== replaces) return undefined
    const others = [...next.values()].filter(({ id }) => id !== change.id)
    if (others.some((other) => excludes(other, change))) return undefined
    next.set(change.id, change)
  }
  return next
}

/** One open change per compute and kind; one `applying` per project. */
function excludes(one: Change, other: Change): boolean {
  if (one.ref.projectId !== other.ref.projectId) return false
  if (one.state.at === 'applying' && other.state.at === 'applying') return true
  const isSame = one.ref.endpointId === other.ref.endpointId && one.kind === other.kind
  return isSame && !isEnded(one.state) && !isEnded(other.state)
}
