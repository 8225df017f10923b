// Policies: rules of the configuration for the computes that each matches. Source: section `policies`.
import { seconds, type Cu, type Micros, type Seconds } from '../units.ts'
import { DEFAULT_ADVICE_POLICY, type AdviceNeeds, type AdvicePolicy } from './advice-policy.ts'
import {
  CHANGE_LEVERS,
  DEFAULT_RESTART_RULES,
  type ChangePolicy,
  type ForeignChangeAnswer,
  type Lever,
  type Manager,
  type Mode,
  type RestartRules,
} from './change-policy.ts'
import type { AutosuspendDelay } from '../service/compute.ts'
import type { RecommendationKind } from './recommendation.ts'
import { matchesSelector, rankRules, type Selector, type SelectorTarget } from './selector.ts'

/** A wake cost in money is that of each wake, whatever the size of the compute. */
type DelayRules = Pick<AdvicePolicy, 'floor' | 'ceiling'> &
  Readonly<{
    wakeCost: Seconds | Readonly<{ money: Micros }>
    /** Delays while windows are open, the first first. */
    schedule: readonly ScheduledDelay[]
  }>

/** `window`: its name; undefined: at any time. */
export type WarmUpRules = Readonly<{ window: string | undefined }>

export type ScheduledDelay = Readonly<{ /** Its name. */ window: string; delay: AutosuspendDelay }>

/** Groups of settings that a policy leaves out are those of the next policy that matches. */
type PolicyGroups = Readonly<{
  autosuspend?: DelayRules | undefined
  sizing?: AdvicePolicy['sizing'] | undefined
  recommend?: readonly RecommendationKind[] | undefined
  advice?: AdviceNeeds | undefined
  mode?: Mode | undefined
  levers?: readonly Lever[] | undefined
  restart?: RestartRules | undefined
  warm?: WarmUpRules | undefined
  onForeignChange?: ForeignChangeAnswer | undefined
  managedBy?: Manager | undefined
}>

/** Least settings that may be set without a request. */
export type Floors = Readonly<{
  delay: Seconds
  /** Undefined: no policy names one. */
  size: Cu | undefined
}>

export type PolicyRule = PolicyGroups & Readonly<{ match: Selector }>

/** Lines of the configuration file in which the groups of a policy stand, from 1. */
export type PolicyLines = Readonly<Partial<Record<keyof PolicyGroups, number | undefined>>>

/** `path` and `line`: where the lever stands. */
export type WarmUpPolicy = WarmUpRules & Pick<ChangePolicy, 'path' | 'line'>

/** Owner of the settings of a compute; undefined: Dormouse and people. */
export type ManagerOf = (target: SelectorTarget) => Manager | undefined

export type Policies = Readonly<{
  /** @param awakeHour price of an hour awake of that compute */
  of: (target: SelectorTarget, awakeHour: Micros) => AdvicePolicy
  changesOf: (target: SelectorTarget) => ChangePolicy
  /** Undefined where computes may not be started ahead of clients. */
  warmUpsOf: (target: SelectorTarget) => WarmUpPolicy | undefined
  /** Whether any may be. */
  warmsUp: boolean
  floorsOf: (target: SelectorTarget) => Floors
  scheduleOf: (target: SelectorTarget) => readonly ScheduledDelay[]
  /** Whether any policy has a schedule. */
  hasSchedules: boolean
  managerOf: ManagerOf
  /** Policies that match none of them, such as `policies[1]`, in order. */
  unmatchedBy: (targets: readonly SelectorTarget[]) => readonly string[]
  /** Whether changes are made without a request for any compute. */
  decidesChanges: boolean
  /** Whether any of them is sent without a person. */
  appliesChanges: boolean
  /** Whether one for any compute alerts where somebody else overwrites what a change had set. */
  alertsOfForeignChanges: boolean
}>

const { sizing, kinds, wakeCost, ...delays } = DEFAULT_ADVICE_POLICY
const DEFAULT_DELAY_RULES: DelayRules = { ...delays, wakeCost, schedule: [] }

/**
 * Each group of settings is that of the most specific rule that fits and has it.
 *
 * @param mode of computes without one of their own
 * @param lines of each rule, where they are known
 */
export function createPolicies(
  rules: readonly PolicyRule[],
  mode: Mode = 'suggest',
  lines: readonly PolicyLines[] = [],
): Policies {
  const ranked = rankRules(
    rules.map((rule, index) => ({ ...rule, path: `policies[${index}]`, lines: lines[index] ?? {} })),
  )
  const isReadOnly = mode === 'off' || mode === 'observe'
  const hasLevers = rules.some(({ levers = [] }) => CHANGE_LEVERS.some((lever) => levers.includes(lever)))
  const fitting = (target: SelectorTarget) => ranked.filter(({ match }) => matchesSelector(match, target))
  const modes = isReadOnly ? [] : [mode, ...rules.map((rule) => rule.mode)]
  return {
    of: (target, awakeHour) => {
      const group = groupIn(fitting(target))
      const {
        wakeCost: cost,
        schedule: _schedule,
        ...bounds
      } = group('autosuspend')?.value ?? DEFAULT_DELAY_RULES
      const needs = group('advice')?.value
      return {
        kinds: group('recommend')?.value ?? kinds,
        ...bounds,
        wakeCost: typeof cost === 'number' ? cost : wakeCostOf(cost.money, awakeHour),
        sizing: group('sizing')?.value ?? sizing,
        ...(needs && { needs }),
      }
    },
    changesOf: (target) => {
      const group = groupIn(fitting(target))
      const manager = group('managedBy')
      const own = group('mode') ?? { value: mode, path: undefined, line: undefined }
      if (manager) return managedPolicy(isReadOnly ? mode : own.value, manager)
      const { value: levers, path, line } = group('levers') ?? { ...own, value: [] }
      const { value: restart } = group('restart') ?? { value: DEFAULT_RESTART_RULES }
      const onForeignChange = group('onForeignChange')?.value
      return {
        mode: isReadOnly ? mode : own.value,
        levers,
        restart,
        ...(onForeignChange && { onForeignChange }),
        path,
        ...(line !== undefined && { line }),
      }
    },
    warmUpsOf: (target) => {
      const group = groupIn(fitting(target))
      const levers = group('levers')
      const isMade = (group('mode')?.value ?? mode) === 'apply' && !isReadOnly && !group('managedBy')
      if (!isMade || !levers?.value.includes('warm')) return undefined
      const { path, line } = levers
      return { window: group('warm')?.value.window, path, ...(line !== undefined && { line }) }
    },
    warmsUp: modes.includes('apply') && rules.some(({ levers = [] }) => levers.includes('warm')),
    scheduleOf: (target) => groupIn(fitting(target))('autosuspend')?.value.schedule ?? [],
    hasSchedules: rules.some(({ autosuspend }) => (autosuspend?.schedule.length ?? 0) > 0),
    floorsOf: (target) => {
      const group = groupIn(fitting(target))
      const { value: bounds } = group('autosuspend') ?? { value: DEFAULT_DELAY_RULES }
      return { delay: bounds.floor, size: group('sizing')?.value.min }
    },
    managerOf: (target) => groupIn(fitting(target))('managedBy')?.value,
    unmatchedBy: (targets) =>
      rules.flatMap(({ match }, index) =>
        targets.some((target) => matchesSelector(match, target)) ? [] : [`policies[${index}]`],
      ),
    alertsOfForeignChanges: rules.some(({ onForeignChange }) => onForeignChange === 'alert'),
    decidesChanges: hasLevers && modes.some((one) => one === 'approve' || one === 'apply'),
    appliesChanges: hasLevers && modes.includes('apply'),
  }
}

/** Without a change by itself, whatever other policies say. */
const managedPolicy = (
  mode: Mode,
  { value, path, line }: Readonly<{ value: Manager; path: string; line: number | undefined }>,
): ChangePolicy => ({
  mode: mode === 'approve' || mode === 'apply' ? 'suggest' : mode,
  levers: [],
  restart: DEFAULT_RESTART_RULES,
  managedBy: value,
  path,
  ...(line !== undefined && { line }),
})

type RankedRule = PolicyRule & Readonly<{ path: string; lines: PolicyLines }>

/** The first rule that has the group. */
const groupIn =
  (rules: readonly RankedRule[]) =>
  <Name extends keyof PolicyGroups>(name: Name) => {
    const rule = rules.find((one) => one[name] !== undefined)
    const value = rule?.[name]
    return rule && value !== undefined ? { value, path: rule.path, line: rule.lines[name] } : undefined
  }

/** Wake costs, seconds: those that a configured time may have. A compute that costs nothing awake has the longest. */
const MIN_WAKE_COST = 1
const MAX_WAKE_COST = 86_400

const wakeCostOf = (money: Micros, awakeHour: Micros): Seconds =>
  seconds(Math.max(MIN_WAKE_COST, Math.min(MAX_WAKE_COST, (money * 3600) / awakeHour)))
