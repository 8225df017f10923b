// Selects and sorts the computes of a fleet page.
import type { ComputeRef } from '../../model/service/compute.ts'
import type { ComputeView, IdentityView } from '../../model/output/snapshot.ts'
import { STATES, type FleetFilters, type Sort } from './query.ts'
import { computeDisplayName, connectionCount } from '../text/explain.ts'
import { recentSumsOf, type FleetPageInput, type RecentSums } from './fleet-input.ts'

/** Keeps a page below 300 kB. */
export const ROWS_PER_PAGE = 100

export type SelectedRows = {
  /** Computes of this page. */
  readonly rows: readonly ComputeView[]
  /** Computes that match the filters, in no particular order. */
  readonly matches: readonly ComputeView[]
  /** From 1. */
  readonly page: number
  readonly pages: number
}

export function selectRows({
  snapshot,
  query,
  recent,
}: Pick<FleetPageInput, 'snapshot' | 'query' | 'recent'>): SelectedRows {
  const matches = snapshot.computes.filter((view) => matchesFilters(view, query))
  const valueOf = SORT_VALUES[query.sort]
  const keyed = matches
    .toSorted((a, b) => byRef(a.identity.ref, b.identity.ref))
    .map((view) => ({
      view,
      value: valueOf(view, () => recent && recentSumsOf(recent.sums, view.identity.ref)),
    }))
  const sign = query.descending ? -1 : 1
  keyed.sort((a, b) => byValue(a.value, b.value, sign))
  if (query.group === 'team') keyed.sort((a, b) => byTeam(a.view, b.view.identity))
  const pages = Math.max(1, Math.ceil(keyed.length / ROWS_PER_PAGE))
  const page = Math.min(query.page, pages)
  return {
    rows: keyed.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE).map(({ view }) => view),
    matches,
    page,
    pages,
  }
}

type SortValue = string | number | undefined

/** The sums are a function: most sort orders do not look them up. */
type SortValueOf = (view: ComputeView, recent: () => RecentSums | undefined) => SortValue

const SORT_VALUES: Readonly<Record<Sort, SortValueOf>> = {
  name: (view) => computeDisplayName(view.identity).toLowerCase(),
  state: ({ state: { shown: state } }) => -STATES.indexOf(state),
  cu: ({ reading: { size: currentCu } }) => currentCu?.cu,
  awake: (_, recent) => recent()?.awake,
  tail: (_, recent) => tailShare(recent()),
  spend: (_, recent) => recent()?.spend,
  hits: ({ reading: { hitRatio } }) => hitRatio,
  connections: ({ reading: { connections } }) => connections && connectionCount(connections),
  team: ({ identity: { owner } }) => owner.team || undefined,
}

const tailShare = (recent: RecentSums | undefined): number | undefined =>
  recent && recent.awake > 0 ? recent.idleTail / recent.awake : undefined

/** The order of `computeKey`, without building a key for each comparison. */
const byRef = (a: ComputeRef, b: ComputeRef): number =>
  byText(a.account, b.account) || byText(a.projectId, b.projectId) || byText(a.endpointId, b.endpointId)

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Unknown values come last in both directions. */
function byValue(a: SortValue, b: SortValue, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a === b ? 0 : a < b ? -sign : sign
}

/** Computes without a team come last. */
function byTeam(
  {
    identity: {
      owner: { team: a },
    },
  }: ComputeView,
  { owner: { team: b } }: IdentityView,
): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? 1 : -1
  return a < b ? -1 : 1
}

function matchesFilters(
  view: ComputeView,
  { text, state, team, tier, project, branch }: FleetFilters,
): boolean {
  const {
    identity: { ref, compute, owner },
  } = view
  return (
    accepts(state, view.state.shown) &&
    accepts(team, owner.team) &&
    accepts(tier, owner.tier) &&
    accepts(project, ref.projectId) &&
    accepts(branch, compute.branchId) &&
    (text === undefined ||
      namesOf(view.identity).some((name) => name.toLowerCase().includes(text.toLowerCase())))
  )
}

const accepts = (filter: string | undefined, value: string): boolean =>
  filter === undefined || filter === value

const namesOf = ({ ref, compute, project, owner }: IdentityView): readonly string[] => [
  ref.endpointId,
  ref.projectId,
  compute.branchId,
  compute.name ?? '',
  project?.name ?? '',
  owner.team,
]
