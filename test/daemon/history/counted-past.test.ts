// Shown amounts of generated pasts, with resized and deleted computes, beside the truth.
import { expect, test } from 'vitest'
import { shownAmount } from '../../../src/ledger/metering/shown-amount.ts'
import { spendOf } from '../../../src/ledger/settle/cu-time.ts'
import { addBounds, eachBound, type Bounds } from '../../../src/model/ledger/quantities.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { DAY, HOUR, MINUTE, instant, seconds, type Interval } from '../../../src/model/units.ts'
import { shownBecauseText } from '../../../src/outputs/text/amounts.ts'
import { failed } from '../../../src/std/result.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { prices } from '../../support/build.ts'
import { longTest } from '../../support/tiers.ts'
import {
  countedPast,
  NEVER,
  NOW,
  openPast,
  startAccount,
  type Account,
  type GeneratedPast,
  type Told,
} from './generated-account.ts'

const PRICE = prices.periods.at(-1)?.perCuHour ?? 0
/** Of a compute, a minute of the dearest size: passes take some seconds after the truth was taken. */
const TOLERANCE = (PRICE * 8) / 60

/** Largest error of the account, and of its last week. */
const ERRORS = {
  consumption: { account: 0.05, week: 0.05 },
  counters: { account: 0.2, week: 0.6 },
} as const

/** A share of resized computes below it would leave the assumption untested. */
const MIN_RESIZED = 0.2

async function expectNarrow(past: GeneratedPast) {
  const account = await startAccount(past)
  for (const told of ['consumption', 'counters'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one store
    const judged = await judge(account, told)
    expect(judged.resized).toBeGreaterThan(MIN_RESIZED)
    expect(judged.ledgerError).toBeGreaterThan(1)
    expect(judged.right).toBeGreaterThanOrEqual(0.95)
    expect([judged.isTotalRight, judged.isWeekRight]).toEqual([true, true])
    expect(judged.error).toBeLessThanOrEqual(ERRORS[told].account)
    expect(judged.weekError).toBeLessThanOrEqual(ERRORS[told].week)
  }
}

type TrueCompute = Account['truth']['computes'][number]

const spentIn = ({ intervals }: TrueCompute, { from, to }: Interval): number =>
  intervals.reduce((sum, one) => {
    const end = one.to === null ? NOW : Date.parse(one.to)
    const time = Math.max(0, Math.min(end, to) - Math.max(Date.parse(one.from), from))
    return sum + (time * one.cu * PRICE) / HOUR
  }, 0)

const ALWAYS = { from: instant(0), to: instant(NOW) }
const LAST_WEEK = {
  from: instant(Date.parse('2026-11-16T00:00:00Z')),
  to: instant(Date.parse('2026-11-23T00:00:00Z')),
}

const contains = ({ low, high }: Bounds<number>, value: number, tolerance: number): boolean =>
  low - tolerance <= value && value <= high + tolerance

/** Half of the width as a share of the likely amount. */
const errorOf = ({ low, likely, high }: Bounds<number>): number => (high - low) / 2 / likely

const NOTHING: Bounds<number> = eachBound(() => 0)
const sum = (all: readonly Bounds<number>[]): Bounds<number> =>
  all.reduce((a, b) => addBounds<number>(a, b, Number), NOTHING)

async function judge(account: Account, told: Told) {
  const past = await countedPast(account, told)
  const { ledger } = account.state
  const computes = account.truth.computes.flatMap((one) => {
    const key = computeKey({ account: 'main', projectId: one.projectId, endpointId: one.endpointId })
    const entry = ledger.computes.get(key)
    const spend = entry ? spendOf(entry.totals.cuTime) : ledger.deleted.get(key)?.spend
    if (!spend) return []
    const own = past.computes.get(key)
    const shown = own && shownAmount(spend, { past, computes: [own] })
    const amount = shown?.amount ?? spend
    const resized = new Set(one.intervals.map(({ cu }) => cu)).size > 1
    return { spend, amount, resized, isRight: contains(amount, spentIn(one, ALWAYS), TOLERANCE) }
  })
  const total = sum(computes.map(({ spend }) => spend))
  const truth = account.truth.computes.reduce((all, one) => all + spentIn(one, ALWAYS), 0)
  const amount = shownAmount(total, { past, computes: past.computes.values() })?.amount ?? total
  const days = await Array.fromAsync(account.store.days('main', LAST_WEEK))
  const week = sum(days.map(({ cuTime }) => spendOf(cuTime)))
  const shownWeek = shownAmount(week, { past, computes: past.computes.values(), interval: LAST_WEEK })
  const trueWeek = account.truth.computes.reduce((all, one) => all + spentIn(one, LAST_WEEK), 0)
  const resized = computes.filter((one) => one.resized).length
  const right = computes.filter(({ isRight }) => isRight).length
  return {
    computes: computes.length,
    resized: resized / computes.length,
    right: right / computes.length,
    error: errorOf(amount),
    isTotalRight: contains(amount, truth, 0.001 * truth),
    ledgerError: errorOf(total),
    isWeekRight: contains(shownWeek?.amount ?? week, trueWeek, 0.001 * trueWeek),
    weekError: errorOf(shownWeek?.amount ?? week),
  }
}

test('shown amounts of a small account contain the truth, and are narrow where the service counted the past', async () => {
  await expectNarrow({ seed: 13, preset: 'interface', days: 45, projects: 9 })
})

/** Whether the service has counted all of its use: it lags by a quarter of an hour. */
const isCounted = ({ intervals }: TrueCompute) =>
  intervals.every(({ to }) => to !== null && Date.parse(to) < NOW - 16 * MINUTE)

/** Where the service has counted all of today, CU·s by project: what is shown as likely, and the truth. */
async function shownToday(account: Account) {
  const past = await countedPast(account, 'consumption')
  const today = { from: instant(Math.floor(NOW / DAY) * DAY), to: instant(NOW) }
  const byProject = [...Map.groupBy(account.truth.computes, ({ projectId }) => projectId)]
  return byProject.flatMap(([projectId, computes]) => {
    const parts = [...past.computes.values()]
      .filter(({ ref }) => ref.projectId === projectId)
      .flatMap((one) => one.parts.filter(({ window }) => window === today.from))
    if (parts.length === 0 || !computes.every(isCounted)) return []
    const ends = computes.flatMap(({ intervals }) => intervals.map(({ to }) => Date.parse(to ?? '')))
    return {
      isRecent: Math.max(...ends) > NOW - HOUR,
      shown: sumOf(parts, ({ shown }) => shown.likely) / 1000,
      truth: sumOf(computes, (one) => spentIn(one, today)) * (HOUR / PRICE / 1000),
    }
  })
}

test('a compute that suspended before the last quarter of an hour has used what the service counted', async () => {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 10, projects: 60 })
  const projects = await shownToday(account)
  expect(projects.filter(({ isRecent }) => isRecent).length).toBeGreaterThan(1)
  const wrong = projects.filter(({ shown, truth }) => Math.abs(shown - truth) > 60)
  expect(wrong).toEqual([])
})

test('the past is read once: later starts have it from the store', async () => {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 10, projects: 9 })
  const past = await countedPast(account, 'consumption')
  expect(past.computes.size).toBeGreaterThan(3)
  const again = await openPast(account, 'nothing', { history: account.store })
  expect(again.current()).toEqual(past)
})

test('while the service does not tell what it counted nothing is kept, and it is asked again after five minutes', async () => {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 10, projects: 9 })
  const { clock, service, state } = account
  const asked: number[] = []
  const late: Service = {
    ...service,
    at: (priority) => ({
      ...service.at(priority),
      listConsumption: (...query) =>
        asked.push(clock.now()) === 1
          ? Promise.resolve(failed({ kind: 'unavailable', message: '503' }))
          : service.at(priority).listConsumption(...query),
    }),
  }
  const errors: unknown[] = []
  const log = { error: (fields: object) => errors.push(fields), info: () => undefined }
  const counted = await openPast({ ...account, service: late }, 'consumption', { log })
  const known: boolean[] = []
  for (let minute = 0; minute < 6; minute += 1) {
    counted.refresh(state, NEVER)
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    await clock.run(Promise.resolve(counted.idle()).then(() => clock.sleep(seconds(60), NEVER)))
    known.push(counted.current() !== undefined)
  }
  expect(known).toEqual([false, false, false, false, false, true])
  expect([errors.length, asked.length]).toEqual([1, 2])
  const bases = [...(counted.current()?.computes.values() ?? [])].map(({ basis }) => basis)
  expect(new Set(bases)).toEqual(new Set(['consumption']))
})

test('without a count the sizes of the first look are assumed, and the words say so', async () => {
  const account = await startAccount({ seed: 13, preset: 'interface', days: 10, projects: 9 })
  const past = await countedPast(account, 'nothing')
  expect(new Set([...past.computes.values()].map(({ basis }) => basis))).toEqual(new Set(['assumed']))
  const shown = shownAmount(NOTHING, { past, computes: past.computes.values() })
  expect(shown && shownBecauseText(shown)).toBe('sizes before 23 November as on that day')
})

const PASTS = [11, 12, 13].flatMap((seed) =>
  (['interface', '2026-03'] as const).map((preset): GeneratedPast => ({
    seed,
    preset,
    days: 45,
    projects: 30,
  })),
)

longTest.each(PASTS)('shown amounts contain the truth, seed $seed, preset $preset', expectNarrow)
