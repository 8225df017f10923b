// Rows of a commit by kind: easier to build and to check than the list of writes.
import type { AccountCounters } from '../../src/model/ledger/counters.ts'
import type { Gap, ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { DayRow } from '../../src/model/ledger/quantities.ts'
import type {
  ComputeEntry,
  DeletedCompute,
  ReadingCounts,
  SettledInterval,
} from '../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../src/model/ledger/project-entry.ts'
import type { ComputeStatistics } from '../../src/model/ledger/statistics.ts'
import type { Rollup } from '../../src/model/ledger/rollup.ts'
import type { Delivery } from '../../src/model/output/delivery.ts'
import type { Event } from '../../src/model/output/event-kinds.ts'
import type { StoredReport } from '../../src/model/output/report.ts'
import type { BudgetState } from '../../src/model/policy/budget.ts'
import type { ComputeAdvice, Recommendation } from '../../src/model/policy/recommendation.ts'
import {
  commit,
  type AccountStore,
  type Store,
  type Write,
  type WriteOf,
} from '../../src/model/ports/store.ts'

export type Rows = {
  readonly readings: ReadingCounts | undefined
  readonly projects: readonly ProjectEntry[]
  readonly computes: readonly ComputeEntry[]
  readonly deleted: readonly DeletedCompute[]
  readonly settled: readonly SettledInterval[]
  readonly rollups: readonly Rollup[]
  readonly statistics: readonly ComputeStatistics[]
  readonly gaps: readonly Gap[]
  readonly settings: readonly ObservedSetting[]
  readonly recommendations: readonly Recommendation[]
  readonly advice: readonly ComputeAdvice[]
  readonly days: readonly DayRow[]
  readonly budgets: Readonly<Record<string, BudgetState | undefined>>
  readonly counters: AccountCounters | undefined
  readonly events: readonly Event[]
  readonly reports: readonly StoredReport[]
  readonly deliveries: readonly Delivery[]
  readonly jobStates: Readonly<Record<string, unknown>>
}

const NO_ROWS: Rows = {
  readings: undefined,
  projects: [],
  computes: [],
  deleted: [],
  settled: [],
  rollups: [],
  statistics: [],
  gaps: [],
  settings: [],
  recommendations: [],
  advice: [],
  days: [],
  budgets: {},
  counters: undefined,
  events: [],
  reports: [],
  deliveries: [],
  jobStates: {},
}

export function writesOf(given: Partial<Rows>): readonly Write[] {
  const rows = { ...NO_ROWS, ...given }
  return [
    ...(rows.readings ? [{ kind: 'reading-counts', counts: rows.readings } as const] : []),
    ...(rows.counters ? [{ kind: 'counters', counters: rows.counters } as const] : []),
    ...rows.projects.map((entry) => ({ kind: 'project', entry }) as const),
    ...rows.computes.map((entry) => ({ kind: 'compute', entry }) as const),
    ...rows.deleted.map((compute) => ({ kind: 'deleted-compute', compute }) as const),
    ...rows.settled.map((interval) => ({ kind: 'interval', interval }) as const),
    ...rows.rollups.map((rollup) => ({ kind: 'rollup', rollup }) as const),
    ...rows.statistics.map((statistics) => ({ kind: 'statistics', statistics }) as const),
    ...rows.gaps.map((gap) => ({ kind: 'gap', gap }) as const),
    ...rows.settings.map((setting) => ({ kind: 'setting', setting }) as const),
    ...rows.recommendations.map((recommendation) => ({ kind: 'recommendation', recommendation }) as const),
    ...rows.advice.map((advice) => ({ kind: 'advice', advice }) as const),
    ...rows.days.map((day) => ({ kind: 'day', day }) as const),
    ...Object.entries(rows.budgets).map(([name, state]) => ({ kind: 'budget', name, state }) as const),
    ...rows.events.map((event) => ({ kind: 'event', event }) as const),
    ...rows.reports.map((report) => ({ kind: 'report', report }) as const),
    ...rows.deliveries.map((delivery) => ({ kind: 'delivery', delivery }) as const),
    ...Object.entries(rows.jobStates).map(([job, state]) => ({ kind: 'job-state', job, state }) as const),
  ]
}

export function rowsOf(writes: readonly Write[]): Rows {
  const of = <Kind extends Write['kind']>(kind: Kind): readonly WriteOf<Kind>[] =>
    writes.filter((write): write is WriteOf<Kind> => write.kind === kind)
  return {
    readings: of('reading-counts').at(-1)?.counts,
    projects: of('project').map(({ entry }) => entry),
    computes: of('compute').map(({ entry }) => entry),
    deleted: of('deleted-compute').map(({ compute }) => compute),
    settled: of('interval').map(({ interval }) => interval),
    rollups: of('rollup').map(({ rollup }) => rollup),
    statistics: of('statistics').map(({ statistics }) => statistics),
    gaps: of('gap').map(({ gap }) => gap),
    settings: of('setting').map(({ setting }) => setting),
    recommendations: of('recommendation').map(({ recommendation }) => recommendation),
    advice: of('advice').map(({ advice }) => advice),
    days: of('day').map(({ day }) => day),
    budgets: Object.fromEntries(of('budget').map(({ name, state }) => [name, state])),
    counters: of('counters').at(-1)?.counters,
    events: of('event').map(({ event }) => event),
    reports: of('report').map(({ report }) => report),
    deliveries: of('delivery').map(({ delivery }) => delivery),
    jobStates: Object.fromEntries(of('job-state').map(({ job, state }) => [job, state])),
  }
}

/** Commits `rows`. @throws when the store refuses or fails */
export const put = (store: Pick<Store, 'account'>, rows: Partial<Rows>, account = 'main'): Promise<void> =>
  commit(store.account(account), writesOf(rows))

type Committed = ReturnType<AccountStore['commit']>

/** `store` whose commits go through `around`, which decides whether and when `commit` runs. */
export const withCommit = <Inner extends Pick<Store, 'account'>>(
  store: Inner,
  around: (rows: Rows, commit: () => Committed) => Committed,
): Inner => ({
  ...store,
  account: (name: string) => {
    const inner = store.account(name)
    const commitAround = async (...given: Parameters<AccountStore['commit']>): Committed =>
      await around(rowsOf(given[0]), () => inner.commit(...given))
    return { ...inner, commit: commitAround }
  },
})
