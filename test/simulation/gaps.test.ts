// Gaps between client activities as the daemon stores them, beside the activity itself.
import { expect, test } from 'vitest'
import { COARSE_STEP, type Rollup } from '../../src/model/ledger/rollup.ts'
import type { Gap } from '../../src/model/ledger/gap.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import { instant, MINUTE, SECOND } from '../../src/model/units.ts'
import { START } from '../local/control/build.ts'
import { collected } from '../store/build.ts'
import { memoryStore } from '../support/memory-store.ts'
import { simulateWeek, type WeekOptions } from './week.ts'
import type { Use, Wire } from './world.ts'

const DAYS = 1.25
const END = DAYS * 86_400 * SECOND
/** Gaps over suspensions are stored when their intervals are settled. */
const SETTLED = END - 60 * MINUTE
const EVER = { from: instant(0), to: instant(Infinity) }

/** Instants a power of chance apart, at least `shortest` ms and at most ten hours; three of ten follow within 20 s. */
function activityOf(random: Random, shortest: number, tail: number): readonly number[] {
  const times: number[] = []
  for (let at = random.unit() * 10 * MINUTE; at < END;) {
    times.push(Math.round(at))
    const isBurst = random.unit() < 0.3
    at += isBurst
      ? SECOND * (1 + 19 * random.unit())
      : Math.min(shortest * random.unit() ** -tail, 600 * MINUTE)
  }
  return times
}

const usesOf = (random: Random): readonly Use[] => [
  { endpointId: 'ep-often', delay: 300, activity: activityOf(random, 40 * SECOND, 1) },
  { endpointId: 'ep-hourly', delay: 300, activity: activityOf(random, 10 * MINUTE, 0.8) },
  { endpointId: 'ep-short', delay: 60, activity: activityOf(random, 50 * SECOND, 1.2) },
  { endpointId: 'ep-long', delay: 3600, activity: activityOf(random, 2 * MINUTE, 1) },
  { endpointId: 'ep-never', delay: -1, activity: activityOf(random, MINUTE, 1.3) },
]

async function storedGaps(drawn: WeekOptions['uses'], options: Partial<WeekOptions>) {
  const store = memoryStore()
  let uses: readonly Use[] = []
  await simulateWeek({
    seed: 7,
    days: DAYS,
    store,
    history: store,
    uses: (random) => (uses = drawn(random)),
    ...options,
  })
  return {
    uses,
    gaps: await collected(store.gaps('main', EVER)),
    hours: await collected(store.rollups('main', { ...EVER, length: COARSE_STEP })),
  }
}

type Silence = Readonly<{ from: number; to: number }>

const silencesOf = ({ activity }: Use): readonly Silence[] =>
  activity.slice(1).map((to, index) => ({ from: START + (activity[index] ?? 0), to: START + to }))

/** Index of the first silence that ends after an instant. */
function firstAfter(silences: readonly Silence[], when: number): number {
  let [low, high] = [0, silences.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((silences[middle]?.to ?? Infinity) > when) high = middle
    else low = middle + 1
  }
  return low
}

/** The silence that has most in common with the gap; undefined for one that is invented. */
function matchOf({ from, high }: Gap, silences: readonly Silence[]): Silence | undefined {
  const common = (one: Silence): number => Math.min(one.to, from + high * SECOND) - Math.max(one.from, from)
  const first = firstAfter(silences, from)
  let best: Silence | undefined
  for (let at = first; (silences[at]?.from ?? Infinity) < from + high * SECOND; at += 1) {
    const one = silences[at]
    if (one && common(one) > (best ? common(best) : 0)) best = one
  }
  return best
}

type Judgement = Readonly<{ recorded: number; inside: number; invented: number; stored: number }>

/** Shares of the long silences that are stored, and of the stored gaps that contain the truth. */
function judge(uses: readonly Use[], gaps: readonly Gap[]): Judgement {
  const judged = uses.flatMap((use) => {
    const silences = silencesOf(use)
    return gaps
      .filter(({ ref }) => ref.endpointId === use.endpointId)
      .map((gap) => ({ gap, match: matchOf(gap, silences) }))
  })
  const matches = new Set(judged.map(({ match }) => match && JSON.stringify(match)))
  const long = uses
    .flatMap(silencesOf)
    .filter(({ from, to }) => to - from >= 120 * SECOND && to < START + SETTLED && from > START + 2 * MINUTE)
  const inside = judged.filter(({ gap: { low, high }, match }) => {
    const length = match && (match.to - match.from) / SECOND
    return length !== undefined && length >= low && length <= high
  })
  return {
    recorded: long.filter((one) => matches.has(JSON.stringify(one))).length / long.length,
    inside: inside.length / judged.length,
    invented: judged.filter(({ match }) => match === undefined).length,
    stored: judged.length,
  }
}

const followedShare = (hours: readonly Rollup[]): number => {
  const awake = hours.reduce((sum, { time }) => sum + time.init + time.active, 0)
  return hours.reduce((sum, { followed }) => sum + followed, 0) / awake
}

test.each([
  ['looks alone', { readings: 'off' }, usesOf],
  [
    'readings, killed again and again',
    { readings: 'full', crashes: 0.02 },
    // simulated readings count no sessions, so that those of each minute hide single queries
    (random: Random) => usesOf(random).filter(({ delay }) => delay > 0),
  ],
] as const)('with %s, gaps are stored as they were', async (_, options, usesOfCase) => {
  const { uses, gaps, hours } = await storedGaps(usesOfCase, options)
  const judged = judge(uses, gaps)
  expect(judged.recorded).toBeGreaterThanOrEqual(0.95)
  expect(judged.inside).toBeGreaterThanOrEqual(0.99)
  expect(judged.invented).toBe(0)
  expect(gaps.filter(({ hiddenBelow }) => hiddenBelow > 0).length).toBeLessThan(0.05 * gaps.length)
  expect(followedShare(hours)).toBeGreaterThan(0.95)
})

const withoutActivity = (record: Wire): Wire => ({
  ...record,
  last_active: undefined,
  started_at: undefined,
  suspended_at: undefined,
})

test('without activity fields, operations show the gaps over suspensions alone', async () => {
  const { uses, gaps, hours } = await storedGaps(usesOf, { readings: 'off', twisted: withoutActivity })
  const delays = new Map(uses.map(({ endpointId, delay }) => [endpointId, delay]))
  expect(gaps.length).toBeGreaterThan(10)
  expect(gaps.filter(({ ref, hiddenBelow }) => hiddenBelow !== delays.get(ref.endpointId))).toEqual([])
  expect(gaps.filter(({ high, hiddenBelow }) => high < hiddenBelow)).toEqual([])
  const { inside, invented } = judge(uses, gaps)
  expect(inside).toBeGreaterThanOrEqual(0.99)
  expect(invented).toBe(0)
  expect(followedShare(hours)).toBe(0)
})

/** So many that in turns of one look a pass, an awake one has its turn every quarter of an hour at most. */
const crowdOf = (random: Random): readonly Use[] =>
  Array.from({ length: 9 }, (_, index) =>
    usesOf(random)
      .filter(({ endpointId }) => index === 0 || endpointId !== 'ep-short')
      .map((use) => ({ ...use, endpointId: `${use.endpointId}-${index}` })),
  ).flat()
const FIRST_LOOKS = 15 * MINUTE

test.each([5, 55])('a list, %i s late, shows activity between rare looks', async (lag) => {
  const looks = new Map<string, number>()
  const { uses, gaps, hours } = await storedGaps(crowdOf, {
    readings: 'off',
    requests: 60,
    listLag: lag * SECOND,
    // leaves one look a pass for awake computes, and one more for transitions
    listRequests: (elapsed) => (elapsed < FIRST_LOOKS ? 1 : 57),
    twisted: (record) => {
      const id = String(record['id'])
      looks.set(id, (looks.get(id) ?? 0) + 1)
      return record
    },
  })
  const judged = judge(uses, gaps)
  expect(judged.recorded).toBeGreaterThanOrEqual(0.95)
  expect(judged.inside).toBeGreaterThanOrEqual(0.99)
  expect(judged.invented).toBe(0)
  expect(gaps.filter(({ hiddenBelow }) => hiddenBelow > 0).length).toBeLessThan(0.05 * gaps.length)
  expect(followedShare(hours)).toBeGreaterThan(0.95)
  const sleepless = [...looks].filter(([id]) => id.startsWith('ep-never'))
  const seen = sleepless.reduce((sum, [, count]) => sum + count - FIRST_LOOKS / MINUTE, 0)
  expect(seen / sleepless.length).toBeLessThan(END / (15 * MINUTE))
})
