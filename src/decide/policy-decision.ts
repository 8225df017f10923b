// What became of the recommendations and steps of one compute or project, for people.
import type { DecidedTarget, NotMadeBecause, PolicyDecision } from '../model/output/policy-decision.ts'
import type { ChangePolicy } from '../model/policy/change-policy.ts'
import { stepKey, type SettingStep } from './steps.ts'

type Decided = Pick<DecidedTarget, 'advice'> &
  Readonly<{
    steps: readonly Pick<SettingStep, 'origin' | 'ref'>[]
    /** By the id of a recommendation or the key of a step; absent where a change was made of it. */
    reasons: ReadonlyMap<string, NotMadeBecause>
  }>

export const policyDecision = (
  policy: ChangePolicy,
  { advice, steps, reasons }: Decided,
): PolicyDecision => ({
  policy,
  held: advice.flatMap(({ id }) => {
    const because = reasons.get(id)
    return because ? [{ id, because }] : []
  }),
  steps: steps.flatMap((step) => {
    const because = reasons.get(stepKey(step))
    return because ? [{ origin: step.origin, because }] : []
  }),
})
