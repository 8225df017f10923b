// Policies beside what the service plans allow: keys that could never change anything.
import type { ChangePolicy } from '../../model/policy/change-policy.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import type { PolicyRule } from '../../model/policy/policies.ts'
import { delayMillis } from '../../model/service/compute.ts'
import { cu, seconds } from '../../model/units.ts'
import { durationText } from '../units.ts'

type AccountPlan = Readonly<{
  plan: string
  /** Undefined: what the plan allows is not known. */
  limits: PlanLimits | undefined
}>

type PoliciesAndPlans = Readonly<{ policies: readonly PolicyRule[]; accounts: readonly AccountPlan[] }>

/** Problems that hold on the plan of every account; none where one of the plans is not known. */
export function policyLimitProblems({ policies, accounts }: PoliciesAndPlans): readonly string[] {
  const limits = accounts.flatMap((account) => account.limits ?? [])
  if (limits.length === 0 || limits.length < accounts.length) return []
  const plan = `of the plan ${[...new Set(accounts.map((account) => account.plan))].join(' or ')}`
  return policies.flatMap((rule, index) =>
    [...delayProblems(rule, limits), ...sizeProblems(rule, limits), ...leverProblems(rule, limits)].map(
      ([path, expected]) => `policies[${index}].${path}: ${expected} ${plan}`,
    ),
  )
}

type PathAndText = readonly [path: string, expected: string]

function delayProblems({ autosuspend }: PolicyRule, limits: readonly PlanLimits[]): readonly PathAndText[] {
  if (!autosuspend) return []
  const shortest = seconds(Math.min(...limits.map(({ delays }) => delays.from)))
  const { ceiling, schedule } = autosuspend
  const given = [
    ['ceiling', ceiling] as const,
    ...schedule.map(({ delay }, at) => [`schedule[${at}].delay`, delay] as const),
  ]
  return given.flatMap(([key, delay]): readonly PathAndText[] =>
    delayMillis(delay) < delayMillis(shortest)
      ? [[`autosuspend.${key}`, `expected at least ${durationText(shortest)}, the shortest delay`]]
      : [],
  )
}

function sizeProblems({ sizing }: PolicyRule, limits: readonly PlanLimits[]): readonly PathAndText[] {
  const largest = cu(Math.max(...limits.map((one) => Math.max(one.largestFixed, one.largestInRange))))
  return (['min', 'max'] as const).flatMap((key): readonly PathAndText[] =>
    (sizing?.[key] ?? 0) > largest
      ? [[`sizing.${key}`, `expected at most ${largest}, the largest size`]]
      : [],
  )
}

/** By lever, whether a plan leaves nothing to change. */
const IS_FIXED: Readonly<Partial<Record<ChangePolicy['levers'][number], (limits: PlanLimits) => boolean>>> = {
  delay: ({ delays, mayNever }) => delays.from === delays.to && !mayNever,
  // a quarter is the smallest size that there is
  sizing: ({ hasRanges, largestFixed }) => !hasRanges && largestFixed <= 0.25,
}

const leverProblems = ({ levers = [] }: PolicyRule, limits: readonly PlanLimits[]): readonly PathAndText[] =>
  levers.flatMap((lever, at): readonly PathAndText[] => {
    const isFixed = IS_FIXED[lever]
    return isFixed && limits.every(isFixed)
      ? [[`levers[${at}]`, `expected none of ${lever}, which is fixed by the rules`]]
      : []
  })
