// Policies beside the windows of the file and beside each other: what no policy can mean.
import { isEverOpenBeside, isEverOpenFor } from '../../calendar/ever-open.ts'
import type { Recurrence } from '../../calendar/window.ts'
import {
  DEFAULT_RESTART_RULES,
  FIRST_CHANGE_DURATION,
  SERVICE_WINDOW,
  type RestartRules,
} from '../../model/policy/change-policy.ts'
import type { PolicyRule } from '../../model/policy/policies.ts'
import { matchesSelector, type SelectorTarget } from '../../model/policy/selector.ts'
import { millis, seconds, type Seconds } from '../../model/units.ts'
import { unknownNameText } from '../suggestions.ts'
import { durationText } from '../units.ts'
import { contradictions } from './policy-groups.ts'

type PoliciesAndWindows = Readonly<{
  policies: readonly PolicyRule[]
  /** Recurrences by the name of the window. */
  recurrences: ReadonlyMap<string, readonly Recurrence[]>
}>

/** Windows that there are not, that are too short or denied, and policies that contradict each other or themselves. */
export function policyProblems({ policies, recurrences }: PoliciesAndWindows): readonly string[] {
  const known = new Map([...recurrences, [SERVICE_WINDOW, []]])
  return policies.flatMap((rule, index) => {
    const { windows: allowed, deny, closeEarly: early } = rule.restart ?? DEFAULT_RESTART_RULES
    const path = `policies[${index}].restart`
    const scheduled = rule.autosuspend?.schedule ?? []
    return [
      ...scheduled.flatMap(({ window }, at) =>
        recurrences.has(window)
          ? []
          : [
              `policies[${index}].autosuspend.schedule[${at}].in: ${unknownNameText('window', window, [...recurrences.keys()])}`,
            ],
      ),
      ...warmProblems(rule, recurrences, `policies[${index}]`),
      ...unknownWindows(`${path}.windows`, allowed, known),
      ...allowed.flatMap((name, at) => shortWindow(`${path}.windows[${at}]`, { name, early, recurrences })),
      ...unknownWindows(`${path}.deny`, deny, known),
      ...deniedWindows(`${path}.deny`, rule.restart ?? DEFAULT_RESTART_RULES, recurrences),
      ...defaultsProblems(rule, `policies[${index}]`),
      ...contradictions(policies, index),
      ...managedProblems(rule, `policies[${index}]`),
    ]
  })
}

/** @param path of the policy */
function warmProblems(
  { warm, levers = [], mode = 'apply' }: PolicyRule,
  recurrences: PoliciesAndWindows['recurrences'],
  path: string,
): readonly string[] {
  const window = warm?.window
  const isUnknown = window !== undefined && !recurrences.has(window)
  return [
    ...(isUnknown ? [`${path}.warm.in: ${unknownNameText('window', window, [...recurrences.keys()])}`] : []),
    ...(levers.includes('warm') && mode !== 'apply'
      ? [`${path}.levers: expected none of warm beside mode: ${mode}, which starts no compute by itself`]
      : []),
  ]
}

/** Problems of names that no window has. @param path of the list of names */
export const unknownWindows = (
  path: string,
  names: readonly string[],
  windows: ReadonlyMap<string, unknown>,
): readonly string[] =>
  names.flatMap((name, index) =>
    windows.has(name) ? [] : [`${path}[${index}]: ${unknownNameText('window', name, [...windows.keys()])}`],
  )

type NamedWindow = Pick<PoliciesAndWindows, 'recurrences'> & Readonly<{ name: string; early: Seconds }>

/** A window of the file into which no change fits. */
function shortWindow(path: string, { name, early, recurrences }: NamedWindow): readonly string[] {
  const rules = recurrences.get(name)
  const least = seconds(early + FIRST_CHANGE_DURATION)
  if (!rules || name === SERVICE_WINDOW || isEverOpenFor(millis(least * 1000), rules)) return []
  return [`${path}: no change fits into ${name}: expected close_early and a change, ${durationText(least)}`]
}

/** Where `deny` never lets a change into a window that would have room for it. @param path of deny */
function deniedWindows(
  path: string,
  { windows, deny, closeEarly }: RestartRules,
  recurrences: PoliciesAndWindows['recurrences'],
): readonly string[] {
  const rulesOf = (names: readonly string[]) => names.flatMap((name) => recurrences.get(name) ?? [])
  const [rules, denied] = [rulesOf(windows), rulesOf(deny)]
  const isKnown = windows.every((name) => recurrences.has(name) && name !== SERVICE_WINDOW)
  if (!isKnown || rules.length === 0 || denied.length === 0) return []
  const needed = { length: millis(FIRST_CHANGE_DURATION * 1000), early: millis(closeEarly * 1000) }
  if (isEverOpenBeside(rules, { denied, ...needed }) || !isEverOpenBeside(rules, { denied: [], ...needed }))
    return []
  const least = durationText(seconds(closeEarly + FIRST_CHANGE_DURATION))
  return [
    `${path}: no change fits into restart.windows beside it: expected close_early and a change, ${least}, outside of it`,
  ]
}

/** Selectors see the defaults of a project as those of a compute without id and branch. */
const NO_COMPUTE: SelectorTarget = {
  ref: { account: '', projectId: '', endpointId: '' },
  projectName: '',
  branchId: '',
  name: undefined,
  type: 'read_write',
}

/** Conditions that the defaults of no project fit. @param path of the policy */
function defaultsProblems({ match, levers = [] }: PolicyRule, path: string): readonly string[] {
  if (!levers.includes('defaults')) return []
  const keys = (['branch', 'compute', 'type'] as const).filter(
    (key) => !matchesSelector({ [key]: match[key] }, NO_COMPUTE),
  )
  return keys.length === 0
    ? []
    : [
        `${path}.levers: expected none of defaults beside ${keys.map((key) => `match.${key}`).join(' and ')}: the defaults of a project are not those of some of its computes`,
      ]
}

/** Keys that change what somebody else manages. @param path of the policy */
function managedProblems(
  { managedBy, mode, levers = [], onForeignChange }: PolicyRule,
  path: string,
): readonly string[] {
  if (managedBy === undefined) return []
  const beside = `beside managed_by: ${managedBy}, which lets no policy change a compute`
  return [
    ...(mode === 'approve' || mode === 'apply' ? [`${path}.mode: expected at most suggest ${beside}`] : []),
    ...(levers.length > 0 ? [`${path}.levers: expected none ${beside}`] : []),
    ...(onForeignChange === 'reapply'
      ? [`${path}.on_foreign_change: expected adopt or alert ${beside}`]
      : []),
  ]
}
