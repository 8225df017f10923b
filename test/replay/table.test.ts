import { describe, expect, test } from 'vitest'
import { activityIn, type ActivitySeries } from '../../src/replay/activity.ts'
import {
  activitySet,
  playClairvoyant,
  playDelays,
  type DelayPolicy,
  type PlaySettings,
} from '../../src/replay/play.ts'
import { DELAY_POLICIES } from '../../src/replay/policies.ts'
import { POLICY_NAMES, replaySet } from '../../src/replay/table.ts'
import { bySize } from '../support/tiers.ts'

const FREE: PlaySettings = { wakeCost: 5, floor: 1, asDeployed: false }

const series = (duration: number, ...active: number[]): ActivitySeries => ({
  class: '',
  duration,
  active: Int32Array.from(active),
})

/** Gaps of 2 and 20 minutes, and a tail of 9. */
const SMALL = activitySet([series(34, 0, 3, 24)])

const policyOf = (name: string): DelayPolicy => {
  const policy = DELAY_POLICIES.find((one) => one.name === name)
  if (!policy) throw new Error(name)
  return policy
}

describe('the conventions of the traces', () => {
  test.each([
    // three active minutes, the first wake; 2 + (5 + 5), and 5 of the tail
    ['default', { cost: 3 + 5 + 2 + 10 + 5, awake: 3 + 2 + 5 + 5, wakes: 2, changes: 0 }],
    ['never', { cost: 3 + 5 + 2 + 20 + 9, awake: 34, wakes: 1, changes: 0 }],
  ])('%s', (name, expected) => {
    expect(playDelays(SMALL, policyOf(name), FREE).series).toEqual([expected])
  })

  test('the clairvoyant pays the floor and a wake at most, and the floor in the tail', () => {
    const expected = { cost: 3 + 5 + 2 + 6 + 1, awake: 3 + 2 + 1 + 1, wakes: 2, changes: 0 }
    expect(playClairvoyant(SMALL, FREE).series).toEqual([expected])
  })
})

/** Wants 1 and 30 minutes by turns. */
const restless: DelayPolicy = {
  name: 'restless',
  start: () => {
    let turn = 0
    return { decide: () => (turn++ % 2 === 0 ? 30 : 1), learn: () => {} }
  },
}

test('as deployed a shorter delay goes out once an hour, a longer one at any time', () => {
  const busy = activitySet([series(120, ...Array.from({ length: 40 }, (_, at) => 3 * at))])
  const changes = (asDeployed: boolean) =>
    playDelays(busy, restless, { ...FREE, asDeployed }).series[0]?.changes
  expect(changes(false)).toBe(39)
  // shortened at 4, longer again at 7, shortened at 64 + …
  expect(changes(true)).toBe(4)
})

test('a policy sees no gap before its end, and decides before activity of the same minute', () => {
  const calls: string[] = []
  const watching: DelayPolicy = {
    name: 'watching',
    start: () => ({
      decide: (one, at) => {
        calls.push(`${at} decide ${one}`)
        return 5
      },
      learn: (one, { from, length }) => {
        calls.push(`${from + length} learn ${one}`)
      },
    }),
  }
  playDelays(activitySet([series(12, 1, 5, 6), series(12, 4, 9)]), watching, FREE)
  expect(calls).toEqual(['2 decide 0', '5 decide 1', '5 learn 0', '7 decide 0', '9 learn 1', '10 decide 1'])
})

/** Warms up two minutes after minute 10 of each gap. */
const warming: DelayPolicy = {
  name: 'warming',
  start: () => ({
    decide: () => 3,
    learn: () => {},
    warmUps: {
      plan: () => [{ from: 10, length: 2 }],
      record: () => ({ predicted: 2, came: 1, saved: 4, balance: 4 }),
    },
  }),
}

describe('a warm-up', () => {
  const startCost = 0.5
  test.each([
    // two active minutes, the first wake, 3 of the tail
    [
      'is not begun before a client that comes earlier',
      9,
      { cost: 2 + 5 + 3 + 5 + 3, awake: 8, begun: 0, used: 0, wakes: 2 },
    ],
    [
      'costs a start and a minute of the client that it waited for',
      11,
      { cost: 2 + 5 + 3 + 1.5 + 3, awake: 9, begun: 1, used: 1, wakes: 1 },
    ],
    [
      'costs a start and all of it where no client comes',
      30,
      { cost: 2 + 5 + 3 + 2.5 + 5 + 3, awake: 10, begun: 1, used: 0, wakes: 2 },
    ],
  ])('%s', (_, gap, { begun, used, ...expected }) => {
    const set = activitySet([series(gap + 5, 0, gap + 1)])
    const record = { predicted: 2, came: 1, saved: 4, balance: 4 }
    expect(playDelays(set, warming, { ...FREE, startCost }).series).toEqual([
      { ...expected, changes: 0, warmUps: { begun, used, record } },
    ])
  })

  test('in the time after the last activity costs a start, and is not used', () => {
    const set = activitySet([series(40, 0)])
    const [played] = playDelays(set, warming, { ...FREE, startCost }).series
    expect(played).toMatchObject({ cost: 1 + 5 + 3 + 2.5, wakes: 1, warmUps: { begun: 1, used: 0 } })
  })
})

describe('a timer of 20 minutes, a wake costs 15', () => {
  const timer = activitySet([series(2880, ...Array.from({ length: 144 }, (_, at) => 20 * at))])
  const clairvoyant = playClairvoyant(timer, { ...FREE, wakeCost: 15 }).series[0]?.cost ?? 0

  test.each([
    ['free', false, undefined],
    ['as deployed', true, undefined],
    ['on a plan with one delay, and a suspend lever', false, [5, Infinity]],
    ['on a plan with one delay, without', true, [5, Infinity]],
  ])('warm-ups cost less than the clairvoyant pays without them, %s', (_, asDeployed, delays) => {
    const settings = { wakeCost: 15, floor: delays ? 5 : 1, asDeployed, delays, startCost: 1 / 12 }
    const [played] = playDelays(timer, policyOf('dormouse'), settings).series
    expect(played?.cost).toBeLessThan(clairvoyant)
    // all but those of the first gaps, and one in the time after the last activity
    expect(played?.warmUps?.used).toBeGreaterThan(130)
    expect(played?.warmUps?.begun).toBeLessThanOrEqual((played?.warmUps?.used ?? 0) + 1)
  })

  test('at 300 s for both there is none without the suspend lever', () => {
    const settings = { wakeCost: 5, floor: 5, asDeployed: true, delays: [5], startCost: 1 / 12 }
    const [played] = playDelays(timer, policyOf('dormouse'), settings).series
    expect(played?.warmUps?.begun).toBe(0)
  })
})

/** Ten series of two days: timers of several periods with activity in between, and five that are the same but for their classes. */
const FLEET = Array.from({ length: 10 }, (_, at) => {
  const period = [30, 60, 45, 120, 7][at % 5] ?? 60
  const minutes = new Set(
    [...Array(Math.floor(2800 / period)).keys()].flatMap((turn) => [
      turn * period,
      turn * period + 1 + ((turn * turn) % (period - 1)),
    ]),
  )
  return { name: `s${at}`, class: at < 5 ? 'low' : 'high', minutes: [...minutes].toSorted((a, b) => a - b) }
})

/** Rows of `FLEET` as two files. */
function fleetTraces({ label = (name: string) => name, order = (lines: string[]) => lines, classes = true }) {
  const rows = FLEET.flatMap(({ name, minutes }) => minutes.map((minute) => `${label(name)},${minute},1`))
  const lines = FLEET.map((one) => `${label(one.name)},${classes ? one.class : ''},0,2880,1,1,1`)
  const traces = activityIn(
    { file: 'x.csv', text: ['series,minute,count', ...order(rows)].join('\n') },
    {
      file: 'x.meta.csv',
      text: [
        'series,class,start_dow,duration_minutes,resolution_minutes,active_minutes,total_count',
        ...order(lines),
      ].join('\n'),
    },
  )
  if (!traces.ok) throw new Error(traces.error)
  return traces.value
}

/** Decisions of the learner, its delays and warm-ups, in the first 1000 minutes of `FLEET`, of which nothing is known from minute `until` on. */
function delaysOf(until: number, settings: PlaySettings): readonly string[] {
  const delays: string[] = []
  let now = 0
  const traces = fleetTraces({}).series.map((one) => ({
    ...one,
    active: one.active.filter((minute) => minute < until),
  }))
  const policy = policyOf('dormouse')
  const watched: DelayPolicy = {
    name: 'watched',
    start: (terms, count) => {
      const player = policy.start(terms, count)
      return {
        ...player,
        decide: (one, at) => {
          const delay = player.decide(one, at)
          now = at
          if (at < 1000) delays.push(`${at} ${one}: ${delay}`)
          return delay
        },
        ...(player.warmUps && {
          warmUps: {
            ...player.warmUps,
            plan: (one, applied) => {
              const warmUps = player.warmUps?.plan(one, applied) ?? []
              if (now < 1000 && warmUps.length > 0) delays.push(`${now} ${one}: ${JSON.stringify(warmUps)}`)
              return warmUps
            },
          },
        }),
      }
    },
  }
  playDelays(activitySet(traces), watched, settings)
  return delays
}

const FORMS: readonly Pick<PlaySettings, 'asDeployed' | 'startCost'>[] = [
  { asDeployed: false },
  { asDeployed: true },
  { asDeployed: false, startCost: 1 / 12 },
  { asDeployed: true, startCost: 1 / 12 },
]

describe.each(bySize(FORMS, FORMS.slice(1, 2)))('the learner of a fleet, %o', (form) => {
  const settings = { ...FREE, ...form }
  const figures = (change: Parameters<typeof fleetTraces>[0]) =>
    replaySet('x', fleetTraces(change), { ...settings, policies: ['dormouse'], monotonic: () => 0 })

  test('names, order of rows and classes change no figure', () => {
    const groups = figures({})
    const [all] = groups
    expect(figures({ label: (name) => `${9 - Number(name.slice(1))}z` })).toEqual(groups)
    expect(figures({ order: (lines) => lines.toReversed() })).toEqual(groups)
    expect(figures({ order: (lines) => [...lines.slice(7), ...lines.slice(0, 7)] })).toEqual(groups)
    expect(figures({ classes: false })).toEqual([all])
  })

  test('decides by what was before: another future changes no delay', () => {
    const delays = delaysOf(2880, settings)
    expect(delays.length).toBeGreaterThan(300)
    expect(delays.some((one) => one.includes('from'))).toBe('startCost' in form)
    expect(delaysOf(1000, settings)).toEqual(delays)
  })
})

describe('the table', () => {
  const traces = {
    series: [series(1440, 0, 100, 103, 500), series(1440, 3, 4, 700)].map((one, at) => ({
      ...one,
      class: ['b', 'a'][at] ?? '',
    })),
    leftOut: 1,
    rowsRefused: 2,
  }
  const options = { ...FREE, policies: POLICY_NAMES, monotonic: () => 0 }

  test('all first, then classes by name, with the policies in the order asked for', () => {
    const groups = replaySet('x', traces, { ...options, policies: ['never', 'default'] })
    expect(
      groups.map((group) => [
        group.class,
        group.series,
        group.left_out,
        group.policies.map(({ policy }) => policy),
      ]),
    ).toEqual([
      ['all', 2, 1, ['never', 'default']],
      ['a', 1, 0, ['never', 'default']],
      ['b', 1, 0, ['never', 'default']],
    ])
  })

  test('the default has no share of the saving, the clairvoyant all of it; none is cheaper', () => {
    const [all] = replaySet('x', traces, options)
    const shares = new Map(all?.policies.map(({ policy, share_of_clairvoyant: share }) => [policy, share]))
    expect([shares.get('default'), shares.get('clairvoyant')]).toEqual([0, 1])
    expect(all?.policies.every((one) => (one.share_of_clairvoyant ?? 0) <= 1 && one.worst_ratio >= 1)).toBe(
      true,
    )
  })

  test('without classes there is one group', () => {
    const unnamed = { ...traces, series: traces.series.map((one) => ({ ...one, class: '' })) }
    expect(replaySet('x', unnamed, options).map((group) => group.class)).toEqual(['all'])
  })
})
