// One evaluation of a compute that has autosuspend off, and what becomes of its recommendations.
import { advanceLife, lifeSubjectOf } from '../../src/advise/life.ts'
import type { AdviseInput } from '../../src/advise/input.ts'
import type {
  Alternative,
  ComputeAdvice,
  Proposal,
  Recommendation,
  Withheld,
} from '../../src/model/policy/recommendation.ts'
import type { AutosuspendDelay, Sizing } from '../../src/model/service/compute.ts'
import { cu, micros, seconds } from '../../src/model/units.ts'
import { adviseInput, adviseRef } from '../support/advise-input.ts'
import { at } from '../support/build.ts'
import { amounts, recommendation, sizingRecommendation } from '../support/recommendations.ts'

export const DAY = 86_400
export const start = at(0)

const proposalOf = ({
  id: _id,
  hash: _hash,
  openedAt: _opened,
  confirmedAt: _confirmed,
  life: _life,
  ...proposal
}: Recommendation): Proposal => proposal

/** Autosuspend off → 300 s. */
export const proposal = (over: Partial<Proposal> = {}): Proposal => ({
  ...proposalOf(recommendation()),
  ...over,
})
export const sizing = (over: Partial<Proposal> = {}): Proposal => ({
  ...proposalOf(sizingRecommendation()),
  ...over,
})

export const open = (over: Partial<Recommendation> = {}): Recommendation =>
  recommendation({ hash: 'hash', openedAt: start, confirmedAt: start, ...over })

export const setting = (delay: AutosuspendDelay, size: Sizing = { fixed: cu(0.25) }) => [
  { ref: adviseRef, since: start, delay, sizing: size },
]

export type Evaluation = Readonly<{
  day?: number
  proposals?: readonly Proposal[]
  withheld?: readonly Withheld[]
  previous?: readonly Recommendation[]
  made?: ComputeAdvice['made']
  input?: Partial<AdviseInput>
}>

export const advance = ({ day = 1, proposals = [], previous = [], made, input, ...over }: Evaluation) =>
  advanceLife({
    advice: { proposals, withheld: over.withheld ?? [] },
    subject: lifeSubjectOf(adviseInput({ previous, now: at(day * DAY), ...input })),
    made: made ?? (previous.length === 0 ? {} : { delay: previous.length }),
    minSaving: micros(1_000_000),
    hash: (text) => `#${text}`,
  })

export const livesOf = (result: { recommendations: readonly Recommendation[] }) =>
  result.recommendations.map(({ id, life }) => [id, life])

// cost of a wake: 300 s × 0.25 CU × 0.106 = 0.0022; of a delay in 30 days: 19.08 − saving + 30 × wakes × that
export const delayAlternative = (delay: number, likely: number, wakes: number): Alternative => ({
  to: { delay: seconds(delay) },
  saving: amounts(likely - 1, likely, likely + 1),
  effect: { wakesPerDay: { before: 0, after: wakes }, sessionsCut: undefined, connections: undefined },
  because: 'dearer',
})
