import fc from 'fast-check'
import { expect, test } from 'vitest'
import { realisedSaving } from '../../src/advise/follow-up.ts'
import { intervalFactor } from '../../src/advise/interval.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import type { SettledInterval } from '../../src/model/ledger/ledger.ts'
import { eachBound } from '../../src/model/ledger/quantities.ts'
import type { Recommendation } from '../../src/model/policy/recommendation.ts'
import { cu, cuMillis, instant, micros, millis, seconds } from '../../src/model/units.ts'
import { adviseEntry, adviseInput, adviseRef, awakeInterval } from '../support/advise-input.ts'
import { at } from '../support/build.ts'
import { check } from '../support/property.ts'
import { amounts, recommendation, sizingRecommendation } from '../support/recommendations.ts'

const DAY = 86_400
const HOUR = 3600

const implemented = (over: Partial<Recommendation> = {}): Recommendation =>
  recommendation({ life: { state: 'implemented', at: at(0), realised: undefined }, ...over })

/** Clients are there for the first 14 hours of each day; the gap is 10 hours. */
const gaps = (days: number, unsure = 0): readonly Gap[] =>
  Array.from({ length: days }, (_, day) => ({
    ref: adviseRef,
    from: at(day * DAY + 14 * HOUR),
    low: seconds(10 * HOUR - unsure),
    high: seconds(10 * HOUR + unsure),
    hiddenBelow: seconds(0),
  }))

/** Awake from each midnight on for 14 hours and `tail` seconds, at `size` CU and `price` micros a CU-hour. */
const intervals = (
  days: number,
  tail: number,
  { size = 0.25, price = 106_000 } = {},
): readonly SettledInterval[] =>
  Array.from({ length: days }, (_, day) => ({
    ref: adviseRef,
    interval: awakeInterval(day * DAY, day * DAY + 14 * HOUR + tail),
    cuTime: { [price]: eachBound(() => cuMillis(size * (14 * HOUR + tail) * 1000)) },
    idleTail: millis(tail * 1000),
    attribution: {},
  }))

const inputOf = (over: Partial<AdviseInput>, day = 28): AdviseInput =>
  adviseInput({
    entry: adviseEntry({ observedAt: at(day * DAY) }, { lastActive: at(28 * DAY) }),
    now: at(day * DAY),
    ...over,
  })

/** 30 days with this many seconds saved a day. */
const saved = (perDay: number, size = 0.25, price = 106_000) =>
  Math.round((30 * perDay * size * price) / HOUR)

test.each<[string, Recommendation, Partial<AdviseInput>, number]>([
  [
    'the nights that it slept',
    implemented(),
    { gaps: gaps(28), intervals: intervals(28, 300) },
    saved(35_700),
  ],
  [
    'nothing when something else kept it awake',
    implemented(),
    { gaps: gaps(28), intervals: intervals(28, 10 * HOUR) },
    0,
  ],
  [
    'the difference of two delays',
    implemented({ from: { delay: seconds(1800) }, to: { delay: seconds(300) } }),
    { gaps: gaps(28), intervals: intervals(28, 300) },
    saved(1500),
  ],
  [
    'a longer delay costs more',
    implemented({ from: { delay: seconds(300) }, to: { delay: seconds(900) } }),
    { gaps: gaps(28), intervals: intervals(28, 900) },
    saved(-600),
  ],
  [
    'in the prices that held',
    implemented(),
    {
      gaps: gaps(28),
      intervals: [...intervals(14, 300), ...intervals(28, 300, { price: 212_000 }).slice(14)],
    },
    saved(35_700, 0.25, 159_000),
  ],
  [
    'a delay at the size of its time, which a later size leaves to it',
    implemented(),
    {
      gaps: gaps(28),
      intervals: intervals(28, 300),
      settings: [
        { ref: adviseRef, since: at(0), delay: seconds(300), sizing: { fixed: cu(4) } },
        { ref: adviseRef, since: at(HOUR), delay: seconds(300), sizing: { min: cu(0.25), max: cu(4) } },
      ],
    },
    saved(35_700, 4),
  ],
  [
    'a range in place of a fixed size',
    implemented({ ...sizingRecommendation(), life: implemented().life }),
    { intervals: intervals(28, 0, { size: 1 }) },
    saved(14 * HOUR, 3),
  ],
  [
    'a larger maximum costs what the old one would not have given',
    implemented({
      kind: 'sizing',
      from: { sizing: { min: cu(0.25), max: cu(1) } },
      to: { sizing: { min: cu(0.25), max: cu(2) } },
    }),
    { intervals: intervals(28, 0, { size: 1.5 }) },
    saved(14 * HOUR, -0.5),
  ],
])('realised: %s', (_, one, over, likely) => {
  const realised = realisedSaving(one, inputOf(over))
  expect(realised?.likely).toBeCloseTo(likely, -1)
  expect(realised?.low).toBeLessThanOrEqual(realised?.likely ?? 0)
  expect(realised?.high).toBeGreaterThanOrEqual(realised?.likely ?? 0)
})

test('bounds are those of the gaps', () => {
  const realised = realisedSaving(
    implemented(),
    inputOf({ gaps: gaps(28, 60), intervals: intervals(28, 300) }),
  )
  // the next awake interval begins when the gap ends: a longer one has no more sleep
  expect(realised).toEqual({ low: saved(35_640), likely: saved(35_700), high: saved(35_700) })
})

test.each<[string, Recommendation, Partial<AdviseInput>, number]>([
  ['before 28 days', implemented(), { gaps: gaps(28) }, 27],
  ['of an open one', recommendation(), { gaps: gaps(28) }, 28],
  ['of a kind that changes no setting', implemented({ kind: 'refresh', from: {}, to: {} }), {}, 28],
  [
    'of the pooler',
    implemented({ kind: 'pooler', from: { poolerEnabled: false }, to: { poolerEnabled: true } }),
    {},
    28,
  ],
  ['of a deleted compute', implemented(), { entry: adviseEntry({ deletedAt: at(DAY) }) }, 28],
  [
    'of a compute that nobody saw',
    implemented(),
    { gaps: gaps(28), entry: adviseEntry({ observedAt: at(13 * DAY) }) },
    28,
  ],
  [
    'of a delay that was taken back',
    implemented(),
    {
      gaps: gaps(28),
      settings: [
        { ref: adviseRef, since: at(DAY), delay: 'never', sizing: { fixed: cu(1) } },
        { ref: adviseRef, since: at(2 * DAY), delay: seconds(300), sizing: { fixed: cu(1) } },
      ],
    },
    28,
  ],
  ['when the history begins too late', implemented(), { gaps: gaps(50).slice(45) }, 50],
  ['of a size when the history begins too late', implemented(sizingRecommendation()), {}, 50],
  [
    'of a longer delay over hidden gaps',
    implemented({ from: { delay: seconds(60) }, to: { delay: seconds(300) } }),
    { gaps: gaps(28).map((gap) => ({ ...gap, hiddenBelow: seconds(300) })) },
    28,
  ],
])('not known: %s', (_, one, over, day) => {
  expect(realisedSaving(one, inputOf(over, day))).toBeUndefined()
})

const finished = (realised: number) => ({ saving: amounts(8, 10, 14), realised: micros(realised * 1e6) })
const times = (count: number, realised: number) => Array.from({ length: count }, () => finished(realised))

test.each<[string, readonly ReturnType<typeof finished>[], number]>([
  ['none', [], 1],
  // 20 weigh as much as the prior: the square root of the miss
  ['20 that were exact', times(20, 10), 0.5],
  ['20 at the edge', times(20, 14), 1],
  ['20 at the lower edge', times(20, 8), 1],
  ['20 two half widths below', times(20, 6), Math.SQRT2],
  ['3 of 20 far off', [...times(17, 14), ...times(3, 100)], 1],
  ['4 of 20 far off: 4 half widths count', [...times(16, 14), ...times(4, 100)], 2],
])('the factor after %s', (_, some, factor) => {
  expect(intervalFactor(some)).toBeCloseTo(factor, 6)
})

test('the factor stays between a half and two, and never falls when a miss grows', () => {
  const amount = fc.integer({ min: -100, max: 100 })
  check(
    fc.property(fc.array(amount, { maxLength: 40 }), fc.nat(39), (realised, index) => {
      const before = intervalFactor(realised.map(finished))
      const worse = intervalFactor(realised.map((one, place) => finished(place === index ? 1000 : one)))
      expect(before).toBeGreaterThanOrEqual(0.5)
      expect(worse).toBeLessThanOrEqual(2)
      expect(worse).toBeGreaterThanOrEqual(before)
    }),
  )
})

/** `ceiling` from 8 to 12 of each day, as a schedule sets it, else 300 s. */
const scheduledSettings = (days: number, ceiling: number) =>
  Array.from({ length: days }, (_, day) =>
    [
      { since: at(day * DAY + 8 * HOUR), delay: seconds(ceiling) },
      { since: at(day * DAY + 12 * HOUR), delay: seconds(300) },
    ].map((one) => ({ ...one, ref: adviseRef, sizing: { fixed: cu(0.25) } })),
  ).flat()

test('a schedule that sets its delay and takes it back ends no follow-up, and what came meanwhile is not counted', () => {
  const before = { ref: adviseRef, since: at(-DAY), delay: seconds(300), sizing: { fixed: cu(0.25) } }
  const settings = [before, ...scheduledSettings(28, 900)]
  const history = { gaps: gaps(28), intervals: intervals(28, 300), settings }
  const realised = (over: Partial<AdviseInput>) =>
    realisedSaving(implemented(), inputOf({ ...history, ...over }))?.likely
  expect(realised({})).toBeUndefined()
  expect(realised({ scheduled: [seconds(1800)] })).toBeUndefined()
  expect(Math.round(realised({ scheduled: [seconds(900)] }) ?? 0)).toBe(saved(35_700))
  const inWindow = history.gaps.map((gap) => ({ ...gap, from: instant(gap.from - 5.5 * HOUR * 1000) }))
  expect(realised({ scheduled: [seconds(900)], gaps: inWindow, intervals: [] })).toBeLessThan(saved(27_000))
})
