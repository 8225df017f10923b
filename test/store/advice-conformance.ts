// What every driver must do with recommendations and with what they rest on.
import { expect, test } from 'vitest'
import type { ComputeAdvice, Life } from '../../src/model/policy/recommendation.ts'
import type { History } from '../../src/model/ports/history.ts'
import type { Store } from '../../src/model/ports/store.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { put, type Rows } from '../support/writes.ts'
import { ALWAYS, collected, computeOf, gapAt, recommendationOf, refOf, settingAt } from './build.ts'
import type { Driver } from './conformance.ts'

const [one, two] = [refOf('ep-one'), refOf('ep-two')]
const NOBODY = [refOf('ep-nobody'), { ...one, account: 'other' }]

const adviceOf = (ref: ComputeAdvice['ref'], evaluatedAt: number): ComputeAdvice => ({
  ref,
  evaluatedAt: at(evaluatedAt),
  withheld: [{ kind: 'delay', because: 'not-followed', have: 1, needs: 3, until: at(86_400) }],
  made: { delay: 2 },
})

export function adviceContract(driver: () => Driver): void {
  const stored = async (part: Partial<Rows>): Promise<Store & History> => {
    const { store } = driver()
    await put(store, { computes: [computeOf('ep-one'), computeOf('ep-two')], ...part })
    return store
  }

  test('gives gaps back by compute and time, each once, also after a reopening', async () => {
    const gaps = [gapAt(one, 0), gapAt(one, 700, { hiddenBelow: seconds(300) }), gapAt(two, 0)]
    const store = await stored({ gaps: gaps.toReversed() })
    await put(store, { gaps })
    expect(await collected(store.gaps('main', ALWAYS))).toEqual(gaps)
    expect(await collected(store.gaps('main', { ...ALWAYS, computes: [two, ...NOBODY] }))).toEqual([gaps[2]])
    expect(await collected((await driver().reopen()).gaps('main', ALWAYS))).toEqual(gaps)
  })

  test('a gap written again replaces the one from the same instant', async () => {
    const store = await stored({ gaps: [gapAt(one, 0)] })
    const later = gapAt(one, 0, { high: seconds(700) })
    await put(store, { gaps: [later] })
    expect(await collected(store.gaps('main', ALWAYS))).toEqual([later])
  })

  test.each([
    ['one that begins before its end', [0, 100], [0]],
    ['one that may reach into it', [629, 700], [0]],
    ['none that ended before', [630, 700], []],
    ['none from its end on', [630, 1000], []],
    ['both', [629, 1001], [0, 1000]],
  ])('of a span it gives %s', async (_, [from = 0, to = 0], starts) => {
    const store = await stored({ gaps: [gapAt(one, 0), gapAt(one, 1000)] })
    const gaps = await collected(store.gaps('main', { from: at(from), to: at(to) }))
    expect(gaps).toEqual(starts.map((start) => gapAt(one, start)))
  })

  test('gives more gaps than fit a page', async () => {
    const gaps = Array.from({ length: 1201 }, (_, index) => gapAt(one, index * 1000))
    const store = await stored({ gaps: [...gaps, gapAt(two, 0)] })
    expect(await collected(store.gaps('main', ALWAYS))).toHaveLength(1202)
  })

  test('gives the settings of a span, and the one in force when it begins', async () => {
    const settings = [
      settingAt(one, 0, 'never'),
      { ...settingAt(one, 100.5, seconds(300)), sizing: { fixed: cu(2) } },
      settingAt(one, 200, seconds(60)),
      settingAt(two, 50, 'never'),
    ]
    const store = await stored({ settings: settings.toReversed() })
    await put(store, { settings })
    expect(await collected(store.settings('main', ALWAYS))).toEqual(settings)
    const since = async (from: number, to: number): Promise<unknown> =>
      await collected(store.settings('main', { from: at(from), to: at(to), computes: [one] }))
    expect(await since(99, 100)).toEqual([settings[0]])
    expect(await since(150, 201)).toEqual([settings[1], settings[2]])
    expect(await since(200, 300)).toEqual([settings[2]])
    expect(await since(-10, 0)).toEqual([])
  })

  test('gives recommendations by state and end, with the last word of each', async () => {
    const lives: readonly Life[] = [
      { state: 'superseded', at: at(100), by: 'ep-one.delay.2' },
      { state: 'implemented', at: at(200), realised: undefined },
      { state: 'withdrawn', at: at(300), because: 'changed' },
      { state: 'dismissed', at: at(100), until: at(400), reason: 'a trial', by: 'ops' },
      { state: 'dismissed', at: at(100), until: undefined, reason: 'on purpose', by: 'ops' },
      { state: 'open' },
    ]
    const recommendations = lives.map((life, index) => recommendationOf(one, index + 1, life))
    const opened = recommendations.map((recommendation) => ({
      ...recommendation,
      life: { state: 'open' } as const,
    }))
    const store = await stored({ recommendations: [recommendationOf(two, 1), ...opened] })
    await put(store, { recommendations: recommendations.toReversed() })
    const ids = async (query: Parameters<History['recommendations']>[1]): Promise<readonly string[]> =>
      (await collected(store.recommendations('main', query))).map(({ id }) => id)
    expect(await collected(store.recommendations('main', { targets: [one, ...NOBODY] }))).toEqual(
      recommendations,
    )
    expect(await ids({ states: ['open'] })).toEqual(['ep-one.delay.6', 'ep-two.delay.1'])
    expect(await ids({ states: ['open'], targets: [two] })).toEqual(['ep-two.delay.1'])
    expect(await ids({ states: [] })).toEqual([])
    expect(await ids({ since: at(300), targets: [one] })).toEqual(
      [3, 4, 5, 6].map((n) => `ep-one.delay.${n}`),
    )
    expect(await ids({ since: at(401), states: ['dismissed'] })).toEqual(['ep-one.delay.5'])
  })

  test('has the last evaluation of each compute', async () => {
    const store = await stored({ advice: [adviceOf(two, 1), adviceOf(one, 1)] })
    await put(store, { advice: [adviceOf(one, 2)] })
    expect(await collected(store.advice('main', {}))).toEqual([adviceOf(one, 2), adviceOf(two, 1)])
    expect(await collected(store.advice('main', { targets: [two, ...NOBODY] }))).toEqual([adviceOf(two, 1)])
  })

  test('refuses any of them of a compute without an entry', async () => {
    const { store } = driver()
    await expect(put(store, { gaps: [gapAt(one, 0)] })).rejects.toThrow(/no entry is stored/)
    await expect(put(store, { settings: [settingAt(one, 0, 'never')] })).rejects.toThrow(/no entry/)
    await expect(put(store, { recommendations: [recommendationOf(one, 1)] })).rejects.toThrow(/no entry/)
  })

  test('keeps what is said of the defaults of a project apart from its computes, also after a reopening', async () => {
    const project = { account: 'main', projectId: one.projectId }
    const ofProject = {
      ...recommendationOf(one, 1),
      ref: project,
      id: 'project-one.defaults.1',
      kind: 'defaults' as const,
    }
    const advice = [adviceOf(project, 3), adviceOf(one, 2)]
    await stored({ recommendations: [recommendationOf(one, 1), ofProject], advice })
    const store = await driver().reopen()
    expect(await collected(store.recommendations('main', { targets: [project] }))).toEqual([ofProject])
    expect(await collected(store.recommendations('main', { targets: [one] }))).toEqual([
      recommendationOf(one, 1),
    ])
    expect(await collected(store.recommendations('main', {}))).toEqual([ofProject, recommendationOf(one, 1)])
    expect(await collected(store.advice('main', {}))).toEqual(advice)
    expect([...(await store.account('main').load()).computes.keys()]).toHaveLength(2)
  })
}
