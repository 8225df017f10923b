// What people see of one spend is the same on every page and in the report: by day, team, compute, week and month.
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createForecaster } from '../../../src/daemon/history/forecasts.ts'
import { createRecentSums } from '../../../src/daemon/history/recent-sums.ts'
import { createTeamDays, readComputeDays } from '../../../src/daemon/history/spend-days.ts'
import { buildReport } from '../../../src/daemon/reports/build.ts'
import { takeSnapshot } from '../../../src/daemon/snapshot/snapshot.ts'
import type { CountedPast } from '../../../src/model/ledger/counted-past.ts'
import type { AccountView, Snapshot } from '../../../src/model/output/snapshot.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import type { Report } from '../../../src/outputs/report/schema.ts'
import type { SpendDays } from '../../../src/outputs/charts/spend-days.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { UTC } from '../../ledger/budgets/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { REPORTED_ADVICE } from '../../support/recommendations.ts'
import { countedPast, NOW, startAccount, type Account } from './generated-account.ts'
import { longTest } from '../../support/tiers.ts'

/** Every project of the account belongs to it. */
const TEAM = 'web'
const owners = createOwners([{ match: {}, owner: { ...NO_OWNER, team: TEAM } }])

const clock = fakeClock(new Date(NOW).toISOString())

async function viewOf({ state, store, plan }: Account, past: CountedPast | undefined): Promise<Snapshot> {
  const { prices, preset, budgets: scopes } = plan
  const log = pino({ level: 'silent' })
  const forecasts = createForecaster({ clock, log, history: store, scopes, prices, zone: UTC })
  forecasts.refresh(state, past)
  await forecasts.idle()
  return takeSnapshot([{ state, prices, preset, forecasts, scopes, past }], {
    now: instant(NOW),
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(3600),
    activityLag: seconds(60),
    owners,
  })
}

const sumOfDays = ({ days }: SpendDays, from: string): number =>
  sumOf(days, ({ date, spend }) => (date < from ? 0 : sumOf([...spend.values()], Number)))

/** Micros: roundings of a row a day and compute. */
const ROUNDED = -4

async function shownAccount(told: 'consumption' | 'counters' = 'counters') {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 45, projects: 9 })
  const past = await countedPast(account, told)
  const snapshot = await viewOf(account, past)
  const { store: history } = account
  const [view] = snapshot.accounts
  const [chart] = (await createTeamDays({ history, clock, zone: UTC })(snapshot))?.charts ?? []
  const recent = await createRecentSums({ history, clock, zone: UTC })(snapshot)
  const month = view?.month?.shown
  if (!view || !month || !chart || !recent) throw new Error('nothing is shown')
  return { account, past, snapshot, view, month, chart, recent }
}

longTest('spend by day, of the month, of seven days and of a compute are parts of one sum', async () => {
  const { account, past, snapshot, view, month, chart, recent } = await shownAccount()
  // the ledger takes a likely amount that is far from what is shown
  expect(month.amount.likely).toBeGreaterThan(1.1 * (view.month?.spent.likely ?? NaN))
  expect(sumOfDays(chart, '2026-11-01')).toBeCloseTo(month.amount.likely, ROUNDED)
  const lastWeek = sumOf([...recent.sums.values()], ({ spend }) => spend)
  expect(lastWeek).toBeCloseTo(sumOfDays(chart, '2026-11-17'), ROUNDED)
  expect(chart.because).toBe('use before 23 November by the CU-time that the service counts')
  const [compute] = snapshot.computes.filter(({ ledger }) => ledger.shown)
  if (!compute) throw new Error('no compute is narrowed')
  const sources = { history: account.store, zone: UTC }
  const own = await readComputeDays(sources, compute, { takenAt: instant(NOW), past })
  const ownRecent = recent.sums.get(computeKey(compute.identity.ref))
  expect(sumOfDays(own, '2026-11-17')).toBeCloseTo(ownRecent?.spend ?? NaN, ROUNDED)
})

function reportOf({ store, state, plan }: Account, view: AccountView, past: CountedPast | undefined) {
  const source = {
    history: { ...store, eventsAfter: () => Promise.resolve([]) },
    ledger: state.ledger,
    advice: REPORTED_ADVICE,
    prices: plan.prices,
    zone: UTC,
    owners,
    plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
    unread: undefined,
    view,
    past,
  }
  const interval = { from: instant(Date.parse('2026-11-16')), to: instant(Date.parse('2026-11-23')) }
  const slot = { ...interval, id: '2026-W47', late: false }
  return buildReport(source, { slot, madeAt: instant(NOW) }, clock)
}

const uncertainIn = ({ not_analysed: groups }: Report): number =>
  sumOf(groups, ({ reason, computes }) => (reason === 'uncertain' ? computes : 0))

test('a report has the amounts of the pages', async () => {
  const { account, past, view, month, chart } = await shownAccount()
  const { spend, computes } = await reportOf(account, view, past)
  const { week, week_shown: shown, days, month: reported, forecast } = spend
  const today = sumOfDays(chart, '2026-11-23')
  expect(week.likely).toBe(shown?.likely)
  expect(sumOf(days, ({ micros }) => micros)).toBe(week.likely)
  expect(week.likely).toBeCloseTo(sumOfDays(chart, '2026-11-16') - today, ROUNDED)
  expect(sumOf(computes, ({ spend_micros: { likely } }) => likely)).toBe(week.likely)
  expect(reported.micros).toBeCloseTo(month.amount.likely - today, ROUNDED)
  expect(forecast?.p50).toBe(Math.round(month.forecast?.p50 ?? NaN))
  expect(month.forecast?.p10).toBeGreaterThanOrEqual(month.amount.likely)
})

test('what people see of a compute tells whether a report calls it uncertain', async () => {
  const { account, past, view } = await shownAccount('consumption')
  expect(uncertainIn(await reportOf(account, view, undefined))).toBeGreaterThan(5)
  expect(uncertainIn(await reportOf(account, view, past))).toBeLessThan(5)
})

test('deleted computes count for the team of their project', async () => {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 45, projects: 9 })
  const snapshot = await viewOf(account, undefined)
  const table = await createTeamDays({ history: account.store, clock, zone: UTC })(snapshot)
  const inTeams = new Map<string, number>()
  for (const { spend } of table?.charts[0]?.days ?? [])
    for (const [team, amount] of spend) inTeams.set(team, (inTeams.get(team) ?? 0) + amount)
  expect(account.state.ledger.deleted.size).toBeGreaterThan(0)
  expect([...inTeams.keys()]).toEqual([TEAM])
})
