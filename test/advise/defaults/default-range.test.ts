import { describe, expect, test } from 'vitest'
import { adviseDefaults } from '../../../src/advise/defaults/advise-defaults.ts'
import type { DefaultsInput } from '../../../src/advise/defaults/input.ts'
import { advanceLife } from '../../../src/advise/life.ts'
import type { Proposal, Recommendation, Setting, Withheld } from '../../../src/model/policy/recommendation.ts'
import { cu, micros, seconds } from '../../../src/model/units.ts'
import { adviseInput, adviseRef } from '../../support/advise-input.ts'
import { at, preset, project } from '../../support/build.ts'
import { recommendation } from '../../support/recommendations.ts'
import { fixed, range } from '../sizing/build.ts'
import { DAY, defaultsInput, livesOf, proposed, sized, type LifeOptions } from './build.ts'

const { plan, policy } = adviseInput()

const TWO: Partial<DefaultsInput> = { project: project({ defaultSizing: fixed(2) }) }

/** Lives of seven days in a project whose default size is 2 CU. */
const sizedInput = (over: Partial<DefaultsInput> = {}, options: LifeOptions = {}) => ({
  ...TWO,
  lives: livesOf(7, sized(options)),
  ...over,
})

/** Where the default delay is as it should be. */
const SHORT: Partial<DefaultsInput> = {
  project: project({ defaultSizing: fixed(2), defaultAutosuspendDelay: seconds(60) }),
}

describe('the defaults of a project whose computes have its default size', () => {
  test('are one recommendation of delay and range, up to the size of now, with the same connections', () => {
    const { from, to, restarts, detail, effect, grounds } = proposed(sizedInput())
    expect({ from, to, restarts, detail }).toEqual({
      from: { delay: 300, sizing: { fixed: 2 } },
      to: { delay: 60, sizing: { min: 0.25, max: 2 } },
      restarts: false,
      detail: { kind: 'defaults', lives: 210, atOnce: 2 },
    })
    expect(effect).toMatchObject({ connections: { peak: 4, limit: 839 }, throttled: 0 })
    expect(grounds.cu.low).toBe(0.25)
  })

  test('save the time of the delay at the size of now, and the difference of the sizes in the time that is left', () => {
    const { saving, spend } = proposed(sizedInput())
    const [ofDelay, ofRange] = [480 * 2, 120 * 1.75]
    // 30 a day, 30 days, 0.106 a CU-hour; the first day has one more
    expect(Math.abs(saving.likely / 1e6 - (30 * 30 * (ofDelay + ofRange) * 0.106) / 3600)).toBeLessThan(0.5)
    expect(saving.low).toBeGreaterThan(0)
    expect(saving.high).toBeLessThanOrEqual(spend.high)
  })

  test('are a range alone where the delay fits, which changes no existing compute', () => {
    const { from, to, detail, spend, saving, effect, confidence } = proposed(sizedInput(SHORT, { awake: 60 }))
    expect({ from, to, detail }).toEqual({
      from: { sizing: { fixed: 2 } },
      to: { sizing: { min: 0.25, max: 2 } },
      detail: { kind: 'defaults', lives: 210, atOnce: 0, keeps: { delay: 'fits' } },
    })
    expect(effect.wakesPerDay).toBeUndefined()
    expect(confidence).toBe('medium')
    expect(Math.abs(spend.likely / 1e6 - (30 * 30 * 120 * 2 * 0.106) / 3600)).toBeLessThan(0.5)
    expect(saving.likely / spend.likely).toBeCloseTo(1.75 / 2, 3)
  })

  test('are a range alone where all lives have a delay of their own', () => {
    const lives = livesOf(7, (start) => {
      const life = sized()(start)
      return { ...life, settings: life.settings?.map((one) => ({ ...one, isOwnDelay: true as const })) ?? [] }
    })
    expect(proposed({ ...TWO, lives })).toMatchObject({
      to: { sizing: { min: 0.25, max: 2 } },
      detail: { lives: 210, keeps: { delay: 'history-short' } },
    })
  })

  test('name what the delay alone would save, and what larger minimums would', () => {
    const { alternatives, saving } = proposed(sizedInput())
    const of = (to: Setting) => alternatives.find((one) => JSON.stringify(one.to) === JSON.stringify(to))
    expect(of({ delay: seconds(60) })?.saving.likely).toBeLessThan(saving.likely)
    expect(of({ delay: seconds(300), sizing: range(0.25, 2) })?.saving.likely).toBeLessThan(saving.likely)
    expect(of({ delay: seconds(60), sizing: range(1, 2) })?.effect).toMatchObject({ throttled: 0 })
  })

  test('have no range wider than the service plan allows', () => {
    const large = { project: project({ defaultSizing: fixed(16) }) }
    const lives = livesOf(7, sized({ sizing: fixed(16), size: 16 }))
    expect(proposed({ ...large, lives }).to.sizing).toEqual({ min: 8, max: 16 })
  })

  test('have a lower minimum of what is a range already', () => {
    const wide = { project: project({ defaultSizing: range(1, 4) }) }
    const lives = livesOf(7, sized({ sizing: range(1, 4), size: 1 }))
    expect(proposed({ ...wide, lives })).toMatchObject({
      from: { sizing: { min: 1, max: 4 } },
      to: { sizing: { min: 0.25, max: 4 } },
    })
  })
})

describe('where the connection limit is that of the minimum, a range', () => {
  const limited = { preset }
  test('needs a week of connection peaks', () => {
    const few = sizedInput({ ...limited, lives: livesOf(5, sized()) })
    expect(proposed(few).detail).toMatchObject({ keeps: { sizing: 'history-short' } })
    expect(proposed({ ...sizedInput(limited), lives: livesOf(8, sized()) }).to.sizing).toEqual({
      min: 0.25,
      max: 2,
    })
  })

  test('has the least minimum that holds the peaks', () => {
    const lives = livesOf(8, sized({ peak: 100 }))
    // 125 with the margin, in 80 % of the limit of 225
    expect(proposed({ ...sizedInput(limited), lives }).to.sizing).toEqual({ min: 0.5, max: 2 })
  })
})

describe('the range is left out', () => {
  const free = plan && { ...plan, hasRanges: false }
  test.each<[string, Partial<DefaultsInput>, Withheld['because']]>([
    ['where the service shows no default size', { lives: livesOf(7, sized()) }, 'not-listed'],
    [
      'where no reading shows the load',
      { ...TWO, lives: livesOf(7, (start) => ({ ...sized()(start), steps: [] })) },
      'no-readings',
    ],
    [
      'where no compute has the default size',
      { ...sizedInput(), project: project({ defaultSizing: fixed(4) }) },
      'history-short',
    ],
    ['on a plan without ranges', sizedInput({ plan: free }), 'plan-fixed'],
    ['where the load fills the size', sizedInput({}, { load: 2 }), 'fits'],
    [
      'where the size is the smallest',
      {
        project: project({ defaultSizing: fixed(0.25) }),
        lives: livesOf(7, sized({ sizing: fixed(0.25), size: 0.25 })),
      },
      'fits',
    ],
    [
      'where the policy keeps the minimum up',
      sizedInput({ policy: { ...policy, sizing: { ...policy.sizing, neverDown: true } } }),
      'policy',
    ],
    [
      'where the policy allows less',
      sizedInput({ policy: { ...policy, sizing: { ...policy.sizing, max: cu(1) } } }),
      'policy',
    ],
  ])('%s, and the delay is recommended alone', (_, over, because) => {
    expect(proposed(over)).toMatchObject({ to: { delay: 60 }, detail: { keeps: { sizing: because } } })
    expect(proposed(over).to.sizing).toBeUndefined()
  })

  test('and nothing is recommended where the delay fits, too: both have their reason', () => {
    const fitting = sizedInput({ ...SHORT, plan: free }, { awake: 60 })
    expect(adviseDefaults(defaultsInput(fitting))).toMatchObject({ because: 'fits', sizing: 'plan-fixed' })
  })
})

const implemented = (to: Setting, day: number) =>
  recommendation({
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    to,
    life: { state: 'implemented', at: at(day * DAY), realised: undefined },
  })

describe('a setting that was implemented', () => {
  test.each<[string, Setting, number, Setting]>([
    ['of a delay, the range is recommended alone', { delay: seconds(300) }, 10, { sizing: range(0.25, 2) }],
    ['of a range, the delay is recommended alone', { sizing: fixed(2) }, 10, { delay: seconds(60) }],
    ['which has ended, both are', { delay: seconds(300) }, 1, { delay: seconds(60), sizing: range(0.25, 2) }],
  ])('during the follow-up %s', (_, to, day, expected) => {
    const row = implemented(to, day)
    const proposal = proposed(sizedInput({ previous: [row] }))
    expect(proposal.to).toEqual(expected)
    const { recommendations } = lifeOf([row], proposal)
    expect(recommendations.map((one) => one.to)).toEqual([expected])
  })

  test('of both nothing is recommended', () => {
    const row = implemented({ delay: seconds(300), sizing: fixed(2) }, 10)
    expect(adviseDefaults(defaultsInput(sizedInput({ previous: [row] })))).toMatchObject({
      because: 'follow-up',
      sizing: 'follow-up',
      have: 20,
      needs: 28,
    })
  })
})

/** After an evaluation of a project that has the defaults of `sizedInput`. */
function lifeOf(previous: readonly Recommendation[], result: Proposal | Withheld) {
  const { ref, policy: own, now } = defaultsInput()
  const advice =
    'ref' in result ? { proposals: [result], withheld: [] } : { proposals: [], withheld: [result] }
  const subject = {
    ref,
    isDeleted: false,
    setting: { delay: seconds(300), sizing: fixed(2) },
    previous,
    wakeCost: own.wakeCost,
    realised: () => undefined,
    now,
  }
  return advanceLife({
    advice,
    subject,
    made: { defaults: 1 },
    minSaving: micros(1_000_000),
    hash: String,
  })
}

const open = (to: Setting, from: Setting = { delay: seconds(300), sizing: fixed(2) }): Recommendation =>
  recommendation({
    id: 'project-one.defaults.1',
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    from,
    to,
    confirmedAt: at(29 * DAY),
  })
const afterOf = (row: Recommendation, over: Partial<DefaultsInput>) => {
  const life = lifeOf([row], adviseDefaults(defaultsInput({ ...over, previous: [row] })))
  return life.recommendations.map(({ id, from, to, life: { state } }) => ({ id, from, to, state }))
}

describe('an open recommendation', () => {
  test('of the delay alone is replaced by both, which save more', () => {
    const from = { delay: seconds(300) }
    expect(afterOf(open({ delay: seconds(60) }, from), sizedInput())).toEqual([
      expect.objectContaining({ id: 'project-one.defaults.1', state: 'superseded' }),
      expect.objectContaining({
        id: 'project-one.defaults.2',
        to: { delay: 60, sizing: { min: 0.25, max: 2 } },
      }),
    ])
  })

  test('stays where another range is hardly better, and names only what it is about', () => {
    const row = open({ delay: seconds(60), sizing: range(0.5, 2) })
    const few = sizedInput()
    // a minimum of 0.25 CU saves 0.25 CU more in 60 of 300 s
    expect(afterOf(row, few)).toEqual([{ id: row.id, from: row.from, to: row.to, state: 'open' }])
  })

  test.each<[string, Setting, Partial<DefaultsInput>]>([
    ['range', { delay: seconds(60), sizing: range(0.25, 2) }, { ...TWO, lives: livesOf(7) }],
    [
      'delay',
      { delay: seconds(60), sizing: range(0.25, 2) },
      sizedInput({
        lives: livesOf(7, (start) => ({
          ...sized()(start),
          gaps: [
            {
              ref: adviseRef,
              from: at(start),
              low: seconds(60),
              high: seconds(60),
              hiddenBelow: seconds(300),
            },
          ],
        })),
      }),
    ],
  ])('waits while its %s cannot be judged', (_, to, over) => {
    expect(afterOf(open(to), over)).toEqual([])
  })
})
