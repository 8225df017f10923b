// Days of a zone narrowed by what the service counted on days in UTC.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overlap } from '../../../src/ledger/interval-math.ts'
import { narrowPast } from '../../../src/ledger/metering/counted-past.ts'
import { createDayCutter, isUtcDay, uncutDays } from '../../../src/ledger/metering/day-parts.ts'
import { createShownRows, shownAmount } from '../../../src/ledger/metering/shown-amount.ts'
import { addCuTime, cuTimeSum } from '../../../src/ledger/settle/cu-time.ts'
import type { CountedPast } from '../../../src/model/ledger/counted-past.ts'
import { eachBound, mapBounds, type DayRow } from '../../../src/model/ledger/quantities.ts'
import { computeKey, type ComputeRef } from '../../../src/model/service/compute.ts'
import {
  cu,
  cuMillis,
  DAY,
  HOUR,
  instant,
  millis,
  type Instant,
  type Interval,
} from '../../../src/model/units.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { check } from '../../support/property.ts'
import { seeded } from '../../simulation/seeded.ts'
import { toIso } from '../../../src/model/time.ts'
import { at, zoneOf } from '../../support/zones.ts'

/** Clocks of Europe go back on 25 October, those of America on 1 November. */
const FIRST = at('2026-10-22T00:00:00Z')
const DAYS = 14
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'UTC']
const ref: ComputeRef = { account: 'main', projectId: 'shop', endpointId: 'ep-one' }
const PRICE = '106000'
const SIZES = { low: 0.25, likely: 0.25, high: 8 }

type Use = Interval & Readonly<{ cu: number }>

/** The ledger knows when the compute was awake, but no size. */
function rowsOf(use: readonly Use[], zone: string): readonly DayRow[] {
  const { dayOf } = zoneOf(zone)
  const days = new Map<string, DayRow>()
  for (const one of use)
    for (let from = one.from; from < one.to; from = dayOf(from).to) {
      const day = dayOf(from)
      const time = overlap(one, day)
      const before = days.get(day.date)
      days.set(day.date, {
        ref,
        date: day.date,
        from: day.from,
        to: day.to,
        awake: eachBound(() => millis((before?.awake.likely ?? 0) + time)),
        cuTime: addCuTime(before?.cuTime ?? {}, {
          [PRICE]: mapBounds(SIZES, (size) => cuMillis(size * time)),
        }),
        idleTail: millis(0),
        observerOverhead: millis(0),
        wakes: 1,
        version: 1,
      })
    }
  return [...days.values()]
}

const usedIn = (use: readonly Use[], span: Interval) => sumOf(use, (one) => one.cu * overlap(one, span))

/** At the first look. */
const sizingOf = () => ({ fixed: cu(1) })

/** As the service counted each day in UTC until `now`. */
function pastOf(use: readonly Use[], rows: readonly DayRow[], now: Instant): CountedPast {
  const cutter = createDayCutter(rows, { from: FIRST, to: now })
  cutter.add(ref, use)
  const windows = Array.from({ length: DAYS }, (_, index) => {
    const from = instant(FIRST + index * DAY)
    const span = { from, to: instant(from + DAY) }
    return { ...span, cuTime: eachBound(() => cuMillis(usedIn(use, span))) }
  })
  const computes = narrowPast({ parts: cutter.parts(), sizingOf, windows, basis: 'consumption' })
  return {
    until: now,
    untilDate: toIso(now).slice(0, 10),
    computes: new Map(computes.map((one) => [computeKey(one.ref), one])),
  }
}

const shownOf = (rows: readonly DayRow[], past: CountedPast) =>
  rows.map(createShownRows(past)).map((row) => ({ ...row, shown: cuTimeSum(row.cuTime).likely }))

/** Hours of use in UTC, up to an hour of the last day. */
const useOf = (sizeOf: (hour: number) => number | undefined, hours: number) =>
  Array.from({ length: hours }, (_, hour): Use => {
    const from = instant(FIRST + hour * HOUR)
    return { from, to: instant(from + HOUR), cu: sizeOf(hour) ?? 0 }
  }).filter((one) => one.cu > 0)

const SOME_SIZES = [0.25, 0.5, 1, 2, 4, 8]

const past = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    hours: fc.integer({ min: (DAYS - 1) * 24 + 1, max: DAYS * 24 }),
    seed: fc.nat(),
  })
  .map(({ seed, ...rest }) => {
    const random = seeded(seed)
    const perHour = Array.from({ length: DAYS * 24 }, () => [random.unit(), random.unit()] as const)
    return {
      ...rest,
      seed,
      isAwake: perHour.map(([awake]) => awake < 0.5),
      sizes: perHour.map(([, size]) => SOME_SIZES[Math.floor(size * SOME_SIZES.length)]),
    }
  })
const nowAfter = (hours: number) => instant(FIRST + hours * HOUR)

/** In UTC; the day has the same date in Europe and in America. */
const isCommon = (hour: number) => hour % 24 >= 6 && hour % 24 < 15

describe('days of a zone', () => {
  test('show what was used on them, where a size lasts for a day of the service', () => {
    check(
      fc.property(past, ({ zone, hours, isAwake, sizes }) => {
        const use = useOf((hour) => (isAwake[hour] ? sizes[Math.floor(hour / 24)] : undefined), hours)
        const rows = rowsOf(use, zone)
        for (const row of shownOf(rows, pastOf(use, rows, nowAfter(hours))))
          expect(Math.abs(row.shown - usedIn(use, row))).toBeLessThanOrEqual(2)
      }),
    )
  })

  test('add up to what was counted, whatever sizes a day had', () => {
    check(
      fc.property(past, ({ zone, hours, isAwake, sizes }) => {
        const use = useOf((hour) => (isAwake[hour] ? sizes[hour] : undefined), hours)
        const rows = rowsOf(use, zone)
        const counted = pastOf(use, rows, nowAfter(hours))
        const shown = sumOf(shownOf(rows, counted), (row) => row.shown)
        const everything = { from: FIRST, to: nowAfter(hours) }
        expect(Math.abs(shown - usedIn(use, everything))).toBeLessThanOrEqual(rows.length + DAYS)
      }),
    )
  })

  test('show what was counted, where the use lies in the hours that both days have', () => {
    check(
      fc.property(past, ({ hours, isAwake, sizes }) => {
        for (const zone of ['Europe/Berlin', 'America/New_York']) {
          const use = useOf((hour) => (isAwake[hour] && isCommon(hour) ? sizes[hour] : undefined), hours)
          const rows = rowsOf(use, zone)
          const days = shownOf(rows, pastOf(use, rows, nowAfter(hours)))
          for (const { date, shown } of days) {
            const from = at(`${date}T00:00:00Z`)
            const counted = usedIn(use, { from, to: instant(from + DAY) })
            expect(Math.abs(shown - counted)).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  test('have a range that contains the truth, in any run of days', () => {
    check(
      fc.property(
        past,
        fc.nat(DAYS),
        fc.integer({ min: 1, max: DAYS }),
        ({ zone, hours, isAwake, sizes }, first, length) => {
          const use = useOf((hour) => (isAwake[hour] ? sizes[hour] : undefined), hours)
          const rows = rowsOf(use, zone)
          const run = rows.slice(first, first + length)
          const [from, to] = [run.at(0)?.from, run.at(-1)?.to]
          if (from === undefined || to === undefined) return
          const counted = pastOf(use, rows, nowAfter(hours))
          const ledger = eachBound((bound) => sumOf(run, (row) => cuTimeSum(row.cuTime)[bound]))
          const options = { past: counted, computes: counted.computes.values(), unit: 'cu_hours' } as const
          const { amount } = shownAmount(ledger, { ...options, interval: { from, to } }) ?? {}
          const truth = usedIn(use, { from, to })
          const rounded = 2 * run.length
          expect(amount?.low).toBeLessThanOrEqual(truth + rounded)
          expect(amount?.high).toBeGreaterThanOrEqual(truth - rounded)
        },
      ),
    )
  })
})

test('computes of one project add up to what was counted, where the count narrows the bounds of none', () => {
  const day = { from: FIRST, to: instant(FIRST + DAY) }
  const [first] = rowsOf([{ ...day, cu: 1 }], 'UTC')
  if (!first) throw new Error('no row')
  const rows = ['ep-one', 'ep-two', 'ep-three'].map((endpointId) => ({
    ...first,
    ref: { ...ref, endpointId },
  }))
  // each of them may have used all or nothing of the half
  const { low, high } = cuTimeSum(first.cuTime)
  const half = cuMillis((3 * (low + high)) / 2)
  const windows = [{ ...day, cuTime: eachBound(() => half) }]
  const computes = narrowPast({ parts: uncutDays(rows), sizingOf, windows, basis: 'consumption' })
  const counted = {
    until: day.to,
    untilDate: toIso(day.to).slice(0, 10),
    computes: new Map(computes.map((one) => [computeKey(one.ref), one])),
  }
  expect(sumOf(shownOf(rows, counted), ({ shown }) => shown)).toBeCloseTo(half, -1)
})

describe('parts of days', () => {
  test('add up to their rows, and none lies in two days of the service', () => {
    check(
      fc.property(past, ({ zone, hours, isAwake, sizes }) => {
        const use = useOf((hour) => (isAwake[hour] ? sizes[hour] : undefined), hours)
        const rows = rowsOf(use, zone)
        const cutter = createDayCutter(rows, { from: FIRST, to: nowAfter(hours) })
        // half of the awake time is not dated
        cutter.add(ref, use.slice(0, use.length / 2))
        const parts = Map.groupBy(cutter.parts(), ({ day }) => day)
        for (const row of rows) {
          const own = parts.get(row.from) ?? []
          const sums = eachBound((bound) => sumOf(own, ({ cuTime }) => cuTimeSum(cuTime)[bound]))
          expect(sums).toEqual(cuTimeSum(row.cuTime))
          expect(sumOf(own, ({ awake }) => awake.high)).toBe(row.awake.high)
          for (const { from, to } of own) expect(Math.floor(from / DAY)).toBe(Math.floor((to - 1) / DAY))
        }
      }),
    )
  })

  test('are the days themselves in UTC', () => {
    const rows = rowsOf(
      useOf(() => 1, DAYS * 24),
      'UTC',
    )
    expect(rows.every(isUtcDay)).toBe(true)
    const parts = createDayCutter(rows, { from: FIRST, to: nowAfter(DAYS * 24) }).parts()
    expect(parts.map(({ from, to, cuTime }) => ({ from, to, cuTime }))).toEqual(
      rows.map(({ from, to, cuTime }) => ({ from, to, cuTime })),
    )
  })
})
