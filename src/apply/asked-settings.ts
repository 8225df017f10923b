// Settings that a person asks for, checked against sizes, service plan and limits of the service.
import type { ChangeMoment, ChangeSettings } from '../model/policy/change.ts'
import type { PlanLimits } from '../model/policy/plan-limits.ts'
import {
  isFixed,
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

export type PlanProblem = Readonly<{
  /** The field of the request, empty for the whole. */
  path: string
  message: string
  /** The request is right in itself: what the compute is now refuses it. */
  isConflict: boolean
}>

export const problem = (path: string, message: string, { isConflict = false } = {}) =>
  failed<PlanProblem>({ path, message, isConflict })

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

/** The field to correct: one that was given. */
const fieldOf = ({ fixed, max }: SizeAsk) =>
  fixed === undefined ? (max === undefined ? 'min_cu' : 'max_cu') : 'cu'

function sizeChecks(target: PlanTarget, size: SizeAsk): readonly Check[] {
  const { preset, limits } = target
  const { low, high } = limitsOf(target, size)
  const { fixed, min, max } = size
  const hasBoth = fixed !== undefined && (min !== undefined || max !== undefined)
  const isCrossed = low > high
  return [
    [hasBoth, 'cu', 'expected no minimum or maximum beside a fixed size'],
    ...supportedChecks(preset, size),
    min === undefined
      ? [isCrossed, 'max_cu', `expected at least the minimum, ${low} CU, got ${high}`]
      : [isCrossed, 'min_cu', `expected at most the maximum, ${high} CU, got ${low}`],
    ...(limits ? planChecks(limits, { low, high }, fieldOf(size)) : []),
  ]
}

function supportedChecks({ sizes }: Preset, { fixed, min, max }: SizeAsk): readonly Check[] {
  const given = [
    ['cu', fixed],
    ['min_cu', min],
    ['max_cu', max],
  ] as const
  return given.map(([path, value]) => [
    value !== undefined && !sizes.includes(value),
    path,
    `expected one of the sizes ${sizes.join(', ')} CU, got ${value}`,
  ])
}

const ON_PLAN = 'on this service plan, got'

function planChecks(
  { largestFixed, hasRanges, largestInRange, widestRange }: PlanLimits,
  { low, high }: Readonly<{ low: Cu; high: Cu }>,
  path: string,
): readonly Check[] {
  if (low === high)
    return [[high > largestFixed, path, `expected at most ${largestFixed} CU ${ON_PLAN} ${high}`]]
  const wide = `expected at most ${widestRange} CU above the minimum ${ON_PLAN} ${high - low}`
  return [
    [!hasRanges, path, 'expected a fixed size: this service plan has no ranges'],
    [high > largestInRange, path, `expected at most ${largestInRange} CU in a range ${ON_PLAN} ${high}`],
    [high - low > widestRange, path, wide],
  ]
}

const ANY_DELAY = { from: MIN_AUTOSUSPEND_DELAY, to: LONGEST_AUTOSUSPEND_DELAY }

const isWithin = (delay: AutosuspendDelay, { from, to }: PlanLimits['delays']) =>
  delay === 'never' || delay === 0 || (delay >= from && delay <= to)

function delayChecks({ limits, compute }: PlanTarget, delay: AutosuspendDelay): readonly Check[] {
  const isUnlisted = compute.isDelayListed === false
  const unlisted = 'the service shows no autosuspend delay of this compute, so it cannot be changed'
  return [[isUnlisted, 'delay_seconds', unlisted], ...limitChecks(limits, delay)]
}

/** Problem of default settings that sizes and service plan do not allow; undefined where they do. */
export const defaultsProblem = (
  { limits, preset }: Pick<PlanTarget, 'limits' | 'preset'>,
  { sizing, autosuspendDelay: delay }: ChangeSettings,
): Result<never, PlanProblem> | undefined =>
  firstProblem([
    ...(delay === undefined ? [] : limitChecks(limits, delay)),
    ...(sizing ? rangeChecks({ limits, preset }, sizing) : []),
  ])

function rangeChecks({ limits, preset }: Pick<PlanTarget, 'limits' | 'preset'>, sizing: Sizing) {
  const [low, high] = [smallestCu(sizing), largestCu(sizing)]
  const asked = isFixed(sizing) ? { fixed: high } : { min: low, max: high }
  return [
    ...supportedChecks(preset, asked),
    ...(limits ? planChecks(limits, { low, high }, fieldOf(asked)) : []),
  ]
}

function limitChecks(limits: PlanLimits | undefined, delay: AutosuspendDelay): readonly Check[] {
  const { delays, mayNever } = limits ?? { delays: ANY_DELAY, mayNever: true }
  const seconds = delays.from === delays.to ? delays.from : `${delays.from} to ${delays.to}`
  const allowed = `expected ${seconds} s, default${mayNever ? ', or never' : ''}`
  return [
    [delay === 'never' && !mayNever, 'delay_seconds', `${allowed}: this service plan has no never`],
    [!isWithin(delay, delays), 'delay_seconds', `${allowed}, got ${delay} s`],
  ]
}
