// The report of a simulated week beside the rows of the ledger it was made from, beside the truth, and beside its own Markdown.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clipIntervals } from '../../src/local/control/usage/usage.ts'
import { renderMarkdown } from '../../src/outputs/report/formats/formats.ts'
import { buildOutline } from '../../src/outputs/report/outline.ts'
import type { Report } from '../../src/outputs/report/schema.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import {
  expectTable,
  readMarkdown,
  strayAmounts,
  type MarkdownReport,
} from '../outputs/report/markdown-tables.ts'
import { makeFolder } from '../store/folder.ts'
import { fakeClock } from '../support/fake-clock.ts'
import {
  daysInFile,
  numbersOf,
  rounded,
  toldBy,
  withoutParts,
  type ReportScope,
  type Numbers,
} from './ledger-sums.ts'
import { DEARER, PRICES, reportedWeek, START, TEAMS, type Reported } from './reported-week.ts'

const folder = makeFolder()
const file = join(folder, 'dormouse.sqlite')
const days = (from: number): readonly string[] =>
  Array.from({ length: 7 }, (_, day) => `2026-10-${from + day}`)
const scope: ReportScope = { week: days(19), before: days(12), month: '2026-10', hours: 169, teams: TEAMS }

let made: Reported
let report: Report
let numbers: Numbers
beforeAll(async () => {
  const store = openEmbeddedStore(folder, fakeClock(new Date(START).toISOString()))
  made = await reportedWeek(store)
  await store.close()
  ;({ report } = made)
  numbers = numbersOf(daysInFile(file), scope)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('beside the ledger', () => {
  test('it is of a week of 169 hours, with a compute that was deleted, two prices, teams and a budget', () => {
    expect(report.slot.hours).toBe(169)
    expect(report.prices).toHaveLength(2)
    expect(new Set(report.groups.rows.map(({ name }) => name))).toEqual(new Set(['payments', 'web', null]))
    const { ledger } = made.week
    expect(ledger.computes.has('main/project-ep-doomed/ep-doomed')).toBe(false)
    expect([...ledger.deleted.keys()]).toEqual(['main/project-ep-doomed/ep-doomed'])
    expect(report.computes.map((one) => one.endpoint_id)).toContain('ep-doomed')
    expect(report.movers.length).toBeGreaterThanOrEqual(4)
  })

  test('every number is that of its rows, to the micro and the millisecond', () => {
    expect(rounded(withoutParts(toldBy(report)))).toEqual(rounded(withoutParts(numbers)))
    for (const [index, { by, micros, before_micros: before }] of report.movers.entries()) {
      expect(by.awake + by.size + by.price).toBe(micros - before)
      const wanted = numbers.movers[index]?.by ?? { awake: NaN, size: NaN, price: NaN }
      for (const part of ['awake', 'size', 'price'] as const)
        expect([part, Math.abs(by[part] - wanted[part]) <= 2]).toEqual([part, true])
    }
  })

  test.each([
    ['likely time awake', "json_set(sums, '$.awake.likely', (sums ->> '$.awake.likely') + 1)"],
    ['least time awake', "json_set(sums, '$.awake.low', (sums ->> '$.awake.low') + 1)"],
    ['idle tail', "json_set(sums, '$.idleTail', (sums ->> '$.idleTail') + 1)"],
    ['time added', "json_set(sums, '$.observerOverhead', (sums ->> '$.observerOverhead') + 1)"],
    ['wakes', "json_set(sums, '$.wakes', (sums ->> '$.wakes') + 1)"],
    ['CU-time', 'replace(sums, \'"106000":{"low":\', \'"106000":{"low":9\')'],
  ])('another %s of one compute on one day would be seen', (_, change) => {
    const other = join(folder, 'other.sqlite')
    copyFileSync(file, other)
    const database = new DatabaseSync(other)
    const { changes } = database
      .prepare(
        `update day set sums = ${change} where date = '2026-10-20'
         and compute = (select id from compute where endpoint_id = 'ep-shop')`,
      )
      .run()
    database.close()
    expect(Number(changes)).toBeGreaterThanOrEqual(1)
    const changed = numbersOf(daysInFile(other), scope)
    expect(rounded(withoutParts(toldBy(report)))).not.toEqual(rounded(withoutParts(changed)))
  })

  test('the mean is of four weeks: nothing was awake in the three before', () => {
    expect(report.spend.mean).toEqual({ weeks: 4, micros: Math.round(numbers.spend.before / 4) })
  })
})

describe('beside the truth', () => {
  test('each compute was awake, and cost, within its bounds, and in all as much as is likely', () => {
    const span = { from: Date.parse(report.slot.from), to: Date.parse(report.slot.to) }
    const truth = made.week.world.simulation.uses().map(({ endpointId, intervals, open }) => {
      const parts = clipIntervals(intervals, open ? [open] : [], span)
      const cost = parts.reduce((all, { from, to, cu }) => {
        const early = Math.max(0, Math.min(to, DEARER) - from)
        return all + (cu * (early * PRICES.before + (to - from - early) * PRICES.after)) / 3_600_000
      }, 0)
      return { endpointId, awake: parts.reduce((all, { from, to }) => all + to - from, 0) / 1000, cost }
    })
    const reported = new Map(report.computes.map((one) => [one.endpoint_id, one]))
    for (const { endpointId, cost } of truth) {
      const { low, high } = reported.get(endpointId)?.spend_micros ?? { low: 0, high: 0 }
      expect([endpointId, cost >= low - 7, cost <= high + 7]).toEqual([endpointId, true, true])
    }
    const [awake, cost] = [sum(truth.map((one) => one.awake)), sum(truth.map((one) => one.cost))]
    expect(awake).toBeGreaterThanOrEqual(report.awake.seconds.low)
    expect(awake).toBeLessThanOrEqual(report.awake.seconds.high)
    expect(Math.abs(report.spend.week.likely - cost) / cost).toBeLessThan(0.005)
    expect(Math.abs(report.awake.seconds.likely - awake) / awake).toBeLessThan(0.005)
  })

  test('wakes are those there were, and nobody was woken by watching', () => {
    const { from, to } = report.slot
    const wakes = made.week.world.simulation
      .uses()
      .flatMap((use) => use.wakes)
      .filter(({ at }) => at >= Date.parse(from) && at < Date.parse(to))
    expect(report.awake.wakes).toBe(wakes.length)
    expect(report.observer.wakes_caused).toBe(0)
    expect(wakes.filter(({ cause }) => cause.applicationName === 'dormouse')).toEqual([])
  })

  test('the budget and the month are as the daemon shows them, and spent what was spent', () => {
    const [shown] = made.view.budgets
    if (!shown?.forecast || !made.view.month?.forecast) throw new Error('no forecast')
    const { spent, share, forecast } = shown
    expect(report.budgets).toMatchObject([
      {
        budget: 'payments',
        team: 'payments',
        limit: 20,
        spent: spent.likely / 1e6,
        share,
        probability_over: forecast.probabilityOver,
        forecast: { p50: forecast.p50 / 1e6 },
      },
    ])
    const { p10, p50, p90 } = made.view.month.forecast
    expect(report.spend.forecast).toMatchObject({
      p10: Math.round(p10),
      p50: Math.round(p50),
      p90: Math.round(p90),
    })
    const rows = daysInFile(file).filter(
      ({ projectId, date }) => TEAMS[projectId] === 'payments' && date.startsWith('2026-10'),
    )
    const counted = sum(
      rows.flatMap(({ cuTime }) =>
        Object.entries(cuTime).map(([price, { likely }]) => (likely * Number(price)) / 3_600_000),
      ),
    )
    // days are told when a pass begins to write them, budgets when it has: seconds of two small computes
    expect(Math.abs(spent.likely - counted)).toBeLessThanOrEqual(50)
  })
})

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)

const nameOf = (one: { readonly project_name: string | null; readonly endpoint_id: string }): string =>
  `${one.project_name} / ${one.endpoint_id}`

describe('as Markdown', () => {
  let read: MarkdownReport
  beforeAll(() => {
    read = readMarkdown(renderMarkdown(buildOutline(report)))
  })
  const table = (heading: string, nth = 0) => read.tables[heading]?.[nth] ?? []

  test('what was spent, by day and by team', () => {
    const { spend, groups } = report
    expectTable(
      table('Spend'),
      [
        spend.week.likely,
        spend.before ?? NaN,
        spend.mean?.micros ?? NaN,
        spend.month.micros,
        spend.forecast?.p50 ?? NaN,
      ].map((micros) => ({ Spend: micros / 1e6 })),
    )
    expectTable(
      table('Spend', 1),
      spend.days.map(({ micros, awake_seconds: awake }) => ({ Spend: micros / 1e6, Awake: awake / 3600 })),
    )
    expectTable(
      table('By team'),
      groups.rows.map((row) => ({
        Team: row.name ?? 'without a team',
        Spend: row.micros / 1e6,
        Share: row.micros / spend.week.likely,
        'Week before': (row.before_micros ?? NaN) / 1e6,
        Awake: row.awake_seconds / 3600,
        Computes: row.computes,
      })),
    )
  })

  test('each compute, and what changed', () => {
    expectTable(
      table('Computes, the dearest first'),
      report.computes.map((one) => ({
        Compute: nameOf(one),
        Spend: one.spend_micros.likely / 1e6,
        Awake: one.awake_seconds / 3600,
        'Of the week': one.awake_share,
        'Idle tail': one.idle_tail_seconds / 3600,
        Wakes: one.wakes,
      })),
    )
    expectTable(
      table('Largest changes since the week before'),
      report.movers.map((one) => ({
        Compute: nameOf(one),
        Spend: one.micros / 1e6,
        Change: (one.micros - one.before_micros) / 1e6,
      })),
    )
  })

  test('budgets, time awake for nothing, prices, and what is not known', () => {
    expectTable(
      table('Budgets'),
      (report.budgets ?? []).map((one) => ({
        Budget: `${one.budget}, per ${one.per}`,
        Spent: one.spent,
        Limit: one.limit,
        Used: one.share,
        Expected: one.forecast?.p50 ?? NaN,
        'Chance of going over': one.probability_over ?? NaN,
      })),
    )
    const { idle_tail: tail, never_slept: never, causes } = report.unproductive
    expectTable(
      table('Awake for nothing, or without a break'),
      [tail, ...causes].map(({ seconds, micros }) => ({
        Awake: seconds / 3600,
        'Cost this week': micros / 1e6,
      })),
    )
    expectTable(
      table('Awake for nothing, or without a break', 1),
      never.map((one) => ({ Compute: nameOf(one), 'Cost in 30 days': one.month_micros / 1e6 })),
    )
    expectTable(
      table('Prices and method'),
      report.prices.map(({ cu_hour_micros: price }) => ({ 'A CU-hour': price / 1e6 })),
    )
    expectTable(
      table('Not fully analysed, and why'),
      report.not_analysed.map(({ computes, micros }) => ({ Computes: computes, Spend: micros / 1e6 })),
    )
  })

  test('no table was left out, and every amount in a sentence is in the JSON', () => {
    expect(Object.entries(read.tables).map(([heading, all]) => [heading, all.length])).toEqual([
      ['Spend', 2],
      ['By team', 1],
      ['Computes, the dearest first', 1],
      ['Largest changes since the week before', 1],
      ['Budgets', 1],
      ['Awake for nothing, or without a break', 2],
      ['Not fully analysed, and why', 1],
      ['Prices and method', 1],
    ])
    const texts = [
      ...Object.values(read.texts),
      ...table('Largest changes since the week before').map((row) => row['Mostly because'] ?? ''),
    ]
    const { week, before } = report.spend
    // what is compared, and what a range of p10 to p90 is
    const derived = [Math.abs(week.likely / (before ?? NaN) - 1), 0.8]
    expect(strayAmounts(texts.join('\n'), [report, derived])).toEqual([])
    expect(strayAmounts('It cost 7.77777 USD.', report)).toEqual(['7.77777 USD'])
  })
})
