// Changes that a policy made of a recommendation: which of them end before they are sent, which wait for a person, and which make way for a step.
import { isUnderJudgement, takesBack, type Change, type ChangeState } from '../model/policy/change.ts'
import type { ChangePolicy } from '../model/policy/change-policy.ts'
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

/**
 * Whether a person is asked before it is sent, although nobody was to be when it was made: a reload took the mode `apply` from its policy. What
 * takes a change back is proposed in every other mode; all else in `approve`, with the lever.
 */
export function asksNow(change: Change, { mode, levers }: Pick<ChangePolicy, 'mode' | 'levers'>): boolean {
  const { when, state, kind } = change
  if (when !== 'policy' || state.at !== 'scheduled' || state.approvedBy !== undefined) return false
  if (takesBack(change)) return mode !== 'apply'
  return mode === 'approve' && levers.some((lever) => lever === kind)
}

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
