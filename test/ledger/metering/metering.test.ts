import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyMeterReading, newProjectMetering } from '../../../src/ledger/metering/follow.ts'
import { measureMeteringLag } from '../../../src/ledger/metering/metering-lag.ts'
import {
  sizesFromMetering,
  accountUtilisation,
  type MeteredProject,
} from '../../../src/ledger/metering/sizes-from-metering.ts'
import type { ProjectUsage } from '../../../src/ledger/metering/ledger-use.ts'
import { NO_CU_TIME, cuTimeSum } from '../../../src/ledger/settle/cu-time.ts'
import type { ProjectMetering } from '../../../src/model/ledger/metering.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import { cu, cuMillis, seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const HOUR = 3600

/** One compute that is awake for 20 minutes from the third hour on, between 1 and 4 CU. */
const use: ProjectUsage = {
  settled: NO_CU_TIME,
  slices: [],
  computes: 'ep-one',
  rates: [{ from: at(3 * HOUR), to: at(3 * HOUR + 1200), least: cu(1), likely: cu(1), most: cu(4) }],
  awakeFrom: [],
  suspendedAt: at(0),
  largest: cu(4),
}

const reading = (when: number, cuSeconds: number) => ({ at: at(when), cuTime: cuMillis(cuSeconds * 1000) })
const before = newProjectMetering(reading(HOUR, 100))

/** Readings by seconds and CU-seconds, with a lag that is known. */
const after = (
  lag: number,
  ...readings: readonly (readonly [when: number, cuSeconds: number])[]
): ProjectMetering =>
  readings.reduce(
    (count, [when, cuSeconds]) =>
      applyMeterReading(count, reading(when, cuSeconds), { use, lag: seconds(lag) }),
    before,
  )

test('the count of a stretch of awake time tells where in its range the compute was', () => {
  // 2 CU all the time, a quarter of an hour late
  const half = after(900, [3 * HOUR + 1500, 100 + 1200])
  expect(half.shares).toEqual([{ from: at(HOUR), to: at(3 * HOUR + 600), share: 1 / 3 }])
  const whole = after(900, [3 * HOUR + 1500, 100 + 1200], [3 * HOUR + 2160, 100 + 2400])
  expect(whole.shares).toEqual([{ from: at(HOUR), to: at(3 * HOUR + 1260), share: 1 / 3 }])
  expect(whole.current).toEqual({ used: 1_200_000, capacity: 3_600_000 })
})

test.each([
  ['is less than the one before', [3 * HOUR + 1560, 90]],
  ['is more than all computes can have used', [3 * HOUR + 1560, 10 ** 9]],
] as const)('a reading that %s is ignored, named, and what was told before stays', (_, strange) => {
  const known = after(900, [3 * HOUR + 1500, 100 + 1200])
  const next = after(900, [3 * HOUR + 1500, 100 + 1200], strange)
  expect(next).toMatchObject({ shares: known.shares, base: undefined, ignored: 1 })
})

test('a reading that is not newer, or says the same, changes nothing', () => {
  const known = after(900, [3 * HOUR + 1500, 100 + 1200])
  for (const same of [reading(3 * HOUR + 1500, 5000), reading(3 * HOUR, 5000), reading(4 * HOUR, 1300)])
    expect(applyMeterReading(known, same, { use, lag: seconds(900) })).toBe(known)
})

test('what does not fit waits for what is not known yet', () => {
  expect(after(900, [3 * HOUR + 60, 100 + 120]).shares).toEqual([])
})

test('the lag is measured where a project begins to be counted anew', () => {
  const { lag } = applyMeterReading(before, reading(3 * HOUR + 450, 100 + 30), { use, lag: undefined })
  // reached after 7.5 s at 4 CU, after 30 s at 1 CU
  expect(lag).toEqual({ atLeast: 420, atMost: 442.5 })
  const account = { project: project(), listed: undefined, metering: { ...before, lag } }
  expect(measureMeteringLag([account])).toBe(420)
  expect(measureMeteringLag([{ ...account, metering: before }])).toBeUndefined()
})

/** As `sizesFromMetering` is told of a project that `count` follows. */
const counting = (
  count: ProjectMetering | undefined,
  over: Partial<MeteredProject> = {},
): MeteredProject => ({
  project: project(),
  metering: count,
  sizing: undefined,
  ...over,
})

test('a project that was never counted is taken for one like the others, and ever less so', () => {
  const others = accountUtilisation([counting(after(900, [3 * HOUR + 2160, 100 + 4800]))])
  expect(others).toEqual({ used: 3_600_000, capacity: 3_600_000 })
  expect(sizesFromMetering(undefined, others).expected).toBe(1)
  expect(sizesFromMetering(counting(undefined), others).expected).toBe(1)
  const own = counting(after(900, [3 * HOUR + 2160, 100 + 1200]))
  expect(sizesFromMetering(own, others).expected).toBe(0.5)
  expect(sizesFromMetering(own, accountUtilisation([])).expected).toBeUndefined()
})

/** Of the only project of an account. */
const expectedOf = (one: MeteredProject): number | undefined =>
  sizesFromMetering(one, accountUtilisation([one])).expected

describe('what the record of a project tells of the time before', () => {
  const sizing = { min: cu(1), max: cu(3) }
  const told = (cpuUsedSeconds: number, activeSeconds: number | undefined, count?: ProjectMetering) =>
    counting(count, { project: project({ cpuUsedSeconds, activeSeconds }), sizing })

  test('is where in its range its only compute was on average', () => {
    expect(expectedOf(told(3 * HOUR, 2 * HOUR))).toBe(0.25)
    expect(expectedOf(told(2 * HOUR, 2 * HOUR))).toBe(0)
    expect(expectedOf(told(6 * HOUR, 2 * HOUR))).toBe(1)
  })

  test.each([
    ['less than the smallest size', HOUR, 2 * HOUR],
    ['more than the largest size', 7 * HOUR, 2 * HOUR],
    ['no time awake', HOUR, 0],
    ['no word of the time awake', HOUR, undefined],
  ])('is nothing where it tells of %s', (_, cpuUsedSeconds, activeSeconds) => {
    expect(expectedOf(told(cpuUsedSeconds, activeSeconds))).toBeUndefined()
  })

  test('counts for no more than what has not been followed yet', () => {
    const followed = after(900, [3 * HOUR + 2160, 100 + 1200])
    expect(followed.current).toEqual({ used: 0, capacity: 3_600_000 })
    expect(expectedOf(told(6 * HOUR, 2 * HOUR, followed))).toBe(0)
  })

  test('is nothing where the project has other computes, or had them fixed', () => {
    expect(expectedOf({ ...told(3 * HOUR, 2 * HOUR), sizing: undefined })).toBeUndefined()
    expect(expectedOf({ ...told(3 * HOUR, 2 * HOUR), sizing: { fixed: cu(1.5) } })).toBeUndefined()
  })
})

test('whatever is counted, a share is a share', () => {
  const readings = fc.array(
    fc.tuple(fc.integer({ min: 2 * HOUR, max: 6 * HOUR }), fc.integer({ min: 0, max: 10_000 })),
  )
  check(
    fc.property(readings, fc.constantFrom(0, 60, 900, 3600), (all, lag) => {
      for (const { from, to, share } of after(lag, ...all).shares) {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(to).toBeGreaterThan(from)
      }
    }),
  )
})

const range = { sizing: { min: cu(1), max: cu(4) } }
const listed = (when: number): Sweep['listedComputes'] => [
  { projectId: 'project-one', answeredAt: at(when), endpointIds: ['ep-one'] },
]

/** Asleep for hours, awake from the third on, and counted at 2 CU a quarter of an hour late. */
const sweeps: readonly Sweep[] = [
  sweep(0, { looks: [look(0, range)], listedComputes: listed(0) }),
  ...Array.from({ length: 40 }, (_, minute) => {
    const when = 3 * HOUR + 60 * minute
    const [from, to] = [3 * HOUR, 3 * HOUR + 1200]
    const used = 2 * Math.min(1200, Math.max(0, when - 900 - from))
    const state = when < to ? ({ state: 'active' } as const) : { suspendedAt: at(to) }
    return sweep(when, {
      projects: [project({ cpuUsedSeconds: used })],
      looks: [look(when, { ...range, startedAt: at(from), updatedAt: at(when < to ? from : to), ...state })],
      listedComputes: listed(when),
    })
  }),
]

const folded = (known: Ledger, one: Sweep): Ledger =>
  accounted(known, one, { prices, overhead: 0.01, now: one.endedAt }).ledger

const totalOf = ({ computes }: Ledger) => cuTimeSum([...computes.values()][0]?.totals.cuTime ?? {})

test('in the ledger the likely size is the counted one, or the usual one of the record, the bounds stay what they are, and a sweep that comes twice changes nothing', () => {
  const once = totalOf(sweeps.reduce(folded, ledger()))
  expect(once.likely / 2400_000).toBeCloseTo(1, 2)
  expect(once.low).toBeLessThanOrEqual(1200_000)
  expect(once.high).toBeGreaterThanOrEqual(4800_000)
  expect(totalOf(sweeps.flatMap((one) => [one, one]).reduce(folded, ledger()))).toEqual(once)
  const uncounted = sweeps.map((one) => ({ ...one, projects: [project()] }))
  const blind = totalOf(uncounted.reduce(folded, ledger()))
  expect(blind).toEqual({ ...once, likely: blind.likely })
  expect(blind.likely / 1200_000).toBeCloseTo(1, 2)
  const record = project({ cpuUsedSeconds: 7200, activeSeconds: 3600 })
  const told = sweeps.map((one) => ({ ...one, projects: [record] }))
  expect(totalOf(told.reduce(folded, ledger())).likely / 2400_000).toBeCloseTo(1, 2)
})
