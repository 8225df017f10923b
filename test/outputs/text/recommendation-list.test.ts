import { expect, test } from 'vitest'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import { withheldJson } from '../../../src/outputs/text/recommendation-json.ts'
import { recommendationListLines } from '../../../src/outputs/text/recommendation-list.ts'
import { withheldSchema, type RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { at } from '../../support/build.ts'
import { decodedRecommendation, recommendation, withheld } from '../../support/recommendations.ts'

const NOTHING: RecommendationsJson = {
  schema_version: 2,
  account: 'main',
  currency: 'USD',
  saving_micros_per_30_days: { low: 0, likely: 0, high: 0 },
  recommendations: [],
  withheld: [],
}

test.each([
  [{}, 'no open recommendations; no compute was evaluated so far'],
  [{ compute: 'shop' }, 'no open recommendations; shop was not evaluated so far'],
  // what was asked for leaves out reasons, so that an empty list says nothing about them
  [{ state: 'open' }, 'no open recommendations'],
  // nor about open ones, which there may be
  [{ compute: 'shop', state: 'dismissed' }, 'no dismissed recommendations'],
  [{ state: 'withheld' }, 'nothing is withheld'],
])(
  'a list without entries, of %j, says what there is none of, and whether computes were evaluated',
  (asked, told) => {
    expect(recommendationListLines(NOTHING, asked)).toEqual([`account main: ${told}`])
  },
)

test.each([
  [{ state: 'implemented', at: at(0), realised: undefined }, '1 implemented recommendation'],
  [
    { state: 'dismissed', at: at(0), until: undefined, reason: 'demo next week', by: 'ann' },
    '1 dismissed recommendation',
  ],
] satisfies readonly (readonly [Recommendation['life'], string])[])(
  'a list that is limited to %j says nothing of open ones, which it leaves out',
  (life, told) => {
    const ended = { ...NOTHING, recommendations: [decodedRecommendation({ life })] }
    expect(recommendationListLines(ended, { state: life.state })[0]).toBe(`account main: ${told}`)
  },
)

test('a list of what is withheld says nothing of open ones, which it leaves out', () => {
  const names = { projectName: 'one', computeName: undefined, alwaysOn: undefined }
  const short = withheldSchema.parse(withheldJson(recommendation().ref, withheld(), names))
  const lines = recommendationListLines({ ...NOTHING, withheld: [short] }, { state: 'withheld' })
  expect(lines.slice(0, 3)).toEqual(['account main: what is withheld, and why', '', 'not recommended:'])
})
