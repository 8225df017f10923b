// The pages of a fleet with history, over the app that serves them.
import type { Hono } from 'hono'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { authMiddleware } from '../../../src/daemon/http/auth.ts'
import { createFailedLogins } from '../../../src/daemon/http/auth.ts'
import type { ReportArchive } from '../../../src/daemon/reports/requests.ts'
import type { ReportSource } from '../../../src/daemon/reports/build.ts'
import type { BudgetWithForecast } from '../../../src/model/policy/budget.ts'
import { computeKey, type ComputeRef } from '../../../src/model/service/compute.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import type { History } from '../../../src/model/ports/history.ts'
import type { ComputeView, Snapshot } from '../../../src/model/output/snapshot.ts'
import { cu, micros, millis, ratio, seconds, type Instant } from '../../../src/model/units.ts'
import { at, prices } from '../../support/build.ts'
import { changeSources, type ShownChanges } from '../../support/change-sources.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { busySnapshot, TAKEN, type FleetOptions } from '../../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { ASLEEP_FOR, daysOf, DELAY, isAwake, PRICE } from './past.ts'
import { viewWith } from '../../support/view-with.ts'

export type Shown = {
  readonly snapshot?: Snapshot | undefined
  readonly history?: History
  readonly kept?: ReportArchive
  readonly nextReportAt?: (now: Instant) => Instant | undefined
  readonly clock?: Clock
  readonly changes?: ShownChanges
  readonly appliesChanges?: boolean
}

/** Reads `shown` at every request: tests change it between requests. */
export const appOf = (shown: Shown): Hono =>
  createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    before: authMiddleware({
      policy: () => ({ names: [], tokens: [], allowsAddresses: false, open: true }),
      attempts: createFailedLogins(fakeClock()),
      addressOf: () => '',
    }),
    snapshot: () => shown.snapshot,
    history: shown.history ?? NO_HISTORY,
    archive: shown.kept ?? NO_PAGES.archive,
    reports: () =>
      new Map(shown.snapshot?.accounts.map(({ account }) => [account, {} as unknown as ReportSource])),
    appliesChanges: () => shown.appliesChanges ?? false,
    nextReportAt: shown.nextReportAt ?? NO_PAGES.nextReportAt,
    clock: shown.clock ?? fakeClock(),
    accounts: () => [],
    entryOf: (ref) => accountLike(ref, shown.snapshot),
    pricesOf: () => prices,
    changes:
      shown.changes &&
      changeSources(shown.changes, {
        snapshot: () => shown.snapshot,
        clock: shown.clock ?? fakeClock(),
      }),
  })

/** Views by key, so that a lookup does not depend on the size of the fleet. */
const keyed = new WeakMap<Snapshot, ReadonlyMap<string, ComputeView>>()

function viewsOf(snapshot: Snapshot): ReadonlyMap<string, ComputeView> {
  const known =
    keyed.get(snapshot) ?? new Map(snapshot.computes.map((view) => [computeKey(view.identity.ref), view]))
  keyed.set(snapshot, known)
  return known
}

/** An entry whose usage is all settled. */
function accountLike(ref: ComputeRef, snapshot: Snapshot | undefined): ReturnType<typeof NO_PAGES.entryOf> {
  const view = snapshot && viewsOf(snapshot).get(computeKey(ref))
  if (!view) return undefined
  const evidence = {
    operations: [],
    states: [],
    starts: [],
    ends: [],
    activities: [],
    sizes: [],
    measured: [],
    ownSessions: [],
    attributed: [],
    covered: undefined,
    updates: undefined,
  }
  return {
    ref,
    compute: view.identity.compute,
    evidence,
    settledUntil: at(0),
    partlySettled: undefined,
    deletedAt: undefined,
  } as never
}

export const asked = (
  app: Hono,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  Promise.resolve(app.request(path, { headers: { host: 'localhost', accept: 'text/html', ...headers } }))

export async function textOf(app: Hono, path: string): Promise<string> {
  const answer = await asked(app, path)
  return answer.text()
}

const HOUR = 3_600_000

const LONG_BURN = {
  window: seconds(72 * 3600),
  burn: undefined,
  usual: undefined,
  threshold: undefined,
  off: 'left-to-forecast',
} as const

/** Burn rates of computes that are too small to exhaust their budget early. */
const OUT_OF_REACH = {
  maxBurn: 0.8,
  burns: [3600, 6 * 3600].map((window) => ({
    window: seconds(window),
    burn: 0.11,
    usual: undefined,
    threshold: undefined,
    off: 'out-of-reach' as const,
  })),
}

export const budgetOf = (over: Partial<BudgetWithForecast> = {}): BudgetWithForecast => ({
  account: 'main',
  name: 'previews',
  mode: 'soft',
  scope: { project: ['preview-*'] },
  per: 'month',
  period: { from: at(-4 * 86_400), to: at(27 * 86_400) },
  knownFrom: at(-4 * 86_400),
  limit: { unit: 'money', amount: micros(200_000_000), currency: 'USD' },
  spent: { low: 41_000_000, likely: 42_500_000, high: 44_000_000 },
  total: 42_500_000,
  share: ratio(0.2125),
  remaining: 157_500_000,
  rungs: [],
  assumed: ratio(0.02),
  enforcement: { kind: 'acts', rungs: [80] },
  maxBurn: 25,
  burns: [
    { window: seconds(3600), burn: 2.25, usual: 1.8, threshold: 14.4, off: undefined },
    LONG_BURN,
    { window: seconds(6 * 3600), burn: 1.1, usual: 0.9, threshold: 6, off: undefined },
  ],
  team: 'platform',
  tier: 'dev',
  forecast: {
    p10: 150_000_000,
    p50: 185_000_000,
    p90: 240_000_000,
    learning: true,
    days: 12,
    probabilityOver: ratio(0.31),
    exhaustedAt: undefined,
    held: undefined,
  },
  ...over,
})

const OLD = { createdAt: at(-30 * 86_400) }

/** A budget that is over its limit. */
const NIGHT: Partial<BudgetWithForecast> = {
  name: 'night',
  per: 'day',
  period: { from: at(0), to: at(86_400) },
  knownFrom: at(0),
  share: ratio(1.21),
  remaining: -42_000_000,
  spent: { low: 242_000_000, likely: 242_000_000, high: 242_000_000 },
  rungs: [50, 80, 100, 110],
  mode: 'hard',
  enforcement: { kind: 'acts', rungs: [80, 100] },
  forecast: {
    p10: 250_000_000,
    p50: 290_000_000,
    p90: 330_000_000,
    learning: true,
    days: 12,
    probabilityOver: ratio(1),
    exhaustedAt: undefined,
    held: undefined,
  },
}

/** Awake and sleeping computes, with and without owners, with budgets and a month. */
export function fleet(count: number, options: FleetOptions = {}): Snapshot {
  const taken = busySnapshot(count, {
    project: (index) => ({
      name: ['checkout', 'search', 'billing', 'preview', 'reports'][index % 5] + `-${index}`,
    }),
    compute: (index) =>
      isAwake(index)
        ? {
            ...OLD,
            state: 'active',
            suspendedAt: undefined,
            lastActive: at(TAKEN - 10),
            sizing: { min: cu(0.25), max: cu(2) },
          }
        : {
            ...OLD,
            state: 'idle',
            suspendedAt: at(TAKEN - ASLEEP_FOR),
            lastActive: at(TAKEN - ASLEEP_FOR - DELAY),
          },
    ...options,
  })
  const month = budgetOf({ limit: { unit: 'money', amount: micros(1), currency: 'USD' } })
  return {
    ...taken,
    ready: true,
    accounts: taken.accounts.map((view) => ({
      ...view,
      stored: true,
      budgets: [
        budgetOf(),
        budgetOf(NIGHT),
        budgetOf({
          name: 'fresh',
          ...OUT_OF_REACH,
          forecast: undefined,
          limit: { unit: 'cu_hours', amount: millis(500 * HOUR) as never },
          knownFrom: at(0),
          spent: { low: 3 * HOUR, likely: 3 * HOUR, high: 3 * HOUR },
          share: ratio(0.006),
          remaining: 497 * HOUR,
          team: '',
          tier: '',
        }),
      ],
      month,
    })),
    computes: taken.computes.map(owned),
  }
}

const TEAMS = ['platform', 'data', ''] as const

/** Factor from the seven days of history to the thirty since creation. */
const MONTH = 30 / 7

const owned = (view: ComputeView, index: number): ComputeView => {
  const days = daysOf(view.identity.ref, at(TAKEN))
  const awake = millis(MONTH * days.reduce((sum, day) => sum + day.awake.likely, 0))
  const held = (share: number) => ({
    time: millis(awake * share),
    spend: micros((awake * share * PRICE) / HOUR),
  })
  const { spend } = held(1)
  return viewWith(view, {
    identity: {
      owner: { ...view.identity.owner, team: TEAMS[index % 3] ?? '', tier: index % 3 === 2 ? '' : 'prod' },
    },
    ...(view.state.shown === 'active' && {
      state: { reason: { because: 'clients', working: 2, application: 'web' } },
    }),
    ledger: {
      awake: { low: awake, likely: awake, high: awake },
      spend: { low: micros(0.98 * spend), likely: spend, high: micros(1.04 * spend) },
      idleTail: millis(MONTH * days.reduce((sum, day) => sum + day.idleTail, 0)),
      awakeBy: [
        { cause: 'clients', application: 'web', user: 'app', database: 'main', ...held(0.7) },
        { cause: 'keep-alive', application: 'pgbouncer', user: 'pool', database: 'main', ...held(0.1) },
      ],
    },
  })
}
