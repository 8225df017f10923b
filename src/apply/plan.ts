// What a person asks for, checked and compared with the compute: the settings that differ, and the request that sets them.
import {
  restartsCompute,
  type Change,
  type ChangeKind,
  type ChangeMoment,
  type ChangeSettings,
} from '../model/policy/change.ts'
import { requestOfChange, type ChangeRequest } from '../model/service/change-request.ts'
import { DEFAULT_AUTOSUSPEND_DELAY, type Project, type ProjectRef } from '../model/service/compute.ts'
import { seconds } from '../model/units.ts'
import { ok, type Result } from '../std/result.ts'
import {
  defaultsProblem,
  problem,
  settingsOf,
  type ChangeAsk,
  type PlanProblem,
  type PlanTarget,
} from './asked-settings.ts'
import {
  hasSettings,
  provisionerProblem,
  settingsLike,
  type Compared,
  type ComparedDefaults,
} from './settings.ts'

export type ChangePlan = Pick<
  Change,
  'ref' | 'kind' | 'desired' | 'before' | 'hadDefaultDelay' | 'when' | 'planHash'
> &
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
  const isOfDelay = desired.autosuspendDelay !== undefined
  return ok({
    ...hashed,
    ...(isOfDelay && target.compute.autosuspendDelay === undefined && { hadDefaultDelay: true }),
    planHash: digest(JSON.stringify(hashed)),
    restarts: restartsCompute(kind),
  })
}

/** A project whose defaults are to change. */
export type DefaultsTarget = Pick<PlanTarget, 'limits' | 'preset'> &
  Readonly<{ ref: ProjectRef; project: Project }>

export const comparedDefaultsOf = ({ project }: Pick<DefaultsTarget, 'project'>): ComparedDefaults => ({
  defaultDelay: project.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
  defaultSizing: project.defaultSizing,
})

/** @param digest as of `planChange` */
export function planDefaults(
  target: DefaultsTarget,
  { settings, when }: Readonly<{ settings: ChangeSettings; when: ChangeMoment }>,
  digest: (text: string) => string,
): Result<ChangePlan, PlanProblem> {
  const { ref, project } = target
  if (project.hasDefaults === false)
    return problem(
      'project',
      `expected one with default_endpoint_settings: the service shows none of ${ref.projectId}, so they cannot be changed`,
      { isConflict: true },
    )
  const refused = defaultsProblem(target, settings)
  if (refused) return refused
  const compared = comparedDefaultsOf(target)
  if (settings.sizing && !compared.defaultSizing)
    return problem(
      'project',
      `the service shows no default size of ${ref.projectId}, so it cannot be changed`,
      { isConflict: true },
    )
  const desired = differing(compared, settings)
  if (Object.keys(desired).length === 0)
    return problem('', 'nothing to change: the project has these defaults already', { isConflict: true })
  const before = settingsLike(desired, compared)
  const hashed = {
    ref,
    kind: 'defaults',
    before,
    desired,
    when,
    request: requestOfChange(ref, desired),
  } as const
  return ok({ ...hashed, planHash: digest(JSON.stringify(hashed)), restarts: false })
}

/** The change that takes another one back. */
export function planRevert(
  { ref, kind, before: earlier, hadDefaultDelay, desired: before }: Change,
  when: ChangeMoment,
  digest: (text: string) => string,
): ChangePlan {
  const desired = hadDefaultDelay ? { ...earlier, autosuspendDelay: seconds(0) } : earlier
  const hashed = { ref, kind, before, desired, when, request: requestOfChange(ref, desired) }
  return { ...hashed, planHash: digest(JSON.stringify(hashed)), restarts: restartsCompute(kind) }
}

/** Whether an approval of a plan that was made earlier still approves the same. */
export const isSamePlan = (plan: Pick<ChangePlan, 'planHash'>, hash: string): boolean =>
  plan.planHash === hash

/** Only the settings whose effect is another than now. */
function differing(target: Compared, { sizing, autosuspendDelay }: ChangeSettings): ChangeSettings {
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
