// The section `owners`: who answers for what.
import { z } from 'zod'
import type { Owner, OwnerRule } from '../../model/policy/owner.ts'
import { selectorShape } from './selector.ts'

/** Labels of metrics and routes of alerts are made of it. */
const NAME = 'expected 1 to 60 letters, digits or any of _ . / -'
const name = z.string(NAME).regex(/^[\p{L}\p{N}_./-]{1,60}$/u, NAME)

const entry = z
  .strictObject({
    match: z
      .strictObject(selectorShape)
      .prefault({})
      .describe('Which computes: those that fit everything given here; all where nothing is.'),
    team: name.describe('The team; a label of metrics, alerts are routed by it.'),
    tier: name.optional().describe('How much depends on it, such as prod; a label, too.'),
    channel: z
      .string()
      .min(1)
      .optional()
      .describe('Where the team reads, such as #payments: a word for notifications[].channel to choose by.'),
    cost_centre: z.string().min(1).optional().describe('For the report.'),
  })
  .transform(({ match, team, tier = '', channel, cost_centre: costCentre }) => ({
    match,
    owner: { team, tier, channel, costCentre } satisfies Owner,
  }))

export const ownersSchema = z.array(entry, 'expected a list of owners')

/** One rule per pattern, so that each has a specificity of its own. */
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
