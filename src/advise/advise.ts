import type { Advice, Proposal, RecommendationKind, Withheld } from '../model/policy/recommendation.ts'
import { adviseDelay } from './delay/advise-delay.ts'
import type { AdviseInput } from './input.ts'

type Adviser = (input: AdviseInput) => Proposal | Withheld

/** Advisers by kind. */
const ADVISERS: Readonly<Partial<Record<RecommendationKind, Adviser>>> = { delay: adviseDelay }

/** For each kind a proposal, or the reason why there is none. */
export function advise(input: AdviseInput): Advice {
  const results = Object.entries(ADVISERS).map(([, adviseKind]) => adviseKind(input))
  return {
    proposals: results.filter((result) => 'ref' in result),
    withheld: results.filter((result) => 'because' in result),
  }
}
