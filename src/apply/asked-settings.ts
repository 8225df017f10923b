// Settings that a person asks for, checked against sizes, service plan and limits of the service.
import type { ChangeMoment, ChangeSettings } from '../model/policy/change.ts'
import type { PlanLimits } from '../model/policy/plan-limits.ts'
import {
  largestCu,
  LONGEST_AUTOSUSPEND_DELAY,
  MIN_AUTOSUSPEND_DELAY,
  smallestCu,
  type AutosuspendDelay,
  type ComputeRef,
  type Sizing,
} from '../model/service/compute.ts'
import type { Preset } from '../model/service/sizes.ts'
import type { Cu } from '../model/units.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { ComparedCompute } from './settings.ts'

/** Either `fixed`, or one or both limits of a range. */
export type SizeAsk = Readonly<{ fixed?: Cu | undefined; min?: Cu | undefined; max?: Cu | undefined }>

/** Undefined settings stay as they are. */
export type ChangeAsk = Readonly<{
  size: SizeAsk | undefined
  /** 0 s asks for the default. */
  delay: AutosuspendDelay | undefined
  restart: boolean
  when: ChangeMoment
}>

export type PlanTarget = ComparedCompute &
  Readonly<{
    ref: ComputeRef
    preset: Preset
    /** Undefined where nobody says what the service plan allows: the service decides. */
    limits: PlanLimits | undefined
  }>

/** `path`: the field of the request, empty for the whole. */
export type PlanProblem = Readonly<{ path: string; message: string }>

export const problem = (path: string, message: string) => failed<PlanProblem>({ path, message })

/** Whether it is wrong, the field, and what is allowed. */
type Check = readonly [isWrong: boolean, path: string, message: string]

function firstProblem(checks: readonly Check[]): Result<never, PlanProblem> | undefined {
  const found = checks.find(([isWrong]) => isWrong)
  return found && problem(found[1], found[2])
}

export function settingsOf(target: PlanTarget, ask: ChangeAsk): Result<ChangeSettings, PlanProblem> {
  const { size, delay, restart } = ask
  const hasSetting = size !== undefined || delay !== undefined
  const [besideRestart, nothing] = [restart && hasSetting, !restart && !hasSetting]
  const refusal = firstProblem([
    [nothing, '', 'expected a size, a delay or a restart'],
    [besideRestart, 'restart', 'expected no setting beside it: a change of size restarts the compute, too'],
    ...(size ? sizeChecks(target, size) : []),
    ...(delay === undefined ? [] : delayChecks(target, delay)),
  ])
  if (refusal) return refusal
  return ok({
    ...(size && { sizing: sizingOf(target, size) }),
    ...(delay !== undefined && { autosuspendDelay: delay }),
  })
}

/** A limit that is not asked for stays as it is. */
function limitsOf({ compute: { sizing } }: PlanTarget, { fixed, min, max }: SizeAsk) {
  return { low: fixed ?? min ?? smallestCu(sizing), high: fixed ?? max ?? largestCu(sizing) }
}

function sizingOf(target: PlanTarget, size: SizeAsk): Sizing {
  const { low, high } = limitsOf(target, size)
  return low === high ? { fixed: high } : { min: low, max: high }
}

function sizeChecks(target: PlanTarget, size: SizeAsk): readonly Check[] {
  const { preset, limits } = target
  const { low, high } = limitsOf(target, size)
  const hasBoth = size.fixed !== undefined && (size.min !== undefined || size.max !== undefined)
  const sizes = `expected one of the sizes ${preset.sizes.join(', ')} CU, got`
  const [lowPath, highPath] = size.fixed === undefined ? ['min_cu', 'max_cu'] : ['cu', 'cu']
  return [
    [hasBoth, 'cu', 'expected either cu, or min_cu and max_cu'],
    [!preset.sizes.includes(low), lowPath, `${sizes} ${low}`],
    [!preset.sizes.includes(high), highPath, `${sizes} ${high}`],
    [low > high, 'min_cu', `expected at most the maximum, ${high} CU, got ${low}`],
    ...(limits ? planChecks(limits, low, high) : []),
  ]
}

const ON_PLAN = 'on this service plan, got'

function planChecks(limits: PlanLimits, low: Cu, high: Cu): readonly Check[] {
  const { largestFixed, hasRanges, largestInRange, widestRange } = limits
  if (low === high)
    return [[high > largestFixed, 'cu', `expected at most ${largestFixed} CU ${ON_PLAN} ${high}`]]
  const wide = `expected at most ${widestRange} CU above the minimum ${ON_PLAN} ${high - low}`
  return [
    [!hasRanges, 'max_cu', 'expected a fixed size: this service plan has no ranges'],
    [high > largestInRange, 'max_cu', `expected at most ${largestInRange} CU in a range ${ON_PLAN} ${high}`],
    [high - low > widestRange, 'max_cu', wide],
  ]
}

const ANY_DELAY = { from: MIN_AUTOSUSPEND_DELAY, to: LONGEST_AUTOSUSPEND_DELAY }

const isWithin = (delay: AutosuspendDelay, { from, to }: PlanLimits['delays']) =>
  delay === 'never' || delay === 0 || (delay >= from && delay <= to)

function delayChecks({ limits, compute }: PlanTarget, delay: AutosuspendDelay): readonly Check[] {
  const { delays, mayNever } = limits ?? { delays: ANY_DELAY, mayNever: true }
  const seconds = delays.from === delays.to ? delays.from : `${delays.from} to ${delays.to}`
  const allowed = `expected ${seconds} s, default${mayNever ? ', or never' : ''}`
  const isUnlisted = compute.isDelayListed === false
  const unlisted = 'the service shows no autosuspend delay of this compute, so it cannot be changed'
  return [
    [isUnlisted, 'delay_seconds', unlisted],
    [delay === 'never' && !mayNever, 'delay_seconds', `${allowed}: this service plan has no never`],
    [!isWithin(delay, delays), 'delay_seconds', `${allowed}, got ${delay} s`],
  ]
}
