// What a person asks for, checked and compared with the compute: the settings that differ, and the request that sets them.
import type { Change, ChangeKind, ChangeMoment, ChangeSettings } from '../model/policy/change.ts'
import { requestOfChange, type ChangeRequest } from '../model/service/change-request.ts'
import { ok, type Result } from '../std/result.ts'
import { problem, settingsOf, type ChangeAsk, type PlanProblem, type PlanTarget } from './asked-settings.ts'
import { hasSettings, provisionerProblem, settingsLike } from './settings.ts'

export type ChangePlan = Pick<Change, 'ref' | 'kind' | 'desired' | 'before' | 'when' | 'planHash'> &
  Readonly<{
    /** Whether the service restarts the compute for it. */
    restarts: boolean
    request: ChangeRequest
  }>

/** @param digest of a text, in a form that suits a hash */
export function planChange(
  target: PlanTarget,
  ask: ChangeAsk,
  digest: (text: string) => string,
): Result<ChangePlan, PlanProblem> {
  const settings = settingsOf(target, ask)
  if (!settings.ok) return settings
  const desired = differing(target, settings.value)
  const kind = kindOf(desired, ask)
  if (kind === undefined) return problem('', nothingToChange(ask), { isConflict: true })
  const unsupported = whyNever(target, kind, ask)
  if (unsupported) return unsupported
  const { ref } = target
  const before = settingsLike(desired, target)
  const request = requestOfChange(ref, desired)
  const hashed = { ref, kind, before, desired, when: ask.when, request }
  return ok({ ...hashed, planHash: digest(JSON.stringify(hashed)), restarts: kind !== 'delay' })
}

/** The change that takes another one back. */
export function planRevert(
  { ref, kind, before: desired, desired: before }: Change,
  when: ChangeMoment,
  digest: (text: string) => string,
): ChangePlan {
  const hashed = { ref, kind, before, desired, when, request: requestOfChange(ref, desired) }
  return { ...hashed, planHash: digest(JSON.stringify(hashed)), restarts: kind !== 'delay' }
}

/** Whether an approval of a plan that was made earlier still approves the same. */
export const isSamePlan = (plan: Pick<ChangePlan, 'planHash'>, hash: string): boolean =>
  plan.planHash === hash

/** Only the settings whose effect is another than now. */
function differing(target: PlanTarget, { sizing, autosuspendDelay }: ChangeSettings): ChangeSettings {
  const keepsSize = !sizing || hasSettings(target, { sizing })
  const keepsDelay = autosuspendDelay === undefined || hasSettings(target, { autosuspendDelay })
  return { ...(!keepsSize && { sizing }), ...(!keepsDelay && { autosuspendDelay }) }
}

function kindOf(
  { sizing, autosuspendDelay }: ChangeSettings,
  { restart }: ChangeAsk,
): ChangeKind | undefined {
  if (restart) return 'restart'
  if (sizing) return 'sizing'
  return autosuspendDelay === undefined ? undefined : 'delay'
}

const nothingToChange = ({ size, delay }: ChangeAsk) =>
  `nothing to change: the compute has this ${size ? 'size' : ''}${size && delay !== undefined ? ' and ' : ''}${
    delay === undefined ? '' : 'delay'
  } already`

function whyNever({ compute, defaultDelay }: PlanTarget, kind: ChangeKind, { when }: ChangeAsk) {
  const unknown = provisionerProblem(compute)
  if (unknown !== undefined) return problem('compute', unknown, { isConflict: true })
  const delay = compute.autosuspendDelay ?? defaultDelay
  if (kind === 'restart' && when === 'idle' && delay === 'never')
    return problem(
      'when',
      'expected now: autosuspend is off, so that no suspension comes by itself; now interrupts the sessions of the compute',
      { isConflict: true },
    )
  return undefined
}
