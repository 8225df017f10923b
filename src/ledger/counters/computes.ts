// Account counters that follow the counters of compute entries: wakes by who caused them, unproductive spend by team.
// Both are raised in the commit that stores the entries, by what these grew.
import type { AccountCounters } from '../../model/ledger/counters.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Unproductive, UnproductiveCause } from '../../model/ledger/unproductive.ts'
import type { Owners } from '../../model/policy/owner.ts'
import { selectorTargetOf } from '../../model/policy/selector.ts'
import { computeKey } from '../../model/service/compute.ts'
import { micros, type Micros } from '../../model/units.ts'

export type TeamWasteContext = {
  readonly before: Ledger
  readonly owners: Owners
  /** Entry of a listed project that is not stored yet. */
  readonly listed: (projectId: string) => ProjectEntry | undefined
}

/** Adds the growth of unproductive spend to the team that owns each compute now: a later change of owner moves nothing. */
export function addTeamWaste(
  counters: AccountCounters,
  entries: readonly ComputeEntry[],
  { before, owners, listed }: TeamWasteContext,
): AccountCounters {
  const teams = new Map(Object.entries(counters.teams))
  for (const entry of entries) {
    const growth = unproductiveGrowth(before.computes.get(computeKey(entry.ref)), entry)
    if (growth.length === 0) continue
    const { projectId } = entry.ref
    const project = before.projects.get(projectId) ?? listed(projectId)
    const { team } = owners.of(selectorTargetOf(entry.ref.account, entry.compute, project?.project))
    teams.set(team, addUnproductive(teams.get(team), growth))
  }
  const isSame = [...teams].every(([team, unproductive]) => counters.teams[team] === unproductive)
  return isSame ? counters : { ...counters, teams: Object.fromEntries(teams) }
}

function addUnproductive(before: Unproductive = {}, growth: Growth): Unproductive {
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const [cause, spend] of growth) after[cause] = micros((after[cause] ?? 0) + spend)
  return after
}

type Growth = readonly (readonly [UnproductiveCause, number])[]

/** An entry stored without unproductive spend, by an earlier version, has no growth: all its past would count as spent today. */
function unproductiveGrowth(before: ComputeEntry | undefined, after: ComputeEntry): Growth {
  if (before && !before.counters.unproductive) return []
  const previous = before?.counters.unproductive ?? {}
  const current = Object.entries(after.counters.unproductive ?? {}) as [UnproductiveCause, number][]
  return current.flatMap(([cause, spend]): Growth => {
    const growth = spend - (previous[cause] ?? 0)
    return growth > 0 ? [[cause, growth]] : []
  })
}

type Wakes = AccountCounters['wakes']

/** Adds the wakes since `before`. One first counted as unknown and later found to be ours counts for both: counters never fall. */
export function addWakes(
  counters: AccountCounters,
  entries: readonly ComputeEntry[],
  before: Ledger,
): AccountCounters {
  const wakes = entries.reduce<Wakes>(
    (sum, entry) => addWakesOf(sum, before.computes.get(computeKey(entry.ref)), entry),
    counters.wakes,
  )
  return wakes === counters.wakes ? counters : { ...counters, wakes }
}

function addWakesOf(sum: Wakes, before: ComputeEntry | undefined, { counters }: ComputeEntry): Wakes {
  const dormouse = counters.wakesCaused - (before?.counters.wakesCaused ?? 0)
  const unknown = Math.max(0, counters.wakes - (before?.counters.wakes ?? 0) - dormouse)
  if (dormouse + unknown === 0) return sum
  return { dormouse: sum.dormouse + dormouse, unknown: sum.unknown + unknown }
}
