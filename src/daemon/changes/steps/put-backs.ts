// The change that puts a step back, unless somebody else set the compute since.
import { planRevert } from '../../../apply/plan.ts'
import { LOOK_TAKES } from '../../../apply/foreign-changes.ts'
import { hasSettings } from '../../../apply/settings.ts'
import { wasSetByOthers } from '../../../decide/step-stack.ts'
import type { ComputeView } from '../../../model/output/snapshot.ts'
import { isEnded, sentAtOf, type Change } from '../../../model/policy/change.ts'
import { isStepOrigin } from '../../../model/policy/step-origin.ts'
import { after, type Instant } from '../../../model/units.ts'
import { digest } from '../../advice/evaluate.ts'
import { newChange, scheduledAt } from '../new-change.ts'
import { planTargetOf } from '../targets.ts'
import type { StepChange } from './step-memory.ts'
import { overText, targetOf, type StepSources } from './wanted-steps.ts'

/** Changes of a compute since a step that are looked through. */
const MANY = 200

export function createPutBacks({ config, runnerOf, journal, history, random }: StepSources) {
  /** Whether the value was another one since the step was sent: by a change that somebody asked for, or past Dormouse. */
  async function isForeign(step: StepChange, now: Instant): Promise<boolean> {
    const { ref, kind, state, createdAt } = step
    const interval = { from: sentAtOf(state) ?? createdAt, to: now, computes: [ref] }
    const settings = await Array.fromAsync(history.settings(ref.account, interval))
    const changes = await journal.changes(ref.account, { target: ref, since: createdAt, count: MANY })
    const later = changes.filter(
      (one) => one.kind === kind && one.createdAt > createdAt && sentAtOf(one.state) !== undefined,
    )
    const own = later.filter(({ origin }) => isStepOrigin(origin))
    return own.length < later.length || wasSetByOthers(step, own, settings)
  }

  /** Undefined where the value is another one now. @param value of before the step, by that step or one below it */
  return async (
    step: StepChange,
    value: Pick<Change, 'before' | 'hadDefaultDelay'>,
    view: ComputeView,
  ): Promise<StepChange | undefined> => {
    const runner = runnerOf(step.ref.account)
    const now = runner.now()
    const isOurs = hasSettings(planTargetOf(view, runner.limits()), step.desired)
    if (!isOurs || (await isForeign(step, now))) return undefined
    const { mode, restart } = config().policies.changesOf(targetOf(view))
    const { hadDefaultDelay: _, ...fields } = step
    const taken = {
      ...fields,
      before: value.before,
      ...(value.hadDefaultDelay && { hadDefaultDelay: true as const }),
    }
    return {
      ...newChange(planRevert(taken, 'policy', digest), { random, now, until: after(now, restart.maxWait) }),
      ref: step.ref,
      origin: { ...step.origin, of: step.id },
      reason: `puts back ${step.id}: ${overText(step.origin)}`,
      state: mode === 'apply' ? scheduledAt(now, undefined) : { at: 'proposed' },
    }
  }
}

/** Whether the view may show what was before the step. */
export const isSeenBefore = ({ state }: StepChange, view: ComputeView): boolean =>
  isEnded(state) && view.state.observedAt <= after(state.sent?.effectiveAt ?? state.endedAt, LOOK_TAKES)
