// Holds, freezes, forces and brakes as JSON; config/changes.schema.json has their schemas.
import { array, boolean, enum as oneOf, int, iso, literal, strictObject, string, type z } from 'zod'
import { BRAKE_NAMES } from '../../model/policy/brakes.ts'

const instant = iso.datetime().describe('An instant, UTC.')
const patterns = array(string()).optional()

export const placedHoldSchema = strictObject({
  id: string(),
  account: string(),
  match: strictObject({
    project: patterns,
    branch: patterns,
    compute: patterns,
    type: oneOf(['read_write', 'read_only']).optional(),
  }).describe('The computes: those that fit everything given here; without conditions all.'),
  what: string().describe('The same in words.'),
  computes: int().min(0).describe('How many computes it fits now.'),
  by: string().describe('Name of the token.'),
  reason: string(),
  placed_at: instant,
  until: instant,
  ended: strictObject({ at: instant, by: string().nullable().describe('Null: its time was over.') })
    .nullable()
    .describe('Null while it stands.'),
})

export type PlacedHoldJson = z.output<typeof placedHoldSchema>

export const freezeSchema = strictObject({
  window: string().describe('Its name, listed in changes.freeze.'),
  from: instant,
  to: instant,
})

const listedFreezeSchema = freezeSchema.extend({
  from: instant.nullable().describe('Null: it began more than a year ago.'),
  to: instant.nullable().describe('Null: no end within a year.'),
})

const forceSchema = strictObject({
  account: string(),
  change_id: string(),
  by: string().describe('Name of the token.'),
  reason: string(),
  forced_at: instant,
  until: instant,
})

export type ForceJson = z.output<typeof forceSchema>

export const holdsSchema = strictObject({
  schema_version: literal(1),
  freezes: array(listedFreezeSchema).describe(
    'Of each window in which nothing is changed the interval that is open, else the next.',
  ),
  holds: array(placedHoldSchema).describe('Of each account the oldest first.'),
  forces: array(forceSchema).describe('Changes that no window has to allow.'),
})

export type HoldsJson = z.output<typeof holdsSchema>

export const holdAnswerSchema = strictObject({ schema_version: literal(1), hold: placedHoldSchema })

export type HoldAnswerJson = z.output<typeof holdAnswerSchema>

const brakeSchema = strictObject({
  id: string().describe('A release names it.'),
  account: string().nullable().describe('Null: all of them.'),
  brake: oneOf(BRAKE_NAMES),
  subject: string()
    .nullable()
    .describe('Kind of change, or compute, that it holds; null: the whole account.'),
  engaged: boolean(),
  because: string(),
  engaged_at: instant.nullable().describe('Null: it is not released by this command.'),
  released: strictObject({ at: instant, by: string().describe('Name of the token.'), reason: string() })
    .nullable()
    .describe('Null until a person releases it.'),
})

export type BrakeJson = z.output<typeof brakeSchema>

export const brakesJsonSchema = strictObject({
  schema_version: literal(1),
  brakes: array(brakeSchema).describe('Engaged, or released while their cause is there.'),
})

export type BrakesJson = z.output<typeof brakesJsonSchema>

export const brakeAnswerSchema = strictObject({ schema_version: literal(1), brake: brakeSchema })

export type BrakeAnswerJson = z.output<typeof brakeAnswerSchema>
