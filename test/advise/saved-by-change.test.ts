import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AdviseInput } from '../../src/advise/input.ts'
import { savedParts } from '../../src/advise/saved-by-change.ts'
import type { Gap, ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { ComputeEntry, SettledInterval } from '../../src/model/ledger/ledger.ts'
import { eachBound } from '../../src/model/ledger/quantities.ts'
import type { Change, EndedChange } from '../../src/model/policy/change.ts'
import type { SavedPart } from '../../src/model/policy/saved.ts'
import { cu, cuMillis, micros, millis, seconds } from '../../src/model/units.ts'
import { sumOf } from '../../src/std/sum.ts'
import { adviseEntry, adviseInput, adviseRef, awakeInterval } from '../support/advise-input.ts'
import { at, evidence, sighting } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { check } from '../support/property.ts'

const DAY = 86_400
const HOUR = 3600

const done = (second = 0): EndedChange => ({
  at: 'done',
  because: 'verified',
  endedAt: at(second),
  sent: { at: at(second), sessions: 0 },
})

/** From autosuspend off to 300 s, done at second 0. */
const delayChange = (over: Partial<Change> = {}): Change =>
  changeOf({
    ref: adviseRef,
    kind: 'delay',
    before: { autosuspendDelay: 'never' },
    desired: { autosuspendDelay: seconds(300) },
    state: done(),
    ...over,
  })

/** Clients are there for the first 14 hours of each day; the gap is 10 hours. */
const gaps = (days: number): readonly Gap[] =>
  Array.from({ length: days }, (_, day) => ({
    ref: adviseRef,
    from: at(day * DAY + 14 * HOUR),
    low: seconds(10 * HOUR),
    high: seconds(10 * HOUR),
    hiddenBelow: seconds(0),
  }))

/** Awake from each midnight on for 14 hours and `tail` seconds, at 0.106 a CU-hour. */
const intervals = (days: number, tail: number, size = 0.25): readonly SettledInterval[] =>
  Array.from({ length: days }, (_, day) => ({
    ref: adviseRef,
    interval: awakeInterval(day * DAY, day * DAY + 14 * HOUR + tail),
    cuTime: { 106_000: eachBound(() => cuMillis(size * (14 * HOUR + tail) * 1000)) },
    idleTail: millis(tail * 1000),
    attribution: {},
  }))

const setting = (day: number, over: Partial<ObservedSetting>): ObservedSetting => ({
  ref: adviseRef,
  since: at(day * DAY),
  delay: seconds(300),
  sizing: { fixed: cu(0.25) },
  ...over,
})

/** After `days` that are settled, an hour later. */
const inputOf = (
  days: number,
  over: Partial<AdviseInput> = {},
  entry: Partial<ComputeEntry> = {},
): AdviseInput =>
  adviseInput({
    entry: adviseEntry(
      { observedAt: at(days * DAY), settledUntil: at(days * DAY), ...entry },
      {
        lastActive: at((Math.ceil(days) - 1) * DAY + 14 * HOUR),
        autosuspendDelay: seconds(300),
      },
    ),
    now: at(days * DAY + HOUR),
    gaps: gaps(Math.floor(days)),
    intervals: intervals(Math.ceil(days), 300),
    settings: [setting(-1, { delay: 'never' }), setting(0, {})],
    ...over,
  })

const partsOf = (change: Change, input: AdviseInput, parts: readonly SavedPart[] = []) =>
  savedParts(input, { changes: [change], parts, team: 'shop' })

/** Money of so many CU-seconds. */
const money = (cuSeconds: number) => micros((cuSeconds * 106_000) / HOUR)

const SMALLER = { before: { sizing: { fixed: cu(4) } }, desired: { sizing: { fixed: cu(1) } } }

test.each<[string, Change, Partial<AdviseInput>, number]>([
  ['the night that it slept: 35,700 s at 0.25 CU', delayChange(), {}, money(35_700 * 0.25)],
  [
    'a longer delay: 600 s more',
    delayChange({ before: { autosuspendDelay: seconds(300) }, desired: { autosuspendDelay: seconds(900) } }),
    { intervals: intervals(1, 900), settings: [setting(0, { delay: seconds(900) })] },
    0 - money(600 * 0.25),
  ],
  [
    'the default delay, by what is in force',
    delayChange({ desired: { autosuspendDelay: seconds(0) } }),
    {},
    money(35_700 * 0.25),
  ],
  ['nothing, when something else kept it awake', delayChange(), { intervals: intervals(1, 10 * HOUR) }, 0],
  [
    'a smaller size: 14 h and 300 s at 3 CU less',
    delayChange({ kind: 'sizing', ...SMALLER }),
    { intervals: intervals(1, 300, 1), settings: [setting(0, { sizing: { fixed: cu(1) } })] },
    money(50_700 * 3),
  ],
  [
    'both: 14 h and 1,800 s at 1 CU, less 14 h and 300 s at 0.25 CU',
    delayChange({
      kind: 'sizing',
      before: { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(1800) },
      desired: { sizing: { fixed: cu(0.25) }, autosuspendDelay: seconds(300) },
    }),
    {},
    money(52_200) - money(50_700 * 0.25),
  ],
  [
    'neither, where the gaps of the shorter delay were hidden',
    delayChange({ before: { autosuspendDelay: seconds(300) }, desired: { autosuspendDelay: seconds(900) } }),
    {
      gaps: gaps(1).map((gap) => ({ ...gap, hiddenBelow: seconds(900) })),
      intervals: intervals(1, 900),
      settings: [setting(0, { delay: seconds(900) })],
    },
    0,
  ],
])('a day of %s', (_, change, over, net) => {
  const [part, ...others] = partsOf(change, inputOf(1, over))
  expect(others).toEqual([])
  expect(part).toMatchObject({ changeId: 'ch-one', ref: adviseRef, team: 'shop', from: at(0), to: at(DAY) })
  const { saved, extra } = part ?? { saved: NaN, extra: NaN }
  expect(Math.min(saved, extra)).toBe(0)
  // sums of micros are rounded
  expect(Math.abs(saved - extra - net)).toBeLessThanOrEqual(1)
})

test.each<[string, Partial<Change>]>([
  ['a restart', { kind: 'restart', before: {}, desired: {} }],
  ['one that is open', { state: { at: 'proposed' } }],
  ['one that was taken back', { state: { ...done(), at: 'reverted' } }],
  [
    'one for which nothing had to be sent',
    { state: { at: 'done', because: 'it is so already', endedAt: at(0) } },
  ],
  ['one that takes another back', { origin: { by: 'revert', of: 'ch-zero', name: 'policies[0]' } }],
  ['a step that is put back', { origin: { by: 'schedule', name: 'office', period: at(0), of: 'ch-zero' } }],
])('nothing is counted of %s', (_, over) => {
  expect(partsOf(delayChange(over), inputOf(1))).toEqual([])
})

test('a step counts as long as its value stands', () => {
  const step = delayChange({ origin: { by: 'schedule', name: 'office', period: at(0) } })
  expect(partsOf(step, inputOf(1))).toMatchObject([{ from: at(0), to: at(DAY) }])
})

test('a change ends when another value is seen, whoever set it, and after 28 days', () => {
  const settings = [setting(0, {}), setting(2, { delay: 'never' }), setting(3, {})]
  const [part] = partsOf(delayChange(), inputOf(4, { settings }))
  expect(part).toMatchObject({ from: at(0), to: at(2 * DAY), saved: money(2 * 35_700 * 0.25) })
  expect(partsOf(delayChange(), inputOf(4, { settings }), part ? [part] : [])).toEqual([])
  expect(partsOf(delayChange(), inputOf(30))).toMatchObject([{ from: at(0), to: at(28 * DAY) }])
})

const savedIn = (parts: readonly SavedPart[]) => sumOf(parts, (part) => part.saved)

test('a change outlasts the windows of a schedule, and counts nothing of their time, wherever a part begins', () => {
  // from 20:00 to 22:00 of the second and third day
  const settings = [
    setting(0, {}),
    ...[1, 2].flatMap((day) => [setting(day + 20 / 24, { delay: seconds(900) }), setting(day + 22 / 24, {})]),
  ]
  const schedule = { settings, scheduled: [seconds(900)] }
  const whole = money((3 * 35_700 - 2 * 2 * HOUR) * 0.25)
  expect(savedIn(partsOf(delayChange(), inputOf(3, schedule)))).toBe(whole)
  const first = partsOf(delayChange(), inputOf(1 + 21 / 24, schedule))
  expect(
    Math.abs(savedIn([...first, ...partsOf(delayChange(), inputOf(3, schedule), first)]) - whole),
  ).toBeLessThanOrEqual(1)
  const step = delayChange({
    before: { autosuspendDelay: seconds(300) },
    desired: { autosuspendDelay: seconds(900) },
    origin: { by: 'schedule', name: 'office', period: at(0) },
    state: done((1 + 20 / 24) * DAY),
  })
  expect(partsOf(step, inputOf(3, schedule))).toMatchObject([{ to: at((1 + 22 / 24) * DAY) }])
})

test('a gap that ended with awake time that is not settled is counted once its length is known', () => {
  const woken = {
    settledUntil: at(0.9 * DAY),
    current: awakeInterval(DAY, undefined, DAY + HOUR),
    activity: {
      shown: undefined,
      lag: { atLeast: seconds(0), atMost: seconds(60) },
      followed: [],
      open: { from: at(14 * HOUR), within: seconds(1), hiddenBelow: seconds(0) },
    },
  }
  const before = partsOf(delayChange(), inputOf(1, { gaps: [] }, woken))
  expect(before).toMatchObject([{ to: at(14 * HOUR), saved: 0, extra: 0 }])
  const after = partsOf(delayChange(), inputOf(1), before)
  expect(after).toMatchObject([{ from: at(14 * HOUR), to: at(DAY), saved: money(35_700 * 0.25) }])
})

/** It slept after its clients had left and the delay of an hour was over; its awake time is settled until 2,000 s after they left. */
const partlySettled = (size: number): Partial<ComputeEntry> => {
  const settledUntil = 14 * HOUR + 2000
  const { compute } = adviseEntry({}, { lastActive: at(14 * HOUR), autosuspendDelay: seconds(3600) })
  return {
    compute,
    observedAt: at(15 * HOUR + 60),
    settledUntil: at(settledUntil),
    partlySettled: {
      interval: awakeInterval(0, undefined, settledUntil),
      cuTime: { 106_000: eachBound(() => cuMillis(size * settledUntil * 1000)) },
    },
    evidence: evidence({
      activities: [at(14 * HOUR)],
      ends: [at(15 * HOUR)],
      states: [sighting('active', settledUntil), sighting('idle', 15 * HOUR + 60)],
    }),
    provisional: [
      {
        ref: adviseRef,
        // the instant that a record names is half a second later on average
        ...eachBound(() => ({ from: at(settledUntil), to: at(15 * HOUR + 0.5) })),
        size: eachBound(() => cu(size)),
        price: '106000',
        assumed: false,
      },
    ],
  }
}

test.each<[string, Change, number, number]>([
  [
    'a longer delay',
    delayChange({ before: { autosuspendDelay: seconds(300) }, desired: { autosuspendDelay: seconds(3600) } }),
    0.25,
    0 - money(1700 * 0.25),
  ],
  ['a smaller size', delayChange({ kind: 'sizing', ...SMALLER }), 1, money((14 * HOUR + 2000) * 3)],
])('awake time that is settled in part counts with %s', (_, change, size, net) => {
  const settings = [setting(-1, {}), setting(0, { delay: seconds(3600), sizing: { fixed: cu(size) } })]
  const over = { gaps: [], intervals: [], settings, now: at(15 * HOUR + 60) }
  const [part] = partsOf(change, inputOf(1, over, partlySettled(size)))
  const { saved, extra } = part ?? { saved: NaN, extra: NaN }
  expect(part).toMatchObject({ from: at(0), to: at(14 * HOUR + 2000) })
  expect(Math.abs(saved - extra - net)).toBeLessThanOrEqual(1)
})

test('whenever it is evaluated, each day is counted once: the sum is that of 28 days, and no evaluation lowers it', () => {
  const whole = 28 * money(35_700 * 0.25)
  check(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 27 }), { maxLength: 12 }), (days) => {
      const parts: SavedPart[] = []
      for (const day of [...days.toSorted((a, b) => a - b), 27, 29]) {
        const added = partsOf(delayChange(), inputOf(day), parts)
        expect(added.every(({ saved, extra }) => saved >= 0 && extra === 0)).toBe(true)
        parts.push(...added)
      }
      // each part is rounded
      expect(Math.abs(sumOf(parts, ({ saved }) => saved) - whole)).toBeLessThanOrEqual(28)
    }),
  )
})
