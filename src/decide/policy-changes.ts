// Changes that a policy made of a recommendation: which of them end before they are sent, and which make way for a step.
import { isUnderJudgement, type Change, type ChangeState } from '../model/policy/change.ts'
import type { Recommendation } from '../model/policy/recommendation.ts'
import { largestCu } from '../model/service/compute.ts'

/** Neither sent nor approved by a person. */
const isUndecided = (state: ChangeState): boolean =>
  state.at === 'proposed' || (state.at === 'scheduled' && state.approvedBy === undefined)

/** Whether a step of a budget or schedule takes its place: its effect is judged, or it was not sent. */
export const makesWay = ({ origin, state }: Change): boolean =>
  origin.by === 'policy' && (isUndecided(state) || isUnderJudgement(state))

/** Whether it allows more CU, and nobody approved it: a person decides while a budget of the compute is nearly spent. */
export const costsMore = ({ origin, state, before, desired }: Change): boolean =>
  origin.by === 'policy' &&
  state.at === 'scheduled' &&
  state.approvedBy === undefined &&
  before.sizing !== undefined &&
  desired.sizing !== undefined &&
  largestCu(desired.sizing) > largestCu(before.sizing)

/** Id of the recommendation that it waits for; undefined where it rests on none. One that sets a value again rests on an earlier change. */
export const waitsForRecommendation = ({ origin, state }: Change): string | undefined =>
  origin.by === 'policy' && origin.reapplies === undefined && isUndecided(state) ? origin.id : undefined

/** Why a change that was made of the recommendation is not sent; undefined where the recommendation still stands. */
export function unwantedBecause({ id, life }: Pick<Recommendation, 'id' | 'life'>): string | undefined {
  switch (life.state) {
    case 'withdrawn':
      return `recommendation ${id} was withdrawn`
    case 'dismissed':
      return `${life.by} dismissed recommendation ${id}`
    case 'superseded':
      return `recommendation ${life.by} took the place of ${id}`
    case 'open':
    case 'implemented':
      return undefined
  }
}
