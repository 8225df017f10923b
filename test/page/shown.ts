// The pages of a fleet with a past, over the app that serves them.
import type { Hono } from 'hono'
import { apiApp } from '../../src/daemon/api/app.ts'
import { guard } from '../../src/daemon/api/guard.ts'
import { createAttempts } from '../../src/daemon/api/tokens.ts'
import type { KeptReports } from '../../src/daemon/kept-report.ts'
import type { ReportSource } from '../../src/daemon/make-report.ts'
import type { ForecastBudget } from '../../src/model/budget.ts'
import { computeKey, type ComputeRef } from '../../src/model/compute.ts'
import type { DayRow } from '../../src/model/day.ts'
import type { AwakeTime } from '../../src/model/ledger.ts'
import type { History } from '../../src/model/ports.ts'
import type { ComputeView, Snapshot } from '../../src/model/snapshot.ts'
import { after, cu, instant, micros, millis, ratio, seconds, type Instant } from '../../src/model/units.ts'
import { at, prices } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { busySnapshot, TAKEN, type FleetOptions } from '../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { NO_REPORTS } from '../support/no-reports.ts'

export type Shown = {
  readonly snapshot?: Snapshot | undefined
  readonly history?: History
  readonly kept?: KeptReports
}

/** What is shown is asked for anew each time: it may change. */
export const appOf = (shown: Shown): Hono =>
  apiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    before: guard({
      guarded: () => ({ names: [], tokens: [], open: true }),
      attempts: createAttempts(fakeClock()),
      addressOf: () => '',
    }),
    snapshot: () => shown.snapshot,
    history: shown.history ?? NO_HISTORY,
    kept: shown.kept ?? NO_PAGES.kept,
    reports: () =>
      new Map(shown.snapshot?.accounts.map(({ account }) => [account, {} as unknown as ReportSource])),
    clock: fakeClock(),
    accounts: () => [],
    accountOf: (ref) => accountLike(ref, shown.snapshot),
    pricesOf: () => prices,
  })

/** As a daemon finds them: by key, whatever the size of the fleet. */
const keyed = new WeakMap<Snapshot, ReadonlyMap<string, ComputeView>>()

function viewsOf(snapshot: Snapshot): ReadonlyMap<string, ComputeView> {
  const known = keyed.get(snapshot) ?? new Map(snapshot.computes.map((view) => [computeKey(view.ref), view]))
  keyed.set(snapshot, known)
  return known
}

/** Nothing of it is unsettled. */
function accountLike(ref: ComputeRef, snapshot: Snapshot | undefined): ReturnType<typeof NO_PAGES.accountOf> {
  const view = snapshot && viewsOf(snapshot).get(computeKey(ref))
  if (!view) return undefined
  const evidence = {
    operations: [],
    sightings: [],
    starts: [],
    ends: [],
    activities: [],
    sizes: [],
    measured: [],
    footprints: [],
    held: [],
    covered: undefined,
    updates: undefined,
  }
  return {
    ref,
    compute: view.compute,
    evidence,
    settledUntil: at(0),
    carried: undefined,
    goneAt: undefined,
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

/** Seven days before the snapshot: compute number n wakes every n + 1 hours for some minutes; the first never stops. */
export const pastOf = ({ computes, takenAt }: Snapshot): History => ({
  ...NO_HISTORY,
  async *awakeTimes(_account, { from, to, computes: wanted = [] }) {
    for (const ref of wanted)
      yield { ref, times: wakes(ref, takenAt).filter((one) => one.from < to && one.to > from) }
  },
  async *days() {
    for (const { ref } of computes) yield* daysOf(ref, takenAt)
  },
})

const numberOf = ({ endpointId }: ComputeRef): number => Number(endpointId.match(/\d+/)?.[0] ?? 0)

function wakes(ref: ComputeRef, now: Instant): readonly AwakeTime[] {
  const every = (1 + (numberOf(ref) % 11)) * HOUR
  return Array.from({ length: Math.floor((168 * HOUR) / every) }, (_, index) => {
    const from = instant(now - 168 * HOUR + index * every + ((index * 7919) % 1800) * 1000)
    return {
      from,
      to: instant(from + every / 3),
      tail: millis(Math.min(every / 6, 300_000 * (1 + (index % 4)))),
      restart: index % 23 === 5,
    }
  })
}

const daysOf = (ref: ComputeRef, now: Instant): readonly DayRow[] =>
  Array.from({ length: 7 }, (_, day) => {
    const awake = millis(((1 + ((numberOf(ref) * 7) % 23)) * HOUR) / 2)
    const from = after(now, seconds(-(day + 1) * 86_400))
    const time = { low: awake, likely: awake, high: awake }
    return {
      ref,
      date: `day-${day}`,
      from,
      to: after(from, seconds(86_400)),
      awake: time,
      cuTime: { '106000': time as never },
      idleTail: millis(awake / 5),
      extension: millis(0),
      wakes: 3,
      version: 1,
    }
  })

export const budgetOf = (over: Partial<ForecastBudget> = {}): ForecastBudget => ({
  account: 'main',
  name: 'previews',
  mode: 'soft',
  scope: { project: ['preview-*'] },
  per: 'month',
  period: { from: at(-4 * 86_400), to: at(27 * 86_400) },
  countedFrom: at(-4 * 86_400),
  limit: { unit: 'money', amount: micros(200_000_000), currency: 'USD' },
  spent: { low: 41_000_000, likely: 42_500_000, high: 44_000_000 },
  total: 42_500_000,
  share: ratio(0.2125),
  remaining: 157_500_000,
  rungs: [50],
  assumed: ratio(0.02),
  acting: { kind: 'tells', because: 'soft' },
  maxBurn: 12.5,
  burns: [
    { window: seconds(3600), burn: 2.25, usual: 1.8, threshold: 14.4, off: undefined },
    {
      window: seconds(86_400),
      burn: undefined,
      usual: undefined,
      threshold: undefined,
      off: 'left-to-forecast',
    },
    { window: seconds(6 * 3600), burn: 1.1, usual: 0.9, threshold: undefined, off: 'out-of-reach' },
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

/** Computes that are awake and asleep, owned and not, with budgets and a month. */
export function fleet(count: number, options: FleetOptions = {}): Snapshot {
  const taken = busySnapshot(count, {
    project: (index) => ({
      name: ['checkout', 'search', 'billing', 'preview', 'reports'][index % 5] + `-${index}`,
    }),
    compute: (index) =>
      index % 3 === 0
        ? {
            state: 'active',
            suspendedAt: undefined,
            lastActive: at(TAKEN - 10),
            sizing: { min: cu(0.25), max: cu(2) },
          }
        : { state: 'idle', suspendedAt: at(TAKEN - 600), lastActive: at(TAKEN - 900) },
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
        budgetOf({
          name: 'night',
          per: 'day',
          share: ratio(1.21),
          remaining: -42_000_000,
          spent: { low: 242_000_000, likely: 242_000_000, high: 242_000_000 },
          rungs: [50, 80, 100, 110],
          mode: 'hard',
          acting: { kind: 'acts' },
        }),
        budgetOf({
          name: 'fresh',
          forecast: undefined,
          limit: { unit: 'cu_hours', amount: millis(500 * HOUR) as never },
          spent: { low: 0, likely: 0, high: 0 },
          share: ratio(0),
          remaining: 500 * HOUR,
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

const owned = (view: ComputeView, index: number): ComputeView => ({
  ...view,
  owner: { ...view.owner, team: TEAMS[index % 3] ?? '', tier: index % 3 === 2 ? '' : 'prod' },
  awakeBy: [
    {
      cause: 'clients',
      application: 'web',
      user: 'app',
      database: 'main',
      time: millis(3_600_000),
      spend: micros(106_000),
    },
    {
      cause: 'keep-alive',
      application: 'pgbouncer',
      user: 'pool',
      database: 'main',
      time: millis(600_000),
      spend: micros(17_000),
    },
  ],
})
