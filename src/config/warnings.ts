// What a valid configuration says although it hardly means it. `check-config` prints it; a daemon starts all the same.
import type { Policies } from '../model/policy/policies.ts'
import type { ConfigEntry } from './schema.ts'
import { ownerNames, unknownTeam } from './sections/owners.ts'

type Warned = Readonly<{ entry: ConfigEntry; policies: Policies }>

/** A line each, beginning with the key. Files of secrets have warnings of their own. */
export const configWarnings = ({ entry, policies }: Warned): readonly string[] => [
  ...changeWarnings(entry, policies),
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

/** The team of a budget may own no compute, but among owners it is likelier misspelt. */
function budgetWarnings({ budgets = [], owners }: ConfigEntry): readonly string[] {
  if (owners.length === 0) return []
  const { teams } = ownerNames(owners)
  return budgets.flatMap(({ team }, index) => unknownTeam(`budgets[${index}].team`, team, teams))
}
