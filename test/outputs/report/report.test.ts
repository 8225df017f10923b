import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BudgetWithForecast } from '../../../src/model/policy/budget.ts'
import { toIso } from '../../../src/model/time.ts'
import { cuMillis, instant, micros, millis, ratio } from '../../../src/model/units.ts'
import { REPORT_RENDERINGS } from '../../../src/outputs/report/formats/formats.ts'
import { splitSpendDifference } from '../../../src/outputs/report/report.ts'
import type { Report } from '../../../src/outputs/report/schema.ts'
import { check } from '../../support/property.ts'
import { zoneOf } from '../../support/zones.ts'
import { FLEETS, inputOf, told, type Described } from './fleets.ts'

const report = (fleet: Parameters<typeof inputOf>[0]): Report => told(inputOf(fleet))

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

const teams = ['', 'web', 'payments']

const fleet = fc.array(
  fc.record({
    hours: fc.double({ min: 0, max: 24, noNaN: true }),
    hoursBefore: fc.double({ min: 0, max: 24, noNaN: true }),
    cu: fc.constantFrom(0.25, 1, 7.75),
    cuBefore: fc.constantFrom(0.25, 1, 7.75),
    priceBefore: fc.constantFrom(106_000, 99_999),
    unsure: fc.double({ min: 0, max: 0.5, noNaN: true }),
    team: fc.constantFrom(...teams),
  }),
  { maxLength: 12 },
)

const described = (
  computes: readonly (Omit<Described, 'endpointId'> & { readonly team: string })[],
): Described[] =>
  computes.map(({ team, ...one }, index) => ({
    ...one,
    endpointId: `ep-${index}`,
    projectId: `p-${index % 3}`,
    place: { owner: { team, tier: 'prod', channel: undefined, costCentre: team || undefined } },
  }))

const used = ({ awake, cu, price }: { awake: number; cu: number; price: number }) => {
  const spend = micros((awake * cu * price) / 3_600_000)
  return {
    awake: { low: millis(awake), likely: millis(awake), high: millis(awake) },
    cuTime: cuMillis(awake * cu),
    spend: { low: spend, likely: spend, high: spend },
  }
}

describe('sums', () => {
  test('groups, days and computes each add up to the week to the micro', () => {
    check(
      fc.property(
        fleet,
        fc.constantFrom('team', 'cost_centre', 'project', 'branch', 'tier', undefined),
        (computes, groupBy) => {
          const {
            spend,
            groups,
            computes: all,
            awake,
          } = report({ computes: described(computes), plan: { groupBy } })
          expect(sum(groups.rows.map((row) => row.micros))).toBe(spend.week.likely)
          expect(sum(groups.rows.map((row) => row.before_micros ?? NaN))).toBe(spend.before ?? 0)
          expect(sum(groups.rows.map((row) => row.computes))).toBe(awake.computes)
          expect(sum(spend.days.map((day) => day.micros))).toBe(spend.week.likely)
          expect(sum(all.map((one) => one.spend_micros.likely))).toBe(spend.week.likely)
          expect(spend.week.low <= spend.week.likely && spend.week.likely <= spend.week.high).toBe(true)
        },
      ),
    )
  })

  test('the reports of the teams add up to the report about all', () => {
    check(
      fc.property(fleet, (computes) => {
        const all = report({ computes: described(computes) })
        const parts = teams.map((team) =>
          report({ computes: described(computes.filter((one) => one.team === team)) }),
        )
        expect(sum(parts.map(({ spend }) => spend.week.likely))).toBe(all.spend.week.likely)
      }),
      30,
    )
  })

  test('the parts of a change add up to it', () => {
    const use = fc.record({
      awake: fc.nat(6e8),
      cu: fc.constantFrom(0.25, 1, 7.75),
      price: fc.nat(1_000_000),
    })
    check(
      fc.property(use, use, (now, before) => {
        const due = splitSpendDifference(used(now), used(before))
        expect(due.awake + due.size + due.price).toBe(used(now).spend.likely - used(before).spend.likely)
        if (now.awake === 0 || before.awake === 0) return
        const same = splitSpendDifference(used({ ...before, awake: now.awake }), used(before))
        // a spend is in whole micros: half of one is lost, as often as the time awake grew
        const lost = 2 + now.awake / before.awake
        expect(Math.abs(same.size) + Math.abs(same.price)).toBeLessThanOrEqual(lost)
      }),
    )
  })
})

describe('what is known', () => {
  test('an uncertain spend is shown with its bounds', () => {
    expect(report(FLEETS.broken).verdict).toBe('Spent 17.07 USD (at least 15.66 USD, at most 18.48 USD).')
    expect(report(FLEETS.busy).verdict).toMatch(/^Spent 101\.65 USD, 63 % more than/)
  })

  test('a week from before the ledger began is not shown as 0', () => {
    const { spend, movers, groups } = report(FLEETS.broken)
    expect([spend.before, spend.mean, movers]).toEqual([null, null, []])
    expect(groups.rows.every((row) => row.before_micros === null)).toBe(true)
  })

  test('the mean covers only weeks that are known completely', () => {
    expect(report({ ...FLEETS.busy, known: 3 }).spend.mean).toEqual({ weeks: 2, micros: 62_244_000 })
  })

  test.each([
    [
      'the price of the week before is told where it is compared with that',
      5,
      [null, '2026-11-16T00:00:00Z'],
    ],
    ['only those of the week are told where nothing is known before', 1, ['2026-11-16T00:00:00Z']],
  ])('%s', (_, known, froms) => {
    const input = inputOf({ computes: [{ endpointId: 'ep-0', hours: 24 }], known })
    const week = input.spans.week.from
    const periods = [
      { from: instant(0), perCuHour: micros(90_000) },
      { from: week, perCuHour: micros(106_000) },
    ]
    const { prices } = told({ ...input, prices: { currency: 'USD', periods } })
    expect(prices.map(({ from }) => from)).toEqual(froms)
  })

  test('a report without any history', () => {
    const nothing = told({ ...inputOf(FLEETS.quiet), countedSince: undefined })
    expect(nothing.verdict).toBe('Nothing is known of this week: Dormouse did not count yet.')
  })

  test('a week that is not over', () => {
    const input = inputOf(FLEETS.busy)
    const madeAt = instant((input.slot.from + input.slot.to) / 2)
    const { verdict, computes, movers } = told({ ...input, madeAt })
    expect(movers).toEqual([])
    expect(verdict).toMatch(/^Spent 101.65 USD so far\. /)
    expect(computes[0]?.awake_share).toBe(2)
  })

  test('budgets and the month need a running daemon', () => {
    expect(report(FLEETS.broken).budgets).toBeNull()
    expect(report(FLEETS.broken).spend.forecast).toBeNull()
    expect(report(FLEETS.quiet).budgets).toEqual([])
  })

  test('the forecast of another month is left out', () => {
    expect(report({ ...FLEETS.busy, week: '2026-W43' }).spend.forecast).toBeNull()
  })

  test('budgets are those of the periods that hold the end of the week, although the next ones have begun', () => {
    const input = inputOf(FLEETS.busy)
    const { from, to } = input.slot
    const [month] = input.planned?.budgets ?? []
    if (!month) throw new Error('no budget')
    const limit = month.limit
    const spent = { low: 240e6, likely: 250e6, high: 260e6 }
    const over = { limit, spent, share: ratio(1.25), remaining: -50e6, rungs: [50, 80, 100, 110] as const }
    const weekly: BudgetWithForecast = {
      ...month,
      name: 'weekly',
      per: 'week',
      period: { from: to, to: instant(2 * to - from) },
      knownFrom: to,
      spent: { low: 0, likely: 1e6, high: 2e6 },
      share: ratio(0.005),
      rungs: [],
      ended: [{ ...over, period: { from, to }, knownFrom: from }],
    }
    const planned = { budgets: [month, weekly], month: undefined }
    const { budgets, verdict } = told({ ...input, planned })
    expect(
      budgets?.map(({ budget, period, spent: amount, reached }) => [budget, period.to, amount, reached]),
    ).toEqual([
      ['payments', '2026-12-01T00:00:00Z', 212, [50, 80, 100]],
      ['weekly', toIso(to), 250, [50, 80, 100, 110]],
    ])
    expect(budgets?.[1]).toMatchObject({ share: 1.25, forecast: null, probability_over: null })
    expect(verdict).toContain('Budget weekly was over its limit: 250.00 USD of 200.00 USD')
    const text = REPORT_RENDERINGS.markdown.render(told({ ...input, planned })).join('')
    expect(text).toContain('| weekly, per week, ended | 250.00 USD | 200.00 USD | 125 % |  |  |')
    const during = told({ ...input, planned, madeAt: instant(to - 1000) })
    expect(during.budgets?.[1]?.period.to).toBe(toIso(to))
  })

  test('the report of a team has only its budgets', () => {
    const { budgets } = report({ ...FLEETS.busy, plan: { onlyTeam: 'web' } })
    expect(budgets?.map(({ budget }) => budget)).toEqual(['web'])
  })
})

test.each([
  ['2026-W13', 167],
  ['2026-W43', 169],
])('%s in Berlin has %d hours, and all of them count', (week, hours) => {
  const always: Described = { endpointId: 'ep-always', hours: 25 }
  const { slot, spend, computes, awake } = report({ computes: [always], week, zone: zoneOf('Europe/Berlin') })
  expect(slot.hours).toBe(hours)
  expect(awake.seconds.likely).toBe(hours * 3600)
  expect(computes[0]?.awake_share).toBe(1)
  expect(spend.days).toHaveLength(7)
  expect(sum(spend.days.map((day) => day.awake_seconds))).toBe(hours * 3600)
})

describe('events', () => {
  test('are those of the week', () => {
    expect(report(FLEETS.broken).events?.told.map(({ at, kind }) => [at, kind])).toEqual([
      ['2026-11-16T09:30:00Z', 'service-unavailable'],
      ['2026-11-16T11:00:00Z', 'service-available'],
      ['2026-11-17T06:00:00Z', 'problem'],
      ['2026-11-17T16:00:00Z', 'wake-caused'],
    ])
    expect(report({ ...FLEETS.broken, plan: { onlyTeam: 'web' } }).events).toBeNull()
  })

  test('beyond 200 are counted, not listed', () => {
    const events = Array.from({ length: 300 }, (_, hour) => [hour / 2, 'key-refused', 'refused'] as const)
    const { told: shown, left } = report({ computes: [], events }).events ?? { told: [], left: 0 }
    expect([shown.length, left]).toEqual([200, 100])
  })
})

test('of computes that hardly slept it does not say that they never did', () => {
  const hardly = report({ computes: [{ endpointId: 'ep-0', hours: 23, wakes: 1 }] })
  expect(hardly.unproductive.never_slept).toHaveLength(1)
  const text = REPORT_RENDERINGS.text.render(hardly).join('')
  expect(text).not.toContain('never slept')
  expect(text).toContain('less than a twentieth of the week')
})
