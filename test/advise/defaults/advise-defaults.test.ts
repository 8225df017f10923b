import { describe, expect, test } from 'vitest'
import { adviseDefaults } from '../../../src/advise/defaults/advise-defaults.ts'
import type { ComputeLife, DefaultsInput } from '../../../src/advise/defaults/input.ts'
import { realisedDefaults, savedByDefaults } from '../../../src/advise/defaults/realised.ts'
import { eachBound } from '../../../src/model/ledger/quantities.ts'
import type { Proposal, Withheld } from '../../../src/model/policy/recommendation.ts'
import type { SavedPart } from '../../../src/model/policy/saved.ts'
import { cu, cuMillis, millis, seconds } from '../../../src/model/units.ts'
import { adviseInput, adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at, project } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { recommendation } from '../../support/recommendations.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/**
 * Seconds after `at(0)`: a client at the start and again after 30 minutes, each followed by 300 s awake; deleted an hour after the start.
 */
function lifeFrom(start: number, over: Partial<ComputeLife> = {}): ComputeLife {
  const ref = { ...adviseRef, endpointId: `ep-${start}` }
  const awake = (from: number): ComputeLife['intervals'][number] => ({
    ref,
    interval: awakeInterval(from, from + 300),
    cuTime: { 106_000: eachBound(() => cuMillis(300_000)) },
    idleTail: millis(300_000),
    attribution: {},
  })
  return {
    deletedAt: at(start + HOUR),
    gaps: [],
    settings: [{ ref, since: at(start + 30), delay: seconds(300), sizing: { fixed: cu(1) } }],
    intervals: [awake(start), awake(start + 1800)],
    ...over,
  }
}

/** 30 a day for as many days up to the 30th after `at(0)`. */
const livesOf = (days: number, over: (start: number) => Partial<ComputeLife> = () => ({})) =>
  Array.from({ length: 30 * days }, (_, index) => {
    const start = 30 * DAY - 3 * HOUR - (30 * days - 1 - index) * (DAY / 30)
    return lifeFrom(start, over(start))
  })

const { plan, policy, needs, prices, now } = adviseInput()

const defaultsInput = (over: Partial<DefaultsInput> = {}): DefaultsInput => ({
  ref: { account: 'main', projectId: 'project-one' },
  project: project(),
  atOnce: 2,
  lives: livesOf(7),
  plan,
  policy,
  needs,
  prices,
  previous: [],
  now,
  ...over,
})

const proposed = (over: Partial<DefaultsInput> = {}): Proposal => {
  const result = adviseDefaults(defaultsInput(over))
  if (!('ref' in result)) throw new Error(`withheld: ${result.because}`)
  return result
}

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
      detail: { kind: 'defaults', lives: 210, atOnce: 2 },
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

/** Awake for 60 s after each client. */
const shorter = (start: number): Partial<ComputeLife> => ({
  settings: lifeFrom(start).settings.map((one) => ({ ...one, delay: seconds(60) })),
  intervals: [start, start + 1800].map((from) => ({
    ...lifeFrom(start).intervals[0]!,
    interval: awakeInterval(from, from + 60),
    cuTime: { 106_000: eachBound(() => cuMillis(60_000)) },
    idleTail: millis(60_000),
  })),
})

describe('the saving that came', () => {
  const implemented = recommendation({
    id: 'project-one.defaults.1',
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    from: { delay: seconds(300) },
    to: { delay: seconds(60) },
    life: { state: 'implemented', at: at(2 * DAY), realised: undefined },
  })
  const after = (over: Partial<DefaultsInput> = {}) =>
    defaultsInput({
      project: project({ defaultAutosuspendDelay: seconds(60) }),
      lives: livesOf(27, shorter),
      now: at(31 * DAY),
      ...over,
    })

  test('is the old delay replayed over the lives since', () => {
    const realised = realisedDefaults(implemented, after())
    // 27 of the 28 days had 30 lives
    expect((realised?.likely ?? 0) / 1e6).toBeCloseTo((27 * 30 * 480 * 0.106 * (30 / 28)) / 3600, 0)
  })

  test.each<[string, DefaultsInput]>([
    ['before the follow-up ends', after({ now: at(29 * DAY) })],
    ['where somebody set another default', after({ project: project() })],
    ['without a life since', after({ lives: [] })],
    ['where lives had another default meanwhile', after({ lives: livesOf(27) })],
  ])('is not known %s', (_, input) => {
    expect(realisedDefaults(implemented, input)).toBeUndefined()
  })
})

describe('what a change of the default saved', () => {
  const change = changeOf({
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    before: { autosuspendDelay: seconds(300) },
    desired: { autosuspendDelay: seconds(60) },
    state: { at: 'done', because: 'verified', endedAt: at(2 * DAY), sent: { at: at(2 * DAY), sessions: 0 } },
  })
  const countedAt = (day: number, parts: readonly SavedPart[], lives = livesOf(27, shorter)) =>
    savedByDefaults(
      // lives are known once they have ended
      defaultsInput({
        lives: lives.filter(({ deletedAt }) => deletedAt < at(day * DAY)),
        now: at(day * DAY),
      }),
      { changes: [change], parts, team: 'shop' },
    )

  test('is counted once of each life that ended since: 810 lives, 480 s, 1 CU', () => {
    const first = countedAt(10, [])
    expect(first).toMatchObject([{ team: 'shop', from: at(2 * DAY), to: at(10 * DAY - HOUR), extra: 0 }])
    const second = countedAt(31, first)
    expect(second).toMatchObject([{ from: at(10 * DAY - HOUR), to: at(30 * DAY) }])
    const saved = [...first, ...second].reduce((sum, part) => sum + part.saved, 0)
    expect(Math.abs(saved - (810 * 480 * 106_000) / HOUR)).toBeLessThanOrEqual(2)
    expect(countedAt(40, [...first, ...second])).toEqual([])
  })

  test('is nothing of lives that had another default', () => {
    expect(countedAt(31, [], livesOf(27))).toMatchObject([{ saved: 0, extra: 0 }])
  })
})
