// What a daemon knew, and when: noted on the way between it and its service and store, for the judge.
import { settledPartOfOpen, slicesOfHistory } from '../../../src/ledger/budgets/from-history.ts'
import { accruedSlice } from '../../../src/ledger/settle/accrual.ts'
import { largestCu, smallestCu } from '../../../src/model/service/compute.ts'
import type { ComputeEntry, Ledger, SettledInterval } from '../../../src/model/ledger/ledger.ts'
import { awakeEffect } from '../../../src/model/service/operation.ts'
import { rowsOf, type Rows } from '../../support/writes.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Prices, AwakeSlice } from '../../../src/model/ledger/quantities.ts'
import type { Instant } from '../../../src/model/units.ts'
import { createListAges, type Account, type AgeFigures, type Known, type Window } from './judge.ts'

/** By the clock of the service. */
type Now = () => Instant

export type Notes = {
  /** Of these something was known before the notes begin. */
  readonly begin: (ledger: Ledger) => void
  /** `ports` that note what goes through them. */
  readonly watched: (ports: Ports) => Ports
  readonly known: () => readonly Known[]
  readonly ages: (until: number) => AgeFigures
  /** CU-seconds within the window: what is settled, what is not, and what may have gone on since it was last looked at. */
  readonly accountsIn: (within: Window, ledger: Ledger, prices: Prices) => readonly Account[]
}

export function createNotes(now: Now): Notes {
  const ages = createListAges()
  const known = new Map<string, Known>()
  const settled: SettledInterval[] = []
  const since = new Map<string, number>()

  function noteEdge(edge: EdgeSeen, knownAt: number): void {
    const key = `${edge.endpointId} ${edge.kind} ${edge.earliest}`
    if (!known.has(key)) known.set(key, { ...edge, knownAt })
  }
  function note(rows: Rows): void {
    const knownAt = now()
    for (const account of rows.computes) {
      const { endpointId } = account.ref
      if (!since.has(endpointId)) since.set(endpointId, firstOf(account))
      for (const edge of edgesOf(account)) noteEdge(edge, knownAt)
    }
    settled.push(...rows.settled)
  }
  return {
    begin: ({ computes }) => {
      for (const { ref } of computes.values()) since.set(ref.endpointId, 0)
    },
    watched: (ports) => {
      const listProjectsPage: Ports['service']['listProjectsPage'] = async (cursor, signal) => {
        const page = await ports.service.listProjectsPage(cursor, signal)
        const at = now()
        if (page.ok) for (const { projectId } of page.value.items) ages.note(projectId, at)
        return page
      }
      const commit: Ports['store']['commit'] = async (...given) => {
        const committed = await ports.store.commit(...given)
        note(rowsOf(given[0]))
        return committed
      }
      return { ...ports, service: { ...ports.service, listProjectsPage }, store: { ...ports.store, commit } }
    },
    known: () => [...known.values()],
    ages: (until) => ages.figures(until),
    accountsIn: (within, ledger, prices) =>
      [...sums(allSlices(settled, ledger, { prices, now: now() }), within)].map((sum) => ({
        ...sum,
        since: since.get(sum.endpointId) ?? 0,
      })),
  }
}

/** The first instant that anything known of a compute tells of, when it is noted for the first time. */
const firstOf = ({ evidence: { starts, ends, states, operations } }: ComputeEntry): number =>
  Math.min(
    ...starts,
    ...ends,
    ...states.map(({ askedAt }) => askedAt),
    ...operations.map(({ createdAt }) => createdAt),
  )

type EdgeSeen = Omit<Known, 'knownAt'>

/** What the account knows of starts and ends, dated to the second. */
function edgesOf({ ref: { endpointId }, evidence: { starts, ends, operations } }: ComputeEntry): EdgeSeen[] {
  const edge = (kind: EdgeSeen['kind'], at: number): EdgeSeen => ({
    endpointId,
    kind,
    earliest: at,
    latest: at + 1000,
  })
  return [
    ...starts.map((at) => edge('wake', at)),
    ...ends.map((at) => edge('suspension', at)),
    ...operations.flatMap((operation) => {
      const effect = awakeEffect(operation)
      return effect ? [edge(effect === 'starts' ? 'wake' : 'suspension', operation.updatedAt)] : []
    }),
  ]
}

function* allSlices(
  settled: readonly SettledInterval[],
  { computes, projects }: Ledger,
  { prices, now }: { readonly prices: Prices; readonly now: Instant },
): Generator<AwakeSlice> {
  for (const interval of settled) yield* slicesOfHistory(interval, prices, undefined)
  for (const account of computes.values()) {
    const open = settledPartOfOpen(account)
    if (open) yield* slicesOfHistory(open, prices, undefined)
    yield* account.provisional
    const slice = accruedSlice(account, { prices, project: projects.get(account.ref.projectId), now })
    if (slice) yield slice
  }
}

type Sum = { readonly endpointId: string; low: number; likely: number; high: number }

function sums(slices: Iterable<AwakeSlice>, within: Window): Iterable<Sum> {
  const accounts = new Map<string, Sum>()
  for (const { ref, low, likely, high, size } of slices) {
    const { endpointId } = ref
    const sum = accounts.get(endpointId) ?? { endpointId, low: 0, likely: 0, high: 0 }
    accounts.set(endpointId, sum)
    sum.low += overlap(low, within) * size.low
    sum.likely += overlap(likely, within) * size.likely
    sum.high += overlap(high, within) * size.high
  }
  return accounts.values()
}

function overlap({ from, to }: Window, { from: first, to: last }: Window): number {
  return Math.max(0, Math.min(to, last) - Math.max(from, first)) / 1000
}

/** Ids of computes whose size moves inside a range: without readings nothing tells where it is. */
export const rangedIn = ({ computes }: Ledger): readonly string[] =>
  [...computes.values()].flatMap(({ ref, compute }) =>
    smallestCu(compute.sizing) < largestCu(compute.sizing) ? [ref.endpointId] : [],
  )
