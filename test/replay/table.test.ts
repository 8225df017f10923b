import { describe, expect, test } from 'vitest'
import type { ActivitySeries } from '../../src/replay/activity.ts'
import {
  activitySet,
  playClairvoyant,
  playDelays,
  type DelayPolicy,
  type PlaySettings,
} from '../../src/replay/play.ts'
import { DELAY_POLICIES } from '../../src/replay/policies.ts'
import { POLICY_NAMES, replaySet } from '../../src/replay/table.ts'

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
