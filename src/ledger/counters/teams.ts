// Whose money went for nothing: what a part adds goes to who answers for the compute now, in the commit that stores the part.
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Batch } from '../../model/ports/store.ts'
import { computeKey } from '../../model/service/compute.ts'
import { selectorTargetOf } from '../../model/policy/selector.ts'
import type { AccountCounters } from '../../model/ledger/counters.ts'
import { micros, type Micros } from '../../model/units.ts'
import type { Unproductive, UnproductiveCause } from '../../model/ledger/unproductive.ts'

export type TeamWasteContext = {
  readonly before: Ledger
  readonly owners: Owners
  /** Of a project that is not stored yet. */
  readonly listed: (projectId: string) => ProjectEntry | undefined
}

/** `batch` with what its computes cost for nothing since `before`; itself where that is nothing. Owners that change move nothing that was counted. */
export function addTeamWaste(batch: Batch, { before, owners, listed }: TeamWasteContext): Batch {
  const { teams: known } = before.counters
  const teams = new Map(Object.entries(known))
  for (const account of batch.computes) {
    const more = growthOf(before.computes.get(computeKey(account.ref)), account)
    if (more.length === 0) continue
    const { projectId } = account.ref
    const project = before.projects.get(projectId) ?? listed(projectId)
    const { team } = owners.of(selectorTargetOf(account.ref.account, account.compute, project?.project))
    teams.set(team, withGrowth(teams.get(team), more))
  }
  if ([...teams].every(([team, counted]) => known[team] === counted)) return batch
  const tallies: AccountCounters = {
    ...(batch.counters ?? before.counters),
    teams: Object.fromEntries(teams),
  }
  return { ...batch, counters: tallies }
}

function withGrowth(before: Unproductive = {}, growth: Growth): Unproductive {
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const [cause, spend] of growth) after[cause] = micros((after[cause] ?? 0) + spend)
  return after
}

type Growth = readonly (readonly [UnproductiveCause, number])[]

/** What an earlier version counted nothing of begins with its next fold: a jump would look like money of today. */
function growthOf(before: ComputeEntry | undefined, after: ComputeEntry): Growth {
  if (before && !before.counters.unproductive) return []
  const known = before?.counters.unproductive ?? {}
  const now = Object.entries(after.counters.unproductive ?? {}) as [UnproductiveCause, number][]
  return now.flatMap(([cause, spend]): Growth => {
    const more = spend - (known[cause] ?? 0)
    return more > 0 ? [[cause, more]] : []
  })
}
