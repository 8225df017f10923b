// What a policy decided about the open recommendations of a compute or project.
import type { StepOrigin } from '../policy/step-origin.ts'
import type { ChangePolicy } from '../policy/change-policy.ts'
import { selectorTargetOf, type SelectorTarget } from '../policy/selector.ts'
import type { ComputeView, OpenRecommendation } from './snapshot.ts'

export type NotMadeBecause =
  /** The mode is not `approve` or `apply`. */
  | 'mode'
  /** The policy does not have the lever. */
  | 'lever'
  /** No change of settings implements the recommendation, or only a person may restart. */
  | 'kind'
  | 'open-change'
  /** A change was made of the recommendation before: only a person repeats it. */
  | 'made-before'
  /** The setting was reverted on this compute, and is barred for a while. */
  | 'barred'
  /** A person set another value on this compute less than a day ago. */
  | 'person'
  /** The savings of its kind did not come: a person gives the kind back. */
  | 'demoted'
  /** Another controller keeps setting the compute: a person gives it back. */
  | 'controller'
  /** Too many computes of the account were to be restarted at once: a person decides. */
  | 'fleet-brake'
  /** A budget set another value on this compute, and puts it back after its period. */
  | 'budget'
  /** A schedule set another delay on this compute, and puts it back when its window closes. */
  | 'schedule'

/** A compute or project, with its open recommendations. */
export type DecidedTarget = Readonly<{ target: SelectorTarget; advice: readonly OpenRecommendation[] }>

export const decidedCompute = ({ identity, advice = [] }: ComputeView): DecidedTarget => ({
  target: selectorTargetOf(identity.ref.account, identity.compute, identity.project),
  advice,
})

/** Decision about one compute or project after the last pass. */
export type PolicyDecision = Readonly<{
  policy: ChangePolicy
  /** Recommendations of which no change was made. */
  held: readonly Readonly<{ id: string; because: NotMadeBecause }>[]
  /** Steps of budgets and schedules of which no change was made. */
  steps: readonly Readonly<{ origin: StepOrigin; because: NotMadeBecause }>[]
}>
