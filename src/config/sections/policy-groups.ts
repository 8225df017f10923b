// Groups of settings of policies, as the file has them: where each stands, and which contradict each other.
import type { PolicyLines, PolicyRule } from '../../model/policy/policies.ts'
import type { Selector } from '../../model/policy/selector.ts'
import { fieldOf } from '../../std/field.ts'
import type { LineOf } from '../yaml.ts'

/** Lines of each policy. */
export const linesOfPolicies = (policies: readonly PolicyRule[], lineOf: LineOf): readonly PolicyLines[] =>
  policies.map(({ match: _match, ...groups }, index) =>
    Object.fromEntries(
      Object.keys(groups).map((group) => [group, lineOf(['policies', index, keyOf(group)])]),
    ),
  )

/** Groups of settings that an earlier policy for exactly the same computes has otherwise: the order alone would decide. */
export function contradictions(policies: readonly PolicyRule[], index: number): readonly string[] {
  const { match, ...groups } = policies[index] ?? { match: {} }
  const alike = policies
    .slice(0, index)
    .map((rule) => (matchText(rule.match) === matchText(match) ? rule : undefined))
  return Object.entries(groups).flatMap(([group, value]) => {
    const other = alike.findIndex((rule) => isOtherwise(fieldOf(rule, group), value))
    return other < 0
      ? []
      : [
          `policies[${index}].${keyOf(group)}: contradicts policies[${other}].${keyOf(group)}, with the same match: expected one of them`,
        ]
  })
}

/** As the file has it: `onForeignChange` is `on_foreign_change`. */
const keyOf = (group: string): string => group.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const isOtherwise = (earlier: unknown, value: unknown) =>
  earlier !== undefined && value !== undefined && JSON.stringify(earlier) !== JSON.stringify(value)

/** Equal for selectors that list the same patterns. */
const matchText = ({ project, branch, compute, type }: Selector): string =>
  JSON.stringify([
    ...[project, branch, compute].map((patterns) => patterns?.toSorted() ?? null),
    type ?? null,
  ])
