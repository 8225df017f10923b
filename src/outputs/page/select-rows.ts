import { computeSaving } from '../../advise/total.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { ComputeView, IdentityView, Snapshot } from '../../model/output/snapshot.ts'
import type { Instant, Micros, Millis } from '../../model/units.ts'
import type { SpendDays } from '../charts/spend-days.ts'
import { STATES, type FleetFilters, type FleetQuery, type Sort } from './query.ts'
import { inBrackets, moneyColumns, shownSourcesText, type Money } from '../text/amounts.ts'
import { computeDisplayName, connectionCount } from '../text/explain.ts'

export type FleetPageInput = Readonly<{
  snapshot: Snapshot
  query: FleetQuery
  /** Undefined until days were summed for the first time. */
  recent: RecentSumsTable | undefined
  /** Spend of the last 30 days by team, for each currency; empty until days were read for the first time. */
  charts: readonly SpendDays[]
  priceOf: (account: string) => Micros
}>

/** Today and the six days before, likely values. */
export type RecentSums = Readonly<{ awake: Millis; idleTail: Millis; spend: Micros }>

export type RecentSumsTable = Readonly<{
  from: Instant
  /** `computeKey` → sums; without computes that were not awake. */
  sums: ReadonlyMap<string, RecentSums>
  /** Account → start of its first known day. */
  knownFrom: ReadonlyMap<string, Instant>
}>

export const recentSumsOf = (sums: RecentSumsTable['sums'], ref: ComputeRef): RecentSums | undefined =>
  sums.get(computeKey(ref))

/** What narrowed the spend of the table, in words: ` (use before …)`; empty where nothing did. */
export function recentSource({ accounts }: Snapshot, recent: RecentSumsTable | undefined): string {
  const shown = accounts.map(({ totals }) => totals.shown)
  return inBrackets(recent && shownSourcesText(shown, recent.from))
}

/** Keeps a page below 300 kB. */
const ROWS_PER_PAGE = 100

export type SelectedRows = Readonly<{
  rows: readonly ComputeView[]
  /** In no particular order. */
  matches: readonly ComputeView[]
  /** From 1. */
  page: number
  pages: number
}>

export function selectRows({
  snapshot,
  query,
  recent,
}: Omit<FleetPageInput, 'priceOf' | 'charts'>): SelectedRows {
  const matches = snapshot.computes.filter((view) => matchesFilters(view, query))
  const valueOf = SORT_VALUES[query.sort]
  const keyed = matches
    .toSorted((a, b) => byRef(a.identity.ref, b.identity.ref))
    .map((view) => {
      const sums = () => recent && recentSumsOf(recent.sums, view.identity.ref)
      return { view, value: valueOf(view, sums) }
    })
  const sign = query.descending ? -1 : 1
  keyed.sort((a, b) => byValue(a.value, b.value, sign))
  if (query.group === 'team')
    keyed.sort((a, b) => byTeam(a.view.identity.owner.team, b.view.identity.owner.team))
  const pages = Math.max(1, Math.ceil(keyed.length / ROWS_PER_PAGE))
  const page = Math.min(query.page, pages)
  const rows = keyed.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE).map(({ view }) => view)
  return { rows, matches, page, pages }
}

type SortValue = string | number | undefined

/** A function: most sort orders do not look sums up. */
type SortValueOf = (view: ComputeView, recent: () => RecentSums | undefined) => SortValue

const SORT_VALUES: Readonly<Record<Sort, SortValueOf>> = {
  name: (view) => computeDisplayName(view.identity).toLowerCase(),
  state: ({ state: { shown } }) => -STATES.indexOf(shown),
  cu: ({ reading: { size } }) => size?.cu,
  awake: (_, recent) => recent()?.awake,
  tail: (_, recent) => tailShare(recent()),
  spend: (_, recent) => recent()?.spend,
  hits: ({ reading: { hitRatio } }) => hitRatio,
  connections: ({ reading: { connections } }) => connections && connectionCount(connections),
  saving: ({ advice }) => advice && computeSaving(advice).likely,
  team: ({ identity: { owner } }) => owner.team || undefined,
}

const tailShare = (recent: RecentSums | undefined) =>
  recent && recent.awake > 0 ? recent.idleTail / recent.awake : undefined

/** As `computeKey`, without building keys. */
const byRef = (a: ComputeRef, b: ComputeRef) =>
  byText(a.account, b.account) || byText(a.projectId, b.projectId) || byText(a.endpointId, b.endpointId)

const byText = (a: string, b: string) => byValue(a, b, 1)

/** Unknown values come last in both directions. */
function byValue(a: SortValue, b: SortValue, sign: number) {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a === b ? 0 : a < b ? -sign : sign
}

/** Computes without a team come last. */
const byTeam = (a: string, b: string) => byValue(a || undefined, b || undefined, 1)

function matchesFilters({ identity, state: { shown } }: ComputeView, filters: FleetFilters) {
  const { ref, compute, owner } = identity
  const text = filters.text?.toLowerCase()
  return (
    accepts(filters.state, shown) &&
    accepts(filters.team, owner.team) &&
    accepts(filters.tier, owner.tier) &&
    accepts(filters.project, ref.projectId) &&
    accepts(filters.branch, compute.branchId) &&
    (text === undefined || namesOf(identity).some((name) => name.toLowerCase().includes(text)))
  )
}

const accepts = (filter: string | undefined, value: string) => filter === undefined || filter === value

const namesOf = ({ ref, compute, project, owner }: IdentityView) => [
  ref.endpointId,
  ref.projectId,
  compute.branchId,
  compute.name ?? '',
  project?.name ?? '',
  owner.team,
]

/** Texts of the columns with money. */
export type FleetMoney = Readonly<{ spend: (amount: Money) => string; saving: (amount: Money) => string }>

/** @param rows all of a page */
export const fleetMoney = (rows: SelectedRows['rows'], recent: RecentSumsTable | undefined): FleetMoney => ({
  spend: moneyColumns(rows.map(({ identity }) => spendIn(identity, recent))),
  saving: moneyColumns(rows.map(savingIn)),
})

export const spendIn = ({ ref, currency }: IdentityView, recent: RecentSumsTable | undefined): Money => ({
  micros: (recent && recentSumsOf(recent.sums, ref)?.spend) ?? 0,
  currency,
})

/** In 30 days, with all open recommendations applied. */
export const savingIn = ({ advice = [], identity: { currency } }: ComputeView): Money => ({
  micros: computeSaving(advice).likely,
  currency,
})
