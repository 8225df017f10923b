// What a valid configuration says although it hardly means it. `check-config` prints it; a daemon starts all the same.
import type { Window } from '../calendar/window.ts'
import type { Policies, PolicyRule } from '../model/policy/policies.ts'
import type { Instant } from '../model/units.ts'
import type { ConfigEntry } from './schema.ts'
import { ownerNames, unknownTeam } from './sections/owners.ts'

type Warned = Readonly<{
  entry: ConfigEntry
  policies: Policies
  /** By name. */
  windows: ReadonlyMap<string, Window>
}>

/** A line each, beginning with the key. Files of secrets have warnings of their own. */
export const configWarnings = ({ entry, policies, windows }: Warned, now: Instant): readonly string[] => [
  ...changeWarnings(entry, policies),
  ...entry.policies.flatMap((rule, index) => [
    ...pastWindows(rule, windows, now).map((text) => `policies[${index}].${text}`),
    ...missingLevers(entry.policies, index),
  ]),
  ...budgetWarnings(entry),
]

/** Seconds in which a request that was written still lands. Source: changing.md, §3. */
const SAFE_SETTLE = 120

const changeWarnings = (
  { mode, service: { settle } }: ConfigEntry,
  { decidesChanges, warmsUp }: Policies,
): readonly string[] => [
  ...((mode === 'apply' || mode === 'approve') && !decidesChanges && !warmsUp
    ? [`mode: ${mode} changes nothing by itself: no policy has levers`]
    : []),
  ...(settle < SAFE_SETTLE
    ? [
        `service.settle: a request without an answer may take effect up to ${SAFE_SETTLE} s later: with ${settle} s a change may be made twice`,
      ]
    : []),
]

/** Windows of a policy that are over. No problem: a daemon that is started again after such a window is to start. */
function pastWindows(
  { restart, autosuspend, warm }: PolicyRule,
  windows: Warned['windows'],
  now: Instant,
): readonly string[] {
  const used = [
    ...(restart?.windows ?? []).map((name, at) => [`restart.windows[${at}]`, name] as const),
    ...(autosuspend?.schedule ?? []).map(
      ({ window }, at) => [`autosuspend.schedule[${at}].in`, window] as const,
    ),
    ...(warm?.window === undefined ? [] : [['warm.in', warm.window] as const]),
  ]
  return used.flatMap(([path, name]) => {
    const window = windows.get(name)
    if (!window || window.at(now) || window.next(now)) return []
    return [`${path}: ${name} is over and does not open again`]
  })
}

/** Settings that need a lever. One of another policy counts where this one has none: which of both a compute has depends on the fleet. */
function missingLevers(policies: readonly PolicyRule[], index: number): readonly string[] {
  const rule = policies[index]
  const needed = [
    ['autosuspend.schedule', 'delay', (rule?.autosuspend?.schedule ?? []).length > 0] as const,
    ['warm', 'warm', rule?.warm !== undefined] as const,
  ]
  return needed.flatMap(([path, lever, isUsed]) => {
    if (!isUsed || rule?.levers?.includes(lever)) return []
    const missing = `policies[${index}].${path}: does nothing without the lever ${lever}, which`
    if (!policies.some(({ levers = [] }) => levers.includes(lever))) return [`${missing} no policy has`]
    return rule?.levers ? [`${missing} policies[${index}].levers leaves out`] : []
  })
}

/** The team of a budget may own no compute, but among owners it is likelier misspelt. */
function budgetWarnings({ budgets = [], owners }: ConfigEntry): readonly string[] {
  if (owners.length === 0) return []
  const { teams } = ownerNames(owners)
  return budgets.flatMap(({ team }, index) => unknownTeam(`budgets[${index}].team`, team, teams))
}
