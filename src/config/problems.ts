import { z } from 'zod'
import { fieldOf } from '../std/field.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { keysAt, type JsonSchema } from './json-schema.ts'
import { expectedWordText, shownWord } from './suggestions.ts'

/** `path: problem, expected values`. Never empty. */
export type ConfigProblems = readonly string[]

/** `keysOf` is asked for the keys to suggest for an unknown one. Without code made for each schema: a configuration is read once. */
export function parseWithSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  keysOf: () => JsonSchema,
): Result<z.output<Schema>, ConfigProblems> {
  const parsed = schema.safeParse(value, { jitless: true })
  if (parsed.success) return ok(parsed.data)
  return failed(parsed.error.issues.flatMap((issue) => linesOf(issue, { value, keysOf })))
}

type Context = Readonly<{ value: unknown; keysOf: () => JsonSchema }>

function linesOf(issue: z.core.$ZodIssue, { value, keysOf }: Context): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => line([...issue.path, key], unknownKey(key, keysAt(keysOf(), issue.path))))
  if (valueAt(value, issue.path) === undefined) return [line(issue.path, 'is missing')]
  const inForm = issue.code === 'invalid_union' && issue.message === 'Invalid input' ? closestForm(issue) : []
  if (inForm.length > 0)
    return inForm.flatMap((inner) =>
      linesOf({ ...inner, path: [...issue.path, ...inner.path] }, { value, keysOf }),
    )
  return [line(issue.path, messageOf(issue))]
}

/** What kinds of values a union has, where the value is none of them. */
const kindsText = ({ errors }: z.core.$ZodIssueInvalidUnion): string => {
  const kinds = errors.flat().flatMap((issue) => (issue.code === 'invalid_type' ? [kindName(issue)] : []))
  return `expected ${[...new Set(kinds)].join(' or ')}`
}

/** The form that was probably meant: the right kind of value, the fewest issues. */
function closestForm({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const ofKind = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  return ofKind.toSorted((a, b) => a.length - b.length)[0] ?? []
}

const line = (path: readonly PropertyKey[], message: string) =>
  path.length === 0 ? message : `${z.core.toDotPath(path.map(shownStep))}: ${message}`

const shownStep = (step: PropertyKey) => (typeof step === 'string' ? shownWord(step) : step)

function messageOf(issue: z.core.$ZodIssue) {
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return `expected ${kindName(issue)}`
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') return kindsText(issue)
  return issue.message
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'keys and values',
  number: 'a number',
  boolean: 'true or false',
}

const kindName = ({ expected }: z.core.$ZodIssueInvalidType): string => NAMES[expected] ?? expected

const valueAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((parent, key) => fieldOf(parent, key), value)

const unknownKey = (key: string, allowed: readonly string[]) =>
  `unknown key${allowed.length === 0 ? '' : expectedWordText(key, allowed)}`
