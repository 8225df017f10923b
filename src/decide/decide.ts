// Stage of the changes that nobody asks for: open recommendations and policies → changes to make, and a reason for each that is not made.
import type { ChangeKind } from '../model/policy/change.ts'
import type { ChangePolicy } from '../model/policy/change-policy.ts'
import type { RecommendationKind } from '../model/policy/recommendation.ts'

/** An open recommendation, and what is known about the changes of its compute. */
export type Candidate = Readonly<{
  id: string
  kind: RecommendationKind
  policy: ChangePolicy
  /** A change of the same kind of that compute is open. */
  hasOpenChange: boolean
  /** A change was made of this recommendation before, whatever became of it. */
  wasMade: boolean
}>

export type NotMadeBecause =
  /** The mode is not `approve` or `apply`. */
  | 'mode'
  /** The policy does not have the lever. */
  | 'lever'
  /** No change of settings implements the recommendation, or only a person may restart. */
  | 'kind'
  | 'open-change'
  /** It ended another way than done: only a person repeats it. */
  | 'made-before'

/** `changes` and `held` together are exactly the recommendations that were given. */
export type Decided = Readonly<{
  changes: readonly Readonly<{ id: string; state: 'proposed' | 'scheduled' }>[]
  held: readonly Readonly<{ id: string; because: NotMadeBecause }>[]
}>

export function decide(candidates: readonly Candidate[]): Decided {
  const changes: Decided['changes'][number][] = []
  const held: Decided['held'][number][] = []
  for (const candidate of candidates) {
    const { id, policy } = candidate
    const because = whyNotMade(candidate)
    if (because) held.push({ id, because })
    else changes.push({ id, state: policy.mode === 'apply' ? 'scheduled' : 'proposed' })
  }
  return { changes, held }
}

function whyNotMade({ kind, policy, hasOpenChange, wasMade }: Candidate): NotMadeBecause | undefined {
  if (!isLever(kind)) return 'kind'
  if (policy.mode !== 'approve' && policy.mode !== 'apply') return 'mode'
  if (!policy.levers.includes(kind)) return 'lever'
  if (hasOpenChange) return 'open-change'
  return wasMade ? 'made-before' : undefined
}

const isLever = (kind: RecommendationKind): kind is Extract<ChangeKind, 'delay' | 'sizing'> =>
  kind === 'delay' || kind === 'sizing'
