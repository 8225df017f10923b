// Counts of ended changes: read from the store once, then kept up with what this process commits.
import type { AccountChanges } from '../../model/output/snapshot.ts'
import type { ChangeTally, OpenChange } from '../../model/policy/change.ts'
import type { AccountStore, WriteOf } from '../../model/ports/store.ts'
import { isComputeRef, targetKey, type ProjectRef, type TargetRef } from '../../model/service/compute.ts'
import { latest } from '../../model/units.ts'

/** Changes of one account, for its snapshot. */
export type ChangeViews = AccountChanges &
  Readonly<{
    /** Projects that changes of any state are about. */
    projects: readonly ProjectRef[]
    /** By the key of a compute or project; undefined where there are none. */
    openOf: (key: string) => readonly OpenChange[] | undefined
    /** Stays the same object until a tally grows. */
    talliesOf: (key: string) => readonly ChangeTally[] | undefined
  }>

export function createTallies(stored: readonly ChangeTally[]) {
  const byTarget = new Map<string, readonly ChangeTally[]>()
  let ended: AccountChanges['ended'] = new Map()
  let restartsAvoided = 0
  const add = (added: ChangeTally) => {
    const key = targetKey(added.ref)
    byTarget.set(key, withTally(byTarget.get(key) ?? [], added))
    const name = `${added.kind}/${added.outcome}`
    restartsAvoided += added.avoided
    ended = new Map([...ended, [name, (ended.get(name) ?? 0) + added.count]])
  }
  for (const tally of stored) add(tally)
  return {
    /** Counts what is committed through it. */
    counting: <Store extends Pick<AccountStore, 'commit'>>(store: Store): Store => ({
      ...store,
      commit: async (...given: Parameters<AccountStore['commit']>) => {
        const committed = await store.commit(...given)
        if (!committed.ok) return committed
        const added = given[0].filter(
          (write): write is WriteOf<'change-tally'> => write.kind === 'change-tally',
        )
        for (const write of added) add(write.added)
        return committed
      },
    }),
    /** Whether a change of a compute or project was ever done, by its key. */
    hasDone: (key: string) => byTarget.get(key)?.some(({ outcome }) => outcome === 'done') ?? false,
    views: (open: readonly OpenChange[]): ChangeViews => {
      const openByTarget = Map.groupBy(open, ({ change }) => targetKey(change.ref))
      return {
        open,
        ended,
        restartsAvoided,
        projects: [
          ...open.flatMap(({ change }) => projectOf(change)),
          ...[...byTarget.values()].flatMap(([first]) => (first ? projectOf(first) : [])),
        ],
        openOf: (key) => openByTarget.get(key),
        talliesOf: (key) => byTarget.get(key),
      }
    },
  }
}

const projectOf = ({ ref }: { readonly ref: TargetRef }): readonly ProjectRef[] =>
  isComputeRef(ref) ? [] : [ref]

/** In order of first appearance. */
function withTally(tallies: readonly ChangeTally[], added: ChangeTally): readonly ChangeTally[] {
  const isSame = ({ kind, outcome }: ChangeTally) => kind === added.kind && outcome === added.outcome
  const before = tallies.find(isSame)
  if (!before) return [...tallies, added]
  const sum = {
    ...added,
    count: before.count + added.count,
    interrupted: before.interrupted + added.interrupted,
    avoided: before.avoided + added.avoided,
    lastAt: latest(before.lastAt, added.lastAt),
  }
  return tallies.map((tally) => (tally === before ? sum : tally))
}
