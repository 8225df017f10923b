import type { Advice, Proposal, RecommendationKind, Withheld } from '../model/policy/recommendation.ts'
import { adviseAwakeForNothing } from './awake-for-nothing.ts'
import { adviseDelay } from './delay/advise-delay.ts'
import type { AdviseInput } from './input.ts'
import { advisePooler } from './pooler.ts'
import { withhold } from './propose.ts'
import { adviseRefresh } from './refresh.ts'
import { adviseSizing } from './sizing/advise-sizing.ts'
import { adviseUnused } from './unused.ts'

/** @param others proposals of this evaluation so far */
type Adviser = (input: AdviseInput, others: readonly Proposal[]) => Proposal | Withheld

/** By kind, in the order in which they are asked: a refresh rides along with another change. */
const ADVISERS: Readonly<Record<RecommendationKind, Adviser>> = {
  delay: adviseDelay,
  sizing: adviseSizing,
  'awake-for-nothing': adviseAwakeForNothing,
  pooler: advisePooler,
  unused: adviseUnused,
  refresh: adviseRefresh,
}

/** For each kind a proposal, or the reason why there is none. */
export function advise(input: AdviseInput): Advice {
  const { kinds } = input.policy
  const proposals: Proposal[] = []
  const withheld: Withheld[] = []
  for (const [kind, adviseKind] of Object.entries(ADVISERS) as [RecommendationKind, Adviser][]) {
    const result = kinds.includes(kind) ? adviseKind(input, proposals) : withhold(kind, 'policy')
    if ('ref' in result) proposals.push(result)
    else withheld.push(result)
  }
  return { proposals, withheld }
}
