import { describe, expect, test } from 'vitest'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { adviseSizing } from '../../../src/advise/sizing/advise-sizing.ts'
import type { Sizing } from '../../../src/model/service/compute.ts'
import { createPreset } from '../../../src/model/service/sizes.ts'
import { cu, cuMillis, millis } from '../../../src/model/units.ts'
import { adviseEntry, adviseInput } from '../../support/advise-input.ts'
import { at, reading } from '../../support/build.ts'
import {
  awakeDays,
  bucket,
  fixed,
  hoursOf,
  proposed,
  range,
  sizedInput,
  stepsOf,
  target,
  wholeSizing,
} from './build.ts'

const DAY = 86_400

const usual = adviseInput()
const scale = usual.plan
if (!scale) throw new Error('the builder has a plan')

const policy = (sizing: Partial<AdviseInput['policy']['sizing']>) => ({
  ...usual.policy,
  sizing: { ...usual.policy.sizing, ...sizing },
})

/** At 8 CU, hardly used. */
const withPeaks = (days: number, peak: number, arrivals = 0) =>
  sizedInput(fixed(8), { steps: stepsOf([0.1]), hours: hoursOf(days, peak, arrivals) })

const saturated = (load = 1) => ({ steps: stepsOf([load, load, load, 0.1]) })

describe('a fixed size becomes a range', () => {
  test('at once, with the least minimum that keeps the connection limit of today', () => {
    // 839 connections at 2 CU: min(2, 8 · 0.25) has them, too
    expect(target(sizedInput(fixed(2), { steps: stepsOf([0.1]) }))).toEqual(range(0.25, 2))
    expect(target(sizedInput(fixed(8), { steps: stepsOf([0.1]) }))).toEqual(range(1, 8))
  })

  test('as wide as the plan allows', () => {
    const plan = { ...scale, widestRange: cu(4) }
    expect(target(sizedInput(fixed(8), { plan, steps: stepsOf([0.1]) }))).toEqual(range(4, 8))
  })

  test('with a lower minimum after as many days of peaks as are needed', () => {
    expect(target(withPeaks(6, 10))).toEqual(range(1, 8))
    expect(target(withPeaks(8, 10))).toEqual(range(0.25, 8))
  })

  test('with room for the peak and for sessions that came between two readings', () => {
    // 839 connections at [0.25, 8]: 80 % of them hold 536 and a quarter more
    expect(target(withPeaks(8, 536))).toEqual(range(0.25, 8))
    expect(target(withPeaks(8, 538))).toEqual(range(0.5, 8))
    expect(target(withPeaks(8, 530, 8))).toEqual(range(0.5, 8))
  })

  test('under the preset of the interface only after that: its limit is that of the minimum', () => {
    const preset = createPreset('interface')
    const after = (days: number) =>
      sizedInput(fixed(2), { preset, steps: stepsOf([0.1]), hours: hoursOf(days, 10) })
    expect(adviseSizing(after(2))).toMatchObject({
      because: 'history-short',
      have: 2,
      needs: 7,
      until: at(35 * DAY),
    })
    expect(target(after(8))).toEqual(range(0.25, 2))
  })

  test.each([
    ['the demand fills 90 % of it', [1.85]],
    ['less than a tenth would be saved', [1.2, 1.2, 1.2]],
  ])('not if %s', (_, loads) => {
    expect(adviseSizing(sizedInput(fixed(2), { steps: stepsOf(loads) }))).toMatchObject({ because: 'fits' })
  })

  test('not if the restart costs more than a week saves', () => {
    const input = sizedInput(fixed(2), { steps: stepsOf([0.1]), days: awakeDays(30, 30) })
    expect(adviseSizing(input)).toMatchObject({ because: 'saving-small' })
  })
})

test('the connection limit that the server shows wins, and reserved connections count for nobody', () => {
  const input = withPeaks(8, 534)
  const last = { ...reading(), maxConnections: 839, reservedConnections: 7, at: at(0) }
  const shown = (over: Partial<typeof last>) => ({
    ...input,
    entry: { ...input.entry, reading: { ...input.entry.reading, last: { ...last, ...over } } },
  })
  expect(target(shown({ reservedConnections: 0 }))).toEqual(range(0.25, 8))
  expect(target(shown({}))).toEqual(range(0.5, 8))
  const early = { ...shown({ maxConnections: 3900 }), hours: [] }
  expect(adviseSizing(early)).toMatchObject({ because: 'history-short' })
})

test('load under another sizing says nothing', () => {
  const setting = { ref: adviseEntry().ref, delay: 'never' } as const
  const settings = [
    { ...setting, since: at(0), sizing: fixed(1) },
    { ...setting, since: at(30 * DAY - 7200), sizing: fixed(2) },
  ]
  const steps = [bucket(29 * DAY, { load: 0.1 })]
  expect(adviseSizing(sizedInput(fixed(2), { settings, steps }))).toMatchObject({ because: 'no-readings' })
})

test('a minimum is lowered after the days of peaks, and before where the limit stays', () => {
  const before = sizedInput(range(2, 4), { steps: stepsOf([0.1]), hours: hoursOf(1, 10) })
  expect(target(before)).toEqual(range(0.5, 4))
  const after = sizedInput(range(2, 4), { steps: stepsOf([0.1]), hours: hoursOf(8, 10) })
  expect(target(after)).toEqual(range(0.25, 4))
})

describe('a saturated compute', () => {
  test('gets twice its maximum', () => {
    expect(target(sizedInput(range(0.25, 1), saturated()))).toEqual(range(0.25, 2))
    expect(target(sizedInput(fixed(1), saturated()))).toEqual(range(0.25, 2))
  })

  test('gets nothing before three steps, under 95 % of the maximum, or within an hour of a change', () => {
    const now = range(0.25, 1)
    const setting = { ref: adviseEntry().ref, delay: 'never', since: at(0) } as const
    const settings = [
      { ...setting, sizing: range(0.25, 0.5) },
      { ...setting, since: at(30 * DAY - 3000), sizing: now },
    ]
    for (const over of [{ steps: stepsOf([1, 1]) }, saturated(0.94), { ...saturated(), settings }])
      expect(adviseSizing(sizedInput(now, over))).toMatchObject({ because: 'fits' })
  })

  test('keeps its minimum: the range reaches as far as the plan allows from there', () => {
    expect(target(sizedInput(range(0.25, 5), { steps: stepsOf([5, 5, 5, 1]) }))).toEqual(range(0.25, 8))
    const full = sizedInput(range(0.25, 8), { steps: stepsOf([8, 8, 8, 1]) })
    expect(adviseSizing(full)).toMatchObject({ because: 'plan-fixed' })
  })

  test('of a fixed size that is full all day keeps it as the minimum', () => {
    const steps = stepsOf(Array<number>(288).fill(8))
    expect(target(sizedInput(fixed(8), { steps }))).toEqual(range(8, 16))
  })

  test('is told that it costs more, with what a larger size might take', () => {
    const { saving } = proposed(sizedInput(range(0.25, 1), saturated()))
    expect(saving.low).toBeLessThan(0)
    expect(saving.likely).toBeLessThanOrEqual(saving.high)
  })

  test('is one for at least a hundredth of its day', () => {
    const day = Array.from({ length: 288 }, (_, index) => (index < 3 ? 1 : 0.1))
    expect(target(sizedInput(range(0.25, 1), { steps: stepsOf(day) }))).toEqual(range(0.25, 2))
    // readings at half of the steps' distance would make 576 of them
    const steps = [...stepsOf(day), ...stepsOf(Array<number>(288).fill(0.1))]
    expect(adviseSizing(sizedInput(range(0.25, 1), { steps }))).toMatchObject({ because: 'fits' })
  })

  test('is one by the size that the service gives it, too', () => {
    const size = { count: 2, sum: 0.5, min: cu(0.25), max: cu(0.25), source: 'estimated' } as const
    const steps = saturated().steps.map((step) => ({ ...step, size }))
    expect(adviseSizing(sizedInput(range(0.25, 1), { steps }))).toMatchObject({ because: 'fits' })
    const full = saturated().steps.map((step) => ({ ...step, size: { ...size, sum: 2 }, use: undefined }))
    expect(target(sizedInput(range(0.25, 1), { steps: full }))).toEqual(range(0.25, 2))
  })

  test('may take all of a larger maximum while it is saturated', () => {
    const { grounds } = proposed(sizedInput(range(0.25, 1), { steps: stepsOf([1, 1, 1, 1]) }))
    expect(grounds.cu.high).toBe(2)
  })

  test('of a plan without ranges gets a fixed size', () => {
    const plan = { ...scale, hasRanges: false }
    expect(target(sizedInput(fixed(1), { plan, ...saturated() }))).toEqual(fixed(2))
  })
})

describe('a plan without ranges', () => {
  const plan = { ...scale, hasRanges: false }
  const load = (days: number, size: number) => ({
    plan,
    hours: hoursOf(days, 10),
    steps: [bucket((30 - days) * DAY, { load: size }), ...stepsOf([size])],
  })

  const cached = (used: number) => sizedInput(fixed(8), load(8, 1), { used, limit: 24_576 })

  test('gets the size of nearly all of the load, where the cache is not full', () => {
    expect(target(cached(2000))).toEqual(fixed(2))
    expect(target(cached(9000))).toEqual(fixed(3))
    expect(adviseSizing(cached(24_000))).toMatchObject({ because: 'fits' })
  })

  const peaks = (count: number) => {
    const loads = Array.from({ length: 400 }, (_, index) => (index < count ? 3 : 1))
    const steps = [...load(8, 1).steps, ...stepsOf(loads)]
    return sizedInput(fixed(8), { ...load(8, 1), steps }, { used: 2000, limit: 24_576 })
  }

  test('gets a size that holds 99.5 % of it', () => {
    expect(target(peaks(2))).toEqual(fixed(2))
    expect(target(peaks(3))).toEqual(fixed(4))
  })

  test('keeps its size where its cache is full, or nothing is known about it', () => {
    const full = sizedInput(fixed(8), load(8, 1), { used: 9000, limit: 9000 })
    const hardlyUsed = sizedInput(fixed(8), load(8, 1), { used: 2000, limit: 24_576 })
    const cache = { hits: 10, misses: 0, warmHits: 10, warmMisses: 0, over: millis(1000) }
    const steps = hardlyUsed.steps.map((step) => ({ ...step, cache }))
    for (const input of [full, { ...hardlyUsed, steps }, sizedInput(fixed(8), load(8, 1))])
      expect(adviseSizing(input)).toMatchObject({ because: 'fits' })
  })

  test('keeps its size before a week of load', () => {
    const short = sizedInput(fixed(8), load(6, 1), { used: 2000, limit: 24_576 })
    expect(adviseSizing(short)).toMatchObject({ because: 'history-short', needs: 7 })
  })
})

test.each<[because: string, over: Partial<AdviseInput>, sizing: Sizing]>([
  ['plan-unknown', { plan: undefined }, fixed(2)],
  ['no-readings', { steps: [] }, fixed(2)],
  ['fits', {}, fixed(0.25)],
  ['policy', { policy: policy({ neverDown: true }) }, fixed(2)],
  ['policy', { policy: policy({ min: cu(2) }) }, fixed(2)],
  ['policy', { policy: policy({ max: cu(1) }) }, fixed(2)],
  ['plan-fixed', {}, fixed(20)],
  ['history-short', { days: [] }, fixed(2)],
])('withheld: %s', (because, over, sizing) => {
  const input = sizedInput(sizing, { steps: stepsOf([0.1]), ...over })
  expect(adviseSizing(input)).toMatchObject({ because })
})

test('the saving lies between what sessions would take and the minimum', () => {
  const { spend, saving, grounds, effect } = proposed(
    sizedInput(fixed(2), {
      steps: stepsOf([0.9, 0.9]),
      hours: hoursOf(8, 10),
      utilisation: { used: cuMillis(1), capacity: cuMillis(7) },
      days: awakeDays(30, DAY),
    }),
  )
  const month = 720 * 2 * 106_000
  expect(spend).toEqual({ low: month, likely: month, high: month })
  // ranges of the account use a seventh of their width, 0.5 CU here
  expect(grounds.cu).toEqual({ low: 0.25, likely: 0.75, high: 1 })
  expect(saving).toEqual({ low: month / 2, likely: (month * 1.25) / 2, high: (month * 1.75) / 2 })
  expect(effect).toMatchObject({ connections: { peak: 10, limit: 839 }, throttled: 0 })
})

test.each([
  ['in the middle where nothing is known of ranges of the account', 0, { low: 0.25, likely: 0.625, high: 1 }],
  ['at most what the sessions would take', 7, { low: 0.25, likely: 1, high: 1 }],
])('the likely size is %s', (_, used, size) => {
  const utilisation = { used: cuMillis(used), capacity: cuMillis(used) }
  const input = sizedInput(fixed(2), { steps: stepsOf([0.9, 0.9]), hours: hoursOf(8, 10), utilisation })
  expect(proposed(input).grounds.cu).toEqual(size)
})

test('alternatives are a larger maximum and larger minimums, which save less and throttle less', () => {
  const { alternatives, saving } = proposed(sizedInput(fixed(2), { steps: stepsOf([0.1, 1.8, 0.1]) }))
  const sizings = alternatives.map(({ to }) => wholeSizing(to.sizing))
  expect(sizings).toEqual([range(0.25, 4), range(0.5, 2), range(1, 2)])
  for (const other of alternatives) expect(other.saving.likely).toBeLessThanOrEqual(saving.likely)
})
