// Which computes a fleet page shows, and in which order.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { ComputeView } from '../../model/output/snapshot.ts'
import { STATES, type FleetFilters, type FleetQuery, type Sort } from './query.ts'
import { recentSumsOf, type RecentSums } from './recent-sums.ts'
import { connectionCount, computeDisplayName } from './compute-label.ts'

/** A page: more computes are more pages, never a longer one. */
export const ROWS_PER_PAGE = 100

export type SelectedRows = {
  /** Of this page. */
  readonly rows: readonly ComputeView[]
  /** All that fit. */
  readonly found: readonly ComputeView[]
  readonly page: number
  readonly pages: number
}

export function selectRows(
  computes: readonly ComputeView[],
  query: FleetQuery,
  recent: ReadonlyMap<string, RecentSums>,
): SelectedRows {
  const found = computes.filter((view) => fits(view, query))
  const value = VALUES[query.sort]
  const keyed = found
    .toSorted((a, b) => byRef(a.ref, b.ref))
    .map((view) => ({ view, value: value(view, () => recentSumsOf(recent, view.ref)) }))
  const sign = query.descending ? -1 : 1
  keyed.sort((a, b) => byValue(a.value, b.value, sign))
  if (query.group === 'team') keyed.sort((a, b) => byTeam(a.view, b.view))
  const pages = Math.max(1, Math.ceil(keyed.length / ROWS_PER_PAGE))
  const page = Math.min(query.page, pages)
  return {
    rows: keyed.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE).map(({ view }) => view),
    found,
    page,
    pages,
  }
}

type Value = string | number | undefined

/** Sums are looked up for those who sort by them. */
type ValueOf = (view: ComputeView, recent: () => RecentSums | undefined) => Value

const VALUES: Readonly<Record<Sort, ValueOf>> = {
  name: (view) => computeDisplayName(view).toLowerCase(),
  state: ({ state }) => -STATES.indexOf(state),
  cu: ({ currentCu }) => currentCu?.cu,
  awake: (_, recent) => recent()?.awake,
  tail: (_, recent) => tailShare(recent()),
  spend: (_, recent) => recent()?.spend,
  hits: ({ hitRatio }) => hitRatio,
  connections: connectionCount,
  team: ({ owner }) => owner.team || undefined,
}

const tailShare = (recent: RecentSums | undefined): number | undefined =>
  recent && recent.awake > 0 ? recent.idleTail / recent.awake : undefined

/** The order of their keys, without making five thousand of them for the few that are alike. */
const byRef = (a: ComputeRef, b: ComputeRef): number =>
  byText(a.account, b.account) || byText(a.projectId, b.projectId) || byText(a.endpointId, b.endpointId)

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** What is not known comes last, whichever way. */
function byValue(a: Value, b: Value, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a === b ? 0 : a < b ? -sign : sign
}

/** Computes of nobody come last. */
function byTeam({ owner: { team: a } }: ComputeView, { owner: { team: b } }: ComputeView): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  return a < b ? -1 : 1
}

function fits(view: ComputeView, { text, state, team, tier, project, branch }: FleetFilters): boolean {
  const { ref, compute, owner } = view
  return (
    is(state, view.state) &&
    is(team, owner.team) &&
    is(tier, owner.tier) &&
    is(project, ref.projectId) &&
    is(branch, compute.branchId) &&
    (text === undefined || namesOf(view).some((name) => name.toLowerCase().includes(text.toLowerCase())))
  )
}

const is = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value

const namesOf = ({ ref, compute, project, owner }: ComputeView): readonly string[] => [
  ref.endpointId,
  ref.projectId,
  compute.branchId,
  compute.name ?? '',
  project?.name ?? '',
  owner.team,
]
