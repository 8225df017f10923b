// Saved and extra spend of the changes of one account: counted with the evaluation of a compute or project, whose histories it needs, and summed
// for the snapshot.
import { savedByDefaults } from '../../advise/defaults/realised.ts'
import type { DefaultsInput } from '../../advise/defaults/input.ts'
import { FOLLOW_UP } from '../../advise/follow-up.ts'
import type { AdviseInput } from '../../advise/input.ts'
import { savedParts, type CountedChanges } from '../../advise/saved-by-change.ts'
import type { Owners } from '../../model/policy/owner.ts'
import {
  addSaved,
  NOTHING_SAVED,
  type Saved,
  type SavedPart,
  type SavedTally,
} from '../../model/policy/saved.ts'
import { selectorTargetOf } from '../../model/policy/selector.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { targetKey, type TargetRef } from '../../model/service/compute.ts'
import { instant, SECOND, type Instant } from '../../model/units.ts'

type SavedSpendOptions = Readonly<{
  account: string
  journal: Pick<Journal, 'changes' | 'savedParts' | 'savedTallies'>
  /** Whether a change of it was ever done, by its key. */
  hasDone: (key: string) => boolean
  /** As configured now. */
  owners: () => Owners
}>

export type SavedSpend = Awaited<ReturnType<typeof createSavedSpend>>

/** Time after its end in which a change is looked for, twice what counts: an evaluation may come late. */
const LOOKED_BACK = 2 * FOLLOW_UP * SECOND
/** Changes of one compute in that time: a schedule makes two for each opening of its window. */
const MAX_CHANGES = 1000

/** @throws when the store fails */
export async function createSavedSpend({ account, journal, hasDone, owners }: SavedSpendOptions) {
  const byTarget = new Map<string, Saved>()
  let byTeam: ReadonlyMap<string, Saved> = new Map()
  const add = ({ ref, team, saved, extra }: SavedTally) => {
    const key = targetKey(ref)
    byTarget.set(key, addSaved(byTarget.get(key) ?? NOTHING_SAVED, { saved, extra }))
    byTeam = new Map([...byTeam, [team, addSaved(byTeam.get(team) ?? NOTHING_SAVED, { saved, extra })]])
  }
  for (const tally of await journal.savedTallies(account)) add(tally)

  /** Undefined where no change is to be counted. */
  async function read(ref: TargetRef, now: Instant): Promise<Omit<CountedChanges, 'team'> | undefined> {
    if (!hasDone(targetKey(ref))) return undefined
    const since = instant(now - LOOKED_BACK)
    const changes = await journal.changes(account, { target: ref, since, count: MAX_CHANGES })
    return { changes, parts: await journal.savedParts(account, { target: ref, since }) }
  }

  return {
    /** New parts of a compute. @throws when the store fails */
    ofCompute: async (input: AdviseInput): Promise<readonly SavedPart[]> => {
      const { entry, project, now } = input
      const counted = await read(entry.ref, now)
      const { team } = owners().of(selectorTargetOf(account, entry.compute, project?.project))
      return counted ? savedParts(input, { ...counted, team }) : []
    },
    /** New parts of the defaults of a project. @throws when the store fails */
    ofProject: async (input: DefaultsInput): Promise<readonly SavedPart[]> => {
      const counted = await read(input.ref, input.now)
      const { team } = owners().ofProject(account, input.project)
      return counted ? savedByDefaults(input, { ...counted, team }) : []
    },
    /** After their commit. */
    add: (parts: readonly SavedPart[]) => {
      for (const part of parts) add(part)
    },
    /** By the key of a compute or project; undefined where nothing was counted. Stays the same object until a part is. */
    of: (key: string) => byTarget.get(key),
    /** Stays the same object until a part is counted. */
    byTeam: () => byTeam,
  }
}
