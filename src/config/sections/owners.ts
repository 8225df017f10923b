import { array, strictObject, string, type z } from 'zod'
import type { Owner, OwnerRule } from '../../model/policy/owner.ts'
import { optionalText, selectorShape } from '../parts.ts'

// names become labels of metrics and routes of alerts
const NAME = 'expected 1 to 60 letters, digits or any of _ . / -'
const name = string(NAME).regex(/^[\p{L}\p{N}_./-]{1,60}$/u, NAME)

const entry = strictObject({
  match: strictObject(selectorShape)
    .prefault({})
    .describe('The computes: those that fit everything given here; without conditions all.'),
  team: name.describe('The team: a label of metrics, by which alerts are routed.'),
  tier: name.optional().describe('The importance, such as prod: a label of metrics, too.'),
  channel: optionalText.describe(
    'The channel of the team, such as #payments, by which notifications[].channel selects.',
  ),
  cost_centre: optionalText.describe('Cost centre, shown in the report.'),
}).transform(({ match, team, tier = '', channel, cost_centre: costCentre }) => ({
  match,
  owner: { team, tier, channel, costCentre } satisfies Owner,
}))

export const ownersSchema = array(entry, 'expected a list of owners')

/** Rules with one pattern each, so that each rule has a specificity of its own. */
export const ownerRules = (entries: z.output<typeof ownersSchema>): readonly OwnerRule[] =>
  entries.flatMap(({ match, owner }) =>
    each(match.compute).flatMap((compute) =>
      each(match.branch).flatMap((branch) =>
        each(match.project).map((project) => ({ match: { ...match, project, branch, compute }, owner })),
      ),
    ),
  )

const each = (patterns: readonly string[] | undefined): readonly (readonly [string] | undefined)[] =>
  patterns?.map((pattern) => [pattern] as const) ?? [undefined]
