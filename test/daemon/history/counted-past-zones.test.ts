// Shown amounts by day where the days of the account are not those of the service, which begin at midnight in UTC.
import { expect, test } from 'vitest'
import { createShownRows, shownAmount } from '../../../src/ledger/metering/shown-amount.ts'
import { cuTimeSum, spendOf } from '../../../src/ledger/settle/cu-time.ts'
import { overlap } from '../../../src/ledger/interval-math.ts'
import type { Zone } from '../../../src/calendar/zone.ts'
import { addBounds, eachBound, type Bounds } from '../../../src/model/ledger/quantities.ts'
import { DAY, HOUR, instant, type Interval } from '../../../src/model/units.ts'
import { shownBecauseText } from '../../../src/outputs/text/amounts.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { at, prices } from '../../support/build.ts'
import { bySize } from '../../support/tiers.ts'
import { zoneOf } from '../../support/zones.ts'
import { readStoredPast } from '../../../src/daemon/history/stored-past.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { refOf } from '../../store/build.ts'
import { countedPast, NOW, startAccount, type Account } from './generated-account.ts'

const PRICE = prices.periods.at(-1)?.perCuHour ?? 0
const DAYS = 30

async function countedAccount(name: string) {
  const zone = zoneOf(name)
  const past = { seed: 12, preset: 'interface', days: 45, projects: bySize(30, 12), zone } as const
  const account = await startAccount(past)
  return { account, zone, counted: await countedPast(account, 'consumption') }
}

type CountedAccount = Awaited<ReturnType<typeof countedAccount>>

/** CU·ms. */
const trueUse = ({ truth }: Account, span: Interval): number =>
  sumOf(truth.computes, ({ intervals }) =>
    sumOf(intervals, ({ from, to, cu }) => {
      const time = { from: instant(Date.parse(from)), to: instant(to === null ? NOW : Date.parse(to)) }
      return cu * overlap(time, span)
    }),
  )

/** The last `DAYS` days, today included. */
function* lastDays(zone: Zone) {
  for (let from = instant(NOW - DAYS * DAY); from < NOW; from = zone.dayOf(from).to) yield zone.dayOf(from)
}

async function shownByDate({ account, counted }: CountedAccount): Promise<ReadonlyMap<string, number>> {
  const shownRow = createShownRows(counted)
  const byDate = new Map<string, number>()
  for await (const row of account.store.days('main', { from: instant(0), to: instant(NOW) }))
    byDate.set(row.date, (byDate.get(row.date) ?? 0) + cuTimeSum(shownRow(row).cuTime).likely)
  return byDate
}

/** Largest error of a day, as a share of an average day: where in a day of the service a size changed is not known. */
const TOLERATED = 0.15

async function expectDays(counted: CountedAccount) {
  const shown = await shownByDate(counted)
  const days = [...lastDays(counted.zone)].map((day) => ({
    date: day.date,
    used: trueUse(counted.account, day),
  }))
  const average = sumOf(days, ({ used }) => used) / days.length
  expect(average).toBeGreaterThan(HOUR)
  const wrong = days.filter(({ date, used }) => Math.abs((shown.get(date) ?? 0) - used) > TOLERATED * average)
  expect(wrong).toEqual([])
}

const NOTHING: Bounds<number> = eachBound(() => 0)

async function expectWeek({ account, zone, counted }: CountedAccount, day: string) {
  const { from } = zone.dayOf(instant(NOW - 8 * DAY))
  const week = { from, to: zone.dayOf(instant(from + 7 * DAY + HOUR)).from }
  let ledger = NOTHING
  for await (const row of account.store.days('main', week))
    ledger = addBounds<number>(ledger, spendOf(row.cuTime), Number)
  const computes = counted.computes.values()
  const shown = shownAmount(ledger, { past: counted, computes, interval: week })
  if (!shown) throw new Error('nothing is narrowed')
  const { low, likely, high } = shown.amount
  const truth = (trueUse(account, week) * PRICE) / HOUR
  expect(low).toBeLessThanOrEqual(truth)
  expect(high).toBeGreaterThanOrEqual(truth)
  expect((high - low) / likely).toBeLessThan(0.15)
  expect(shownBecauseText(shown)).toBe(`use before ${day} by the service's own consumption`)
}

test.each([
  ['UTC', '23 November'],
  ['Europe/Berlin', '23 November'],
  ['Asia/Kolkata', '24 November'],
  ['America/New_York', '23 November'],
])(
  'in %s a day shows what was used on it, and a week has a narrow range that contains the truth',
  async (name, day) => {
    const counted = await countedAccount(name)
    await expectDays(counted)
    await expectWeek(counted, day)
  },
)

test.each([
  ['UTC', '6 January'],
  ['America/New_York', '5 January'],
])('until when the use was narrowed is said by the days of %s', async (name, day) => {
  const { projectId, endpointId } = refOf('ep-one')
  const begin = at(0)
  const parts = [[begin, begin, PRICE, 1000, 2000, 3000, 2400, 2500, 2600]]
  const stored = { until: at(86_400), computes: [{ projectId, endpointId, basis: 'consumption', parts }] }
  const store = {
    jobState: (_: string, { decode }: { decode: (json: unknown) => unknown }) => decode(stored),
  }
  const past = await readStoredPast(store as never, 'main', zoneOf(name))
  const computes = past?.computes.get(computeKey(refOf('ep-one')))
  const ledger = { low: 0, likely: 1, high: 2 }
  const shown = past && computes && shownAmount(ledger, { past, computes: [computes] })
  expect(shown && shownBecauseText(shown)).toBe(`use before ${day} by the service's own consumption`)
})
