import { describe, expect, test } from 'vitest'
import { createWindow } from '../../src/calendar/window.ts'
import { changeHold, type ChangeTerms } from '../../src/decide/change-hold.ts'
import { DEFAULT_BRAKES } from '../../src/model/policy/brakes.ts'
import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../src/model/policy/change-policy.ts'
import type { Change } from '../../src/model/policy/change.ts'
import { seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { weekly } from '../calendar/windows.ts'
import { placedHold } from '../support/placed-holds.ts'

const DAY = 86_400
const NOW = at(30 * DAY)
const later = (after: number) => at(30 * DAY + after)

/** Open from, to, seconds from now. */
const windowOf = (from: number, to: number) =>
  createWindow([{ kind: 'once', from: later(from), to: later(to) }])
const OPEN = windowOf(-60, 600)

const POLICY: ChangePolicy = {
  mode: 'apply',
  levers: ['sizing', 'delay'],
  restart: DEFAULT_RESTART_RULES,
  path: 'policies[0]',
}
const HOLD = placedHold({ until: later(300) })

/** What stops a change, each by itself. */
const STOPPING = {
  freeze: { freezes: [['year-end', OPEN]] },
  hold: { holds: [HOLD] },
  clock: { isClockSteady: false },
  'denied-window': { restart: { deny: ['busy'] } },
  'outside-window': { restart: { when: ['window'], windows: ['night'] } },
  'hold-off': { startedAt: NOW },
} as const satisfies Readonly<Record<string, Given>>

type Given = Readonly<{
  freezes?: ChangeTerms['freezes']
  holds?: ChangeTerms['holds']
  restart?: Partial<ChangePolicy['restart']>
  startedAt?: ReturnType<typeof at>
  isForced?: boolean
  isClockSteady?: boolean
}>

function holdBy(given: Given, change: Change = changeOf({ when: 'policy' })) {
  const {
    freezes = [],
    holds = [],
    restart,
    startedAt = at(0),
    isForced = false,
    isClockSteady = true,
  } = given
  const duration = seconds(60)
  const unasked = {
    policy: {
      policy: { ...POLICY, restart: { ...POLICY.restart, ...restart } },
      windows: new Map([
        ['busy', OPEN],
        ['night', windowOf(3600, 7200)],
      ]),
      ofProject: undefined,
      duration,
      isForced,
    },
    brakes: {
      brakes: DEFAULT_BRAKES,
      restarts: [],
      engaged: [],
      breaker: undefined,
      failedRequests: undefined,
      goFirst: [],
      startedAt,
      isSwept: true,
      createdAt: at(0),
    },
  }
  return changeHold(change, { freezes, holds, duration, isClockSteady, mode: 'apply', unasked }, NOW)
}

const REASONS = Object.keys(STOPPING) as (keyof typeof STOPPING)[]
const together = (reasons: readonly (keyof typeof STOPPING)[]): Given => {
  const given: readonly Given[] = reasons.map((reason) => STOPPING[reason])
  return {
    ...Object.assign({}, ...given),
    restart: Object.assign({}, ...given.map(({ restart }) => restart)),
  }
}

describe('of a change of a policy', () => {
  test('the first of freeze, hold, clock, denied window, window and brake is the reason', () => {
    expect(holdBy({})).toBeUndefined()
    for (const [index, reason] of REASONS.entries()) {
      expect(holdBy(STOPPING[reason])?.because).toBe(reason)
      expect(holdBy(together(REASONS.slice(index)))?.because).toBe(reason)
    }
  })

  test('a force passes windows and brakes, and nothing above them', () => {
    const isForced = true
    expect(REASONS.map((reason) => holdBy({ ...STOPPING[reason], isForced })?.because)).toEqual([
      'freeze',
      'hold',
      'clock',
      'denied-window',
      undefined,
      undefined,
    ])
    expect(holdBy({ ...together(REASONS), isForced })?.because).toBe('freeze')
  })

  test('it waits where no pass has seen the compute', () => {
    expect(changeHold(changeOf({ when: 'policy' }), UNSEEN, NOW)?.because).toBe('policy')
    expect(changeHold(changeOf(), UNSEEN, NOW)).toBeUndefined()
  })
})

const UNSEEN = {
  freezes: [],
  holds: [],
  duration: seconds(60),
  isClockSteady: true,
  mode: undefined,
  unasked: undefined,
}

test.each(['off', 'observe'] as const)('a policy with mode %s holds what a person asked for, too', (mode) => {
  for (const when of ['idle', 'now', 'policy'] as const)
    expect(changeHold(changeOf({ when }), { ...UNSEEN, mode }, NOW)?.because).toBe('mode')
  expect(changeHold(changeOf({ when: 'now' }), { ...UNSEEN, mode: 'suggest' }, NOW)).toBeUndefined()
})

test.each(['idle', 'now'] as const)(
  'of a change that a person asked for with %s only freeze and hold stop it',
  (when) => {
    for (const kind of ['sizing', 'delay', 'restart'] as const)
      expect(REASONS.map((reason) => holdBy(STOPPING[reason], changeOf({ when, kind }))?.because)).toEqual([
        'freeze',
        'hold',
        undefined,
        undefined,
        undefined,
        undefined,
      ])
  },
)

test('of a change that a person asked for the clock stops it where there is a freeze, which may be open by now', () => {
  const freezes = [['over', windowOf(-900, -60)]] as const
  expect(holdBy({ freezes, isClockSteady: false }, changeOf())?.because).toBe('clock')
  expect(holdBy({ freezes }, changeOf())).toBeUndefined()
})

describe('a freeze', () => {
  test('that is always open has no end: windows are followed for a year only', () => {
    const always = createWindow([weekly('00:00-24:00')])
    const held = { because: 'freeze', until: undefined }
    expect(holdBy({ freezes: [['always', always]] }, changeOf())).toMatchObject(held)
    const freezes = [
      ['always', always],
      ['year-end', OPEN],
    ] as const
    expect(holdBy({ freezes }, changeOf())).toMatchObject(held)
  })

  test.each<[what: string, window: ReturnType<typeof windowOf>, until: number | undefined]>([
    ['that is open holds until it closes', OPEN, 600],
    ['that opens before the change is over holds, too', windowOf(59, 900), 900],
    ['that opens when it is over does not', windowOf(60, 900), undefined],
    ['that has closed does not', windowOf(-900, 0), undefined],
  ])('%s', (_, window, until) => {
    const held = holdBy({ freezes: [['year-end', window]] }, changeOf())
    expect(held?.until).toBe(until === undefined ? undefined : later(until))
  })

  test('names each of those that are open, and ends with the last', () => {
    const freezes = [
      ['a', OPEN],
      ['b', windowOf(0, 1200)],
      ['c', windowOf(5000, 6000)],
      ['gone', undefined],
    ] as const
    expect(holdBy({ freezes })).toEqual({ because: 'freeze', until: later(1200), detail: 'a, b' })
  })
})

describe('a hold', () => {
  test('says whose it is, why, and until when', () => {
    expect(holdBy({ holds: [HOLD] })).toEqual({
      because: 'hold',
      until: later(300),
      detail: 'hold-one of ann, the release',
    })
  })

  test.each<[string, ChangeTerms['holds'], number | undefined]>([
    ['that does not stand holds nothing', [], undefined],
    ['beside a longer one ends with that', [HOLD, placedHold({ until: later(900) })], 900],
  ])('%s', (_, holds, until) => {
    expect(holdBy({ holds })?.until).toBe(until === undefined ? undefined : later(until))
  })
})
