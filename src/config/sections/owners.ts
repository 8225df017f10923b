import { array, strictObject, string } from 'zod'
import type { OwnerRule } from '../../model/policy/owner.ts'
import { optionalText, selectorShape } from '../parts.ts'
import { unknownNameText } from '../suggestions.ts'

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
}).transform(({ match, team, tier = '', channel, cost_centre: costCentre }): OwnerRule => ({
  match,
  owner: { team, tier, channel, costCentre },
}))

export const ownersSchema = array(entry, 'expected a list of owners')

/** What receivers and reports select owners by, in the order of the file. */
export type OwnerNames = Readonly<{ teams: ReadonlySet<string>; channels: ReadonlySet<string> }>

export const ownerNames = (rules: readonly OwnerRule[]): OwnerNames => ({
  teams: new Set(rules.map(({ owner }) => owner.team)),
  channels: new Set(rules.flatMap(({ owner }) => owner.channel ?? [])),
})

/** The problem of a name that selects nothing, if it is one. @param path of the key */
export const unknownTeam = (path: string, team: string | undefined, teams: ReadonlySet<string>) =>
  unknownOwner(path, { kind: 'team', wanted: team, known: teams })

export const unknownChannel = (path: string, channel: string | undefined, channels: ReadonlySet<string>) =>
  unknownOwner(path, { kind: 'channel', wanted: channel, known: channels })

type OwnerName = Readonly<{ kind: string; wanted: string | undefined; known: ReadonlySet<string> }>

const unknownOwner = (path: string, { kind, wanted, known }: OwnerName): readonly string[] =>
  wanted === undefined || known.has(wanted) ? [] : [`${path}: ${unknownNameText(kind, wanted, [...known])}`]
