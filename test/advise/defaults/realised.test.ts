import { describe, expect, test } from 'vitest'
import type { ComputeLife, DefaultsInput } from '../../../src/advise/defaults/input.ts'
import { realisedDefaults, savedByDefaults } from '../../../src/advise/defaults/realised.ts'
import type { SavedPart } from '../../../src/model/policy/saved.ts'
import { seconds } from '../../../src/model/units.ts'
import { at, project } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { recommendation } from '../../support/recommendations.ts'
import { fixed, range } from '../sizing/build.ts'
import { DAY, defaultsInput, HOUR, livesOf, sized } from './build.ts'

/** Awake for 60 s after each client. */
const shorter = sized({ sizing: fixed(1), awake: 60, size: 1 })

const after = (over: Partial<DefaultsInput> = {}) =>
  defaultsInput({
    project: project({ defaultAutosuspendDelay: seconds(60) }),
    lives: livesOf(27, shorter),
    now: at(31 * DAY),
    ...over,
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

/** Awake for 60 s after each client, at a quarter of a CU in a range. */
const changed = sized({ sizing: range(0.25, 2), awake: 60, size: 0.25 })

describe('what delay and range saved together', () => {
  const from = { delay: seconds(300), sizing: fixed(2) }
  const to = { delay: seconds(60), sizing: range(0.25, 2) }
  const standing = project({ defaultAutosuspendDelay: seconds(60), defaultSizing: range(0.25, 2) })
  const implemented = recommendation({
    id: 'project-one.defaults.1',
    ref: { account: 'main', projectId: 'project-one' },
    kind: 'defaults',
    from,
    to,
    life: { state: 'implemented', at: at(2 * DAY), realised: undefined },
  })
  const input = (over: Partial<DefaultsInput> = {}) =>
    defaultsInput({ project: standing, lives: livesOf(27, changed), now: at(31 * DAY), ...over })
  /** CU-seconds of one life: 480 s less at 2 CU, and 120 s at 0.25 in place of 2 CU. */
  const SAVED = 480 * 2 + 120 * 1.75

  test('is the old delay at the old size, and the old size in the time that came', () => {
    const realised = realisedDefaults(implemented, input())
    expect((realised?.likely ?? 0) / 1e6).toBeCloseTo((27 * 30 * SAVED * 0.106 * (30 / 28)) / 3600, 0)
  })

  test('is of the size alone where only that was recommended', () => {
    const alone = { ...implemented, from: { sizing: from.sizing }, to: { sizing: to.sizing } }
    const realised = realisedDefaults(alone, input())
    expect((realised?.likely ?? 0) / 1e6).toBeCloseTo((27 * 30 * 120 * 1.75 * 0.106 * (30 / 28)) / 3600, 0)
  })

  test('is not known where somebody set another default size', () => {
    const other = { ...standing, defaultSizing: fixed(2) }
    expect(realisedDefaults(implemented, input({ project: other }))).toBeUndefined()
  })

  test('is counted of the lives of a change: 810 of them, of which those with a size of their own have the delay alone', () => {
    const change = changeOf({
      ref: { account: 'main', projectId: 'project-one' },
      kind: 'defaults',
      before: { autosuspendDelay: from.delay, sizing: from.sizing },
      desired: { autosuspendDelay: to.delay, sizing: to.sizing },
      state: {
        at: 'done',
        because: 'verified',
        endedAt: at(2 * DAY),
        sent: { at: at(2 * DAY), sessions: 0 },
      },
    })
    const countedOf = (lives: readonly ComputeLife[]) =>
      savedByDefaults(input({ lives }), { changes: [change], parts: [], team: '' })[0]?.saved
    const perCuSecond = 106_000 / HOUR
    expect((countedOf(livesOf(27, changed)) ?? 0) / (810 * SAVED * perCuSecond)).toBeCloseTo(1, 3)
    const own = livesOf(27, sized({ sizing: fixed(1), awake: 60, size: 1 }))
    expect((countedOf(own) ?? 0) / (810 * 480 * perCuSecond)).toBeCloseTo(1, 3)
  })
})
