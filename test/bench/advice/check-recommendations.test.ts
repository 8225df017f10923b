import { expect, test } from 'vitest'
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { Proposal } from '../../../src/model/policy/recommendation.ts'
import { seconds } from '../../../src/model/units.ts'
import { recommendationJson } from '../../../src/outputs/text/recommendation-json.ts'
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { delayInput } from '../../advise/delay/delay-input.ts'
import { seeded } from '../../simulation/seeded.ts'
import { adviseRef } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { recommendation, recommendationContext } from '../../support/recommendations.ts'
import { longTest } from '../../support/tiers.ts'
import { checkRecommendations } from './check-recommendations.ts'
import { recordedLives } from './lives.ts'
import { DAY, runAccount } from './run-account.ts'

const DAYS = 14

/** Gaps with bounds, of exponential length, until `at(0)`. */
function drawnGaps(seed: number, mean: number): readonly Gap[] {
  const random = seeded(seed)
  const gaps: Gap[] = []
  for (let from = -DAYS * DAY; ;) {
    const length = Math.round(60 - Math.log(1 - random.unit()) * mean)
    if (from + length > 0) return gaps
    const low = seconds(length - Math.round(30 * random.unit()))
    const high = seconds(length + Math.round(30 * random.unit()))
    gaps.push({ ref: adviseRef, from: at(from), low, high, hiddenBelow: seconds(0) })
    from += length + 60
  }
}

/** As the API answers: recommendations for random gaps, from three delays. */
const recommended = [200, 900, 7200].flatMap((mean) =>
  (['never', seconds(300), seconds(1800)] as const).flatMap((delay, index): readonly Proposal[] => {
    const record = { autosuspendDelay: delay, lastActive: at(-30) }
    const advice = adviseDelay(delayInput({ gaps: drawnGaps(mean + index, mean) }, record))
    return 'ref' in advice ? [advice] : []
  }),
)
const document = {
  recommendations: recommended.map((proposal) =>
    recommendationJson({ ...recommendation(), ...proposal }, recommendationContext()),
  ),
}

test('savings and wakes of delay recommendations follow from their grounds', () => {
  expect(recommended.length).toBeGreaterThanOrEqual(5)
  const { recommendations, settings, problems } = checkRecommendations(document)
  expect(problems).toEqual([])
  expect(recommendations).toBe(recommended.length)
  expect(settings).toBeGreaterThan(5 * recommended.length)
})

type DelayJson = RecommendationsJson['recommendations'][number]

test.each<readonly [string, (one: DelayJson) => DelayJson]>([
  ['2 % more saving', (one) => ({ ...one, saving_micros_per_30_days: scaled(one, 1.02) })],
  ['a wake more a day', (one) => ({ ...one, effect: { ...one.effect, wakes_per_day: wakesAfter(one, 1) } })],
  ['another price', (one) => ({ ...one, grounds: { ...one.grounds, price_micros_per_cu_hour: 104_000 } })],
  [
    'half of the gaps',
    (one) => ({ ...one, grounds: { ...one.grounds, gaps: everySecond(one.grounds.gaps) } }),
  ],
])('%s is noticed in each recommendation', (_, changed) => {
  for (const one of document.recommendations)
    expect(checkRecommendations({ recommendations: [changed(one)] }).problems).not.toEqual([])
})

const everySecond = <Item>(items: readonly Item[]): Item[] => items.filter((_, index) => index % 2 === 0)

const scaled = ({ saving_micros_per_30_days: { low, likely, high } }: DelayJson, factor: number) => ({
  low,
  likely: Math.round(likely * factor),
  high: Math.max(high, Math.round(likely * factor)),
})

const wakesAfter = ({ effect: { wakes_per_day: wakes } }: DelayJson, more: number) =>
  wakes && { ...wakes, after: wakes.after + more }

longTest('recommendations of computes that live by recorded activity follow from their grounds', async () => {
  const traces = new URL('../../data/traces', import.meta.url).pathname
  const days = 6
  const lives = recordedLives(traces, { count: 24, span: days * DAY })
    .toSorted((a, b) => b.active.length - a.active.length)
    .slice(0, 1)
  let last: RecommendationsJson | undefined
  await runAccount({
    lives,
    days,
    dayEnded: async (_, account) => {
      last = await account.recommendations()
    },
  })
  const checked = checkRecommendations(last ?? { recommendations: [] })
  expect(checked.recommendations).toBeGreaterThan(0)
  expect(checked.problems).toEqual([])
})
