// Two weeks of a simulated account, the second with 169 hours, and the report of the second as a daemon makes it on its Monday.
import { pino } from 'pino'
import { createBudgetScopes } from '../../src/ledger/budgets/account-budgets.ts'
import { periodOf } from '../../src/calendar/period.ts'
import { isoWeekInterval } from '../../src/calendar/iso-week.ts'
import { createForecaster } from '../../src/daemon/history/forecasts.ts'
import { buildReport } from '../../src/daemon/reports/build.ts'
import { monthBudget } from '../../src/daemon/accounts/month-budget.ts'
import { takeSnapshot } from '../../src/daemon/snapshot/snapshot.ts'
import type { PassState } from '../../src/daemon/pass/pass-state.ts'
import type { Budget } from '../../src/model/policy/budget.ts'
import { createOwners, NO_OWNER } from '../../src/model/policy/owner.ts'
import type { History } from '../../src/model/ports/history.ts'
import type { Outbox } from '../../src/model/ports/outbox.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import type { Store } from '../../src/model/ports/store.ts'
import type { Prices } from '../../src/model/ledger/quantities.ts'
import type { AccountView } from '../../src/model/output/snapshot.ts'
import { instant, micros, seconds, type Instant } from '../../src/model/units.ts'
import type { Report } from '../../src/outputs/report/schema.ts'
import { preset } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { bySize } from '../support/tiers.ts'
import { at, zoneOf } from '../support/zones.ts'
import { simulateWeek, type Week } from './week.ts'
import type { Use } from './world.ts'
import { REPORTED_ADVICE } from '../support/recommendations.ts'

export const BERLIN = zoneOf('Europe/Berlin')
/** Monday, in summer time; the Sunday of the week after has 25 hours. */
export const START = at('2026-10-11T22:00:00Z')
/** In the middle of the second week. */
export const DEARER = at('2026-10-21T10:00:00Z')
export const PRICES = { before: 106_000, after: 118_000 } as const
const prices: Prices = {
  currency: 'USD',
  periods: [
    { from: at('2026-01-01T00:00:00Z'), perCuHour: micros(PRICES.before) },
    { from: DEARER, perCuHour: micros(PRICES.after) },
  ],
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** Days of the week before, and of the week. */
const [BEFORE, WEEK] = [
  [0, 7],
  [7, 14],
] as const
/** Monday at eight, an hour later by the sun. */
const SPAN = 14 * DAY + 9 * 60 * MINUTE

/** Project → its team. */
export const TEAMS: Readonly<Record<string, string>> = {
  'project-ep-shop': 'payments',
  'project-ep-reports': 'payments',
  'project-ep-blog': 'web',
  'project-ep-doomed': 'web',
}

const owners = createOwners(
  Object.entries(TEAMS).map(([project, team]) => ({
    match: { project: [project] as const },
    owner: { ...NO_OWNER, team, tier: 'prod' },
  })),
)

/** From `from` to `to` of each of these days, every so many minutes or sooner. */
const daily = (
  random: Random,
  [first, last]: readonly [number, number],
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): number[] => {
  const instants: number[] = []
  for (let day = first; day < last; day += 1)
    for (let minute = from * 60; minute < to * 60; minute += 0.2 + random.unit() * most)
      instants.push(Math.round(day * DAY + minute * MINUTE))
  return instants
}

/** A shop in office hours that grows, a nightly job, a blog that is read more, one that is deleted, one that is never let sleep, one that nobody asks. */
const uses = (random: Random): readonly Use[] => [
  {
    endpointId: 'ep-shop',
    delay: 300,
    activity: daily(random, [0, 15], { from: 7, to: 17, most: 40 }),
    range: [0.25, 2],
  },
  { endpointId: 'ep-reports', delay: 60, activity: daily(random, [0, 15], { from: 2, to: 2.5, most: 8 }) },
  {
    endpointId: 'ep-blog',
    delay: 600,
    range: [1, 1],
    activity: [
      ...daily(random, BEFORE, { from: 9, to: 12, most: 60 }),
      ...daily(random, WEEK, { from: 8, to: 22, most: 40 }),
    ],
  },
  {
    endpointId: 'ep-doomed',
    delay: 300,
    activity: daily(random, [0, 12], { from: 6, to: 16, most: 50 }),
    deletedAt: 10.5 * DAY + 7 * MINUTE,
  },
  { endpointId: 'ep-always', delay: -1, activity: [MINUTE] },
  { endpointId: 'ep-nobody', delay: 300, activity: [] },
]

const budget: Budget = {
  name: 'payments',
  account: 'main',
  scope: { project: ['project-ep-shop', 'project-ep-reports'] },
  exempt: [],
  team: undefined,
  limit: { unit: 'money', amount: micros(20_000_000), currency: 'USD' },
  mode: 'soft',
  per: 'month',
  definition: 'payments',
  periodAt: (now) => periodOf({ per: 'month', zone: BERLIN, anchor: 1 }, now),
  wallAt: BERLIN.wallAt,
  countedIn: (from, to) => [{ from, to }],
}
const scopes = createBudgetScopes([budget, monthBudget('main', BERLIN, 'USD')])

export type Reported = {
  readonly week: Week
  readonly report: Report
  /** As the daemon shows it when the report is made. */
  readonly view: AccountView
  readonly madeAt: Instant
}

export async function reportedWeek(store: Store & History & Outbox): Promise<Reported> {
  let last: PassState | undefined
  const week = await simulateWeek({
    seed: 11,
    uses,
    start: START,
    days: SPAN / DAY,
    interval: seconds(bySize(300, 900)),
    crashes: 0.005,
    plan: { prices, budgets: scopes, dayOf: BERLIN.dayOf },
    store,
    history: store,
    passed: (state) => {
      last = state
    },
  })
  if (!last) throw new Error('no pass')
  const madeAt = instant(week.world.simulation.now())
  const view = await viewOf(last, store, madeAt)
  const span = isoWeekInterval('2026-W43', BERLIN)
  if (!span) throw new Error('no week')
  const report = await buildReport(
    {
      history: store,
      ledger: last.ledger,
      advice: REPORTED_ADVICE,
      prices,
      zone: BERLIN,
      owners,
      plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
      unread: undefined,
      view,
    },
    { slot: { id: '2026-W43', ...span, late: false }, madeAt },
    fakeClock(),
  )
  return { week, report, view, madeAt }
}

async function viewOf(state: PassState, history: History, now: Instant): Promise<AccountView> {
  const clock = { ...fakeClock(new Date(now).toISOString()), sleep: () => Promise.resolve() }
  const log = pino({ level: 'silent' })
  const forecasts = createForecaster({ clock, log, history, scopes, prices, zone: BERLIN })
  forecasts.refresh(state)
  await forecasts.idle()
  const snapshot = takeSnapshot([{ state, prices, preset, forecasts, scopes }], {
    now,
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(3600),
    activityLag: seconds(60),
    owners,
  })
  const [view] = snapshot.accounts
  if (!view) throw new Error('no account')
  return view
}
