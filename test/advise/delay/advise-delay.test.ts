import { describe, expect, test } from 'vitest'
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import type { AdviseInput } from '../../../src/advise/input.ts'
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { Proposal, Withheld } from '../../../src/model/policy/recommendation.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { adviseRef } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { ALWAYS_ON, delayInput, gapsOf, gapsOfDays, HOURLY } from './delay-input.ts'

const DAY = 86_400
/** Active until just before the evaluation, at the default delay. */
const recent = { lastActive: at(-30) }
/** An awake compute that never suspends; `idle`: since its last activity, seconds. */
const autosuspendOff = (idle: number) => ({
  autosuspendDelay: 'never' as const,
  state: 'active' as const,
  lastActive: at(-idle),
})
const repeat = (length: number, count: number): readonly number[] => Array<number>(count).fill(length)

const proposed = (input: AdviseInput): Proposal => {
  const result = adviseDelay(input)
  if ('because' in result) throw new Error(`withheld: ${result.because}`)
  return result
}

const withheld = (input: AdviseInput): Withheld => {
  const result = adviseDelay(input)
  if ('ref' in result) throw new Error('not withheld')
  return result
}

describe('a delay is recommended', () => {
  test('autosuspend off, nobody came for days: the default of the service', () => {
    const { from, to, saving, effect, confidence, grounds } = proposed(
      delayInput({}, autosuspendOff(4 * DAY)),
    )
    expect({ from, to, confidence }).toEqual({
      from: { delay: 'never' },
      to: { delay: 300 },
      confidence: 'low',
    })
    // 4 days less the delay, at 1 CU and 0.106 an hour
    expect(saving.likely).toBeCloseTo((30 / 4) * (4 * 24 - 1 / 12) * 106_000, -1)
    expect(saving.low).toBeGreaterThan(0.95 * saving.likely)
    expect(effect.wakesPerDay).toEqual({ before: 0, after: 0.25 })
    expect(grounds.gaps).toEqual([{ low: 4 * DAY, high: 4 * DAY, count: 1 }])
  })

  test('hourly use of a compute with autosuspend off: as short as the price of a wake allows', () => {
    const { to, saving, grounds } = proposed(delayInput({ gaps: gapsOf(HOURLY) }, autosuspendOff(600)))
    expect(to).toEqual({ delay: 60 })
    expect(saving.low).toBeGreaterThan(0)
    expect(grounds.followed).toBe(1)
  })

  test('gaps that may be shorter or longer than the shortest delay count in parts', () => {
    // looks a minute apart show a gap of 60 s so
    const bounds = { low: seconds(43), high: seconds(91) }
    const gaps = gapsOf(() => 9900).map((gap, index) => ({ ...gap, ...(index % 4 === 0 && bounds) }))
    const count = Math.ceil(gaps.length / 4)
    const { to, grounds, effect } = proposed(delayInput({ gaps }, recent))
    expect(to).toEqual({ delay: 60 })
    const shorter = (count * 17) / 48
    expect(grounds.gaps.slice(0, 2)).toEqual([
      { low: expect.closeTo(43), high: expect.closeTo(60), count: expect.closeTo(shorter) },
      { low: expect.closeTo(60), high: expect.closeTo(91), count: expect.closeTo(count - shorter) },
    ])
    expect(effect.wakesPerDay?.after).toBeCloseTo((gaps.length - shorter) / grounds.days)
  })

  test('a wake that is dear: a longer delay, whose saving is negative', () => {
    const policy = { ...delayInput().policy, wakeCost: seconds(3600) }
    const input = delayInput({ policy, gaps: gapsOf(() => 900) }, { lastActive: at(-60) })
    const { to, saving } = proposed(input)
    expect(to.delay).toBeGreaterThanOrEqual(900)
    expect(saving.likely).toBeLessThan(0)
    expect(saving.high).toBeLessThan(0)
  })

  test('a plan with one delay: never becomes that delay', () => {
    const plan = { ...delayInput().plan!, delays: { from: seconds(300), to: seconds(300) } }
    const { to, alternatives } = proposed(delayInput({ plan }, autosuspendOff(4 * DAY)))
    expect(to).toEqual({ delay: 300 })
    expect(alternatives.map((other) => other.to.delay)).toEqual(['never'])
  })
})

test('of more gaps than are stored, the time begins with the oldest', () => {
  const gaps = gapsOf(() => 240).slice(-2400)
  const settings = [
    { ref: adviseRef, since: at(-20 * DAY), delay: 'never' as const, sizing: { fixed: cu(1) } },
  ]
  const policy = { ...delayInput().policy, wakeCost: seconds(30) }
  const { grounds } = proposed(delayInput({ gaps, settings, policy }, autosuspendOff(60)))
  expect(grounds.from).toBe(gaps[0]?.from)
  expect(grounds.days).toBeCloseTo((2400 * 300) / DAY, 1)
})

describe('the curve', () => {
  const { alternatives, to } = proposed(delayInput({ gaps: gapsOf(HOURLY) }, autosuspendOff(600)))

  test('every delay that plan and policy allow, in order, without the chosen one', () => {
    expect([to.delay, ...alternatives.map((other) => other.to.delay)]).toEqual([
      60,
      120,
      180,
      300,
      600,
      900,
      1800,
      3600,
      'never',
    ])
  })

  test('a longer delay saves less', () => {
    const savings = alternatives.map(({ saving }) => saving.likely)
    expect(savings).toEqual(savings.toSorted((a, b) => b - a))
    expect(alternatives.every(({ because }) => because === 'dearer')).toBe(true)
  })
})

const hidden: Partial<Gap> = { hiddenBelow: seconds(300) }

describe('withheld', () => {
  test.each<[string, AdviseInput, Partial<Withheld>]>([
    ['the plan is not known', delayInput({ plan: undefined }), { because: 'plan-unknown' }],
    ['the record has no delay', delayInput({}, { isDelayListed: false }), { because: 'no-readings' }],
    [
      'such a large compute does not suspend',
      delayInput({}, { sizing: { fixed: cu(56) } }),
      { because: 'plan-fixed' },
    ],
    [
      'the policy asks for more than the plan has',
      delayInput({ policy: { ...delayInput().policy, floor: seconds(700_000) } }),
      { because: 'policy' },
    ],
    [
      'the floor is over the ceiling',
      delayInput({ policy: { ...delayInput().policy, floor: seconds(900), ceiling: seconds(300) } }),
      { because: 'policy' },
    ],
    [
      'the plan has one delay, in force already',
      delayInput({
        plan: { ...delayInput().plan!, delays: { from: seconds(300), to: seconds(300) }, mayNever: false },
      }),
      { because: 'plan-fixed' },
    ],
    [
      'nothing was observed',
      delayInput({ settings: [] }, { createdAt: at(0), lastActive: at(0) }),
      { because: 'history-short', have: 0, needs: 3, until: at(3 * DAY) },
    ],
    [
      'an hour was observed',
      delayInput({ settings: [] }, { createdAt: at(-3600), lastActive: at(-3600) }),
      { because: 'history-short', needs: 3, until: at(3 * DAY - 3600) },
    ],
    [
      'operations alone: no delay below the one in force',
      delayInput({ gaps: gapsOf(HOURLY, hidden) }, { lastActive: at(-30) }),
      { because: 'not-followed', have: 0, needs: 3, until: at(3 * DAY) },
    ],
    [
      'the best delay is in force',
      delayInput({ gaps: gapsOf(HOURLY) }, { autosuspendDelay: seconds(60), lastActive: at(-60) }),
      { because: 'fits', have: 0, needs: 0, until: undefined },
    ],
  ])('%s', (_, input, expected) => {
    expect(withheld(input)).toMatchObject({ kind: 'delay', ...expected })
  })

  test('few gaps take as many more days as they took so far', () => {
    // six gaps of an hour in ten days: mostly used
    const gaps = gapsOf(HOURLY).filter((_, index) => index % 40 === 0)
    const { because, have, needs } = withheld(delayInput({ gaps }, autosuspendOff(60)))
    expect(because).toBe('not-followed')
    expect(needs / have).toBeCloseTo(30 / gaps.length)
  })
})

describe('a shorter delay must gain on other days like these, with wakes priced', () => {
  // 60 instead of 300 s: 600 s save 240; 299 s save 239 and add a wake of 300
  const [gains, loses] = [600, 299]
  const [burst, pings] = [repeat(gains, 120), repeat(loses, 90)]

  test('three days gain more than seven lose: withheld', () => {
    const days = Array.from({ length: 10 }, (_, day) => (day % 3 === 1 ? burst : pings))
    expect(withheld(delayInput({ gaps: gapsOfDays(days) }, recent)).because).toBe('unsure')
  })

  test('the same gaps on all days alike: recommended', () => {
    const day = [...repeat(gains, 36), ...repeat(loses, 63)]
    const { to, saving } = proposed(
      delayInput({ gaps: gapsOfDays(Array.from({ length: 10 }, () => day)) }, recent),
    )
    expect(to).toEqual({ delay: 60 })
    expect(saving.low).toBeGreaterThan(0)
  })

  test('money that days disagree on does not withhold it: each gap gains', () => {
    const days = Array.from({ length: 10 }, (_, day) => repeat(gains, day < 8 ? 3 : 120))
    const { to, saving, confidence } = proposed(delayInput({ gaps: gapsOfDays(days) }, recent))
    expect({ to, low: saving.low, confidence }).toEqual({ to: { delay: 60 }, low: 0, confidence: 'low' })
  })
})

const daily = (days: number) => gapsOfDays(Array.from({ length: days }, () => [3600]))

describe('seldom used, with a delay in force', () => {
  test('a weekday cycle of followed time does for the gaps that are missing', () => {
    expect(proposed(delayInput({ gaps: daily(7) }, recent)).to).toEqual({ delay: 60 })
  })

  test('fewer gaps, wider interval', () => {
    const days = Array.from({ length: 10 }, (_, day) => (day % 2 === 0 ? [3600, 3600, 3600] : []))
    const [few, fewer] = [25, 100].map((minGaps) => {
      const needs = { ...delayInput().needs, minGaps }
      return proposed(delayInput({ gaps: gapsOfDays(days), needs }, recent)).saving
    })
    expect(fewer!.high - fewer!.likely).toBeCloseTo(2 * (few!.high - few!.likely), 0)
  })

  test('before, the answer comes at its end', () => {
    expect(withheld(delayInput({ gaps: daily(6) }, recent))).toMatchObject({
      because: 'not-followed',
      have: 6,
      needs: 7,
      until: at(DAY),
    })
  })

  test('saving and spend may be above those of the days seen, never above the whole time', () => {
    const days = Array.from({ length: 7 }, (_, day) => (day < 3 ? [3600, 3600] : []))
    const { saving, spend } = proposed(delayInput({ gaps: gapsOfDays(days) }, recent))
    expect(saving.high).toBeGreaterThan(spend.likely)
    expect(saving.high).toBeLessThanOrEqual(spend.high)
    expect(spend.high).toBeLessThan(ALWAYS_ON)
  })
})

test('autosuspend off, but asleep: it costs nothing until a client wakes it', () => {
  const asleep = { autosuspendDelay: 'never' as const, state: 'idle' as const, lastActive: at(-4 * DAY) }
  expect(withheld(delayInput({}, asleep))).toMatchObject({ kind: 'delay' })
})

// the time of an evaluation is estimated, and a look may be dated a second after it
test('a look after the evaluation: no more than all of the time was followed', () => {
  const off = { autosuspendDelay: 'never' as const, lastActive: at(-600) }
  const input = delayInput({ gaps: gapsOf(HOURLY) }, off)
  const { grounds } = proposed({ ...input, entry: { ...input.entry, observedAt: at(1.2) } })
  expect(grounds.followed).toBe(1)
})

test('autosuspend off, and records that show neither starts nor activity: nothing below it', () => {
  const off = { autosuspendDelay: 'never' as const, state: 'active' as const }
  const input = delayInput(
    { settings: [{ ref: adviseRef, since: at(-10 * DAY), delay: 'never', sizing: { fixed: cu(1) } }] },
    off,
  )
  expect(withheld(input).because).toBe('not-followed')
})
