// What a policy decided about the open recommendations of a compute.
import type { ChangePolicy } from '../policy/change-policy.ts'

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
  /** Too many computes of the account were to be restarted at once: a person decides. */
  | 'fleet-brake'

/** Of one compute, as of the last pass. */
export type PolicyDecision = Readonly<{
  policy: ChangePolicy
  /** Recommendations of which no change was made. */
  held: readonly Readonly<{ id: string; because: NotMadeBecause }>[]
}>
