// Recommendations of the demo's daemon: who follows one, what the screen and the summary say.
import { recommendationSummary, stateText } from '../../outputs/text/recommendation-text.ts'
import { WITHHELD_TEXTS } from '../../outputs/text/withheld-text.ts'
import type { RecommendationJson, RecommendationsJson } from '../../outputs/text/recommendation-schema.ts'
import { readJson } from '../connect/daemon.ts'
import { fieldOf } from '../../std/field.ts'

/** Undefined if the daemon does not answer. */
export async function readRecommendations(apiUrl: string): Promise<RecommendationsJson | undefined> {
  const answer = await readJson({ url: apiUrl }, '/api/v1/recommendations', { isExpected })
  return answer.ok ? answer.value : undefined
}

const isExpected = (body: unknown): body is RecommendationsJson =>
  Array.isArray(fieldOf(body, 'recommendations'))

/** Lines of the open recommendations by id, in the order of the API: the largest saving first. */
export const recommendedLines = ({
  recommendations,
  currency,
}: RecommendationsJson): readonly (readonly [id: string, line: string])[] =>
  recommendations
    .filter(({ state }) => state === 'open')
    .map((one) => [
      one.id,
      `${one.opened_at.slice(11, 19)} recommended for ${nameOf(one)}: ${recommendationSummary(one, currency)}`,
    ])

const nameOf = ({ project_name, project_id }: Pick<RecommendationJson, 'project_name' | 'project_id'>) =>
  project_name ?? project_id

/** By project: what was recommended, and what became of it; or why no delay is. */
export function recommendedOf({ recommendations, withheld, currency }: RecommendationsJson) {
  const made = recommendations.map((one) => ({
    name: nameOf(one),
    kind: one.kind,
    state: one.state,
    text: `${recommendationSummary(one, currency)}${endText(one, currency)}`,
  }))
  const reasons = withheld
    .filter(({ kind }) => kind === 'delay')
    .map((one) => ({
      name: nameOf(one),
      kind: one.kind,
      state: 'withheld' as const,
      text: `no other delay: ${WITHHELD_TEXTS[one.because]}${one.until === null ? '' : `; answer about ${one.until.slice(0, 16).replace('T', ' ')}`}`,
    }))
  return [...made, ...reasons]
}

const endText = (one: RecommendationJson, currency: string) =>
  one.state === 'open' ? '' : `; ${stateText(one, currency)}`
