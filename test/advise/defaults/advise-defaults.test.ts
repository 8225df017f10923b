import { describe, expect, test } from 'vitest'
import { adviseDefaults } from '../../../src/advise/defaults/advise-defaults.ts'
import type { ComputeLife, DefaultsInput } from '../../../src/advise/defaults/input.ts'
import type { Withheld } from '../../../src/model/policy/recommendation.ts'
import { seconds } from '../../../src/model/units.ts'
import { adviseInput, adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at, project } from '../../support/build.ts'
import { DAY, defaultsInput, lifeFrom, livesOf, proposed } from './build.ts'

const { plan, policy } = adviseInput()

describe('the default delay of a project with 30 computes a day that live an hour', () => {
  test('is the one with the least cost over their lives', () => {
    const { ref, kind, from, to, restarts, detail, grounds } = proposed()
    expect({ ref, kind, from, to, restarts, detail }).toEqual({
      ref: { account: 'main', projectId: 'project-one' },
      kind: 'defaults',
      from: { delay: 300 },
      // both gaps are far longer than any delay that pays
      to: { delay: 60 },
      restarts: false,
      detail: { kind: 'defaults', lives: 210, atOnce: 2, keeps: { sizing: 'not-listed' } },
    })
    expect(grounds.cu).toEqual({ low: 1, likely: 1, high: 1 })
  })

  test('saves 240 s in each of their two gaps, of which the deletion ends one without a wake', () => {
    const { saving, effect, spend } = proposed()
    // 30 a day, 30 days, 480 s, 0.106 a CU-hour; the first day has one more
    expect(saving.likely / 1e6).toBeCloseTo((30 * 30 * 480 * 0.106) / 3600, 0)
    expect(saving.low).toBeLessThan(saving.likely)
    expect(spend.likely).toBeGreaterThan(saving.likely)
    const { before = 0, after = 0 } = effect.wakesPerDay ?? {}
    expect([Math.round(before), Math.round(after)]).toEqual([30, 30])
  })

  test('is longer where clients come back soon', () => {
    const lives = livesOf(7, (start) => ({
      intervals: [
        { ...lifeFrom(start).intervals[0]!, interval: awakeInterval(start, start + 300) },
        { ...lifeFrom(start).intervals[0]!, interval: awakeInterval(start + 330, start + 630) },
        { ...lifeFrom(start).intervals[0]!, interval: awakeInterval(start + 660, start + 960) },
        { ...lifeFrom(start).intervals[0]!, interval: awakeInterval(start + 990, start + 1290) },
      ],
    }))
    expect(proposed({ lives, policy: { ...policy, wakeCost: seconds(3000) } }).to).toEqual({ delay: 360 })
  })
})

const own = (start: number): Partial<ComputeLife> => ({
  settings: lifeFrom(start).settings.map((one) => ({ ...one, isOwnDelay: true as const })),
})
const late = (start: number): Partial<ComputeLife> => ({
  settings: lifeFrom(start).settings.map((one) => ({ ...one, since: at(start + 1200) })),
})
const hidden = (start: number): Partial<ComputeLife> => ({
  gaps: [{ ref: adviseRef, from: at(start), low: seconds(60), high: seconds(60), hiddenBelow: seconds(300) }],
})

describe('none is recommended', () => {
  test.each<[string, Partial<DefaultsInput>, Partial<Withheld>]>([
    ['without computes that lived', { lives: [] }, { because: 'history-short', have: 0, needs: 3 }],
    ['of two days', { lives: livesOf(2) }, { because: 'history-short', needs: 3 }],
    [
      'where all have a delay of their own',
      { lives: livesOf(7, own) },
      { because: 'history-short', have: 0 },
    ],
    [
      'where nobody looked from the start',
      { lives: livesOf(7, late) },
      { because: 'history-short', have: 0 },
    ],
    ['where gaps were hidden', { lives: livesOf(7, hidden) }, { because: 'history-short', have: 0 }],
    [
      'of few gaps',
      { lives: livesOf(7).filter((_, index) => index % 16 === 0) },
      { because: 'not-followed' },
    ],
    [
      'of a project without default_endpoint_settings',
      { project: project({ hasDefaults: false }) },
      { because: 'not-listed' },
    ],
    ['without a plan', { plan: undefined }, { because: 'plan-unknown' }],
    ['that the policy leaves out', { policy: { ...policy, kinds: ['delay'] } }, { because: 'policy' }],
    [
      'on a plan of one delay',
      { plan: plan && { ...plan, delays: { from: seconds(300), to: seconds(300) }, mayNever: false } },
      { because: 'plan-fixed' },
    ],
    [
      'where the default fits',
      { project: project({ defaultAutosuspendDelay: seconds(60) }) },
      { because: 'fits' },
    ],
  ])('%s', (_, over, expected) => {
    expect(adviseDefaults(defaultsInput(over))).toMatchObject({ kind: 'defaults', ...expected })
  })

  test('by computes that live longer than the history of their own would take', () => {
    const lives = livesOf(7, (start) => ({ deletedAt: at(start + 4 * DAY) }))
    expect(adviseDefaults(defaultsInput({ lives }))).toMatchObject({ because: 'history-short', have: 0 })
  })
})
