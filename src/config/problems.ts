import { z } from 'zod'
import { fieldOf } from '../std/field.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { keysAt, type JsonSchema } from './json-schema.ts'
import { issueText } from './issue-text.ts'
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
  return failed(
    withoutConsequences(parsed.error.issues).flatMap((issue) => linesOf(issue, { value, keysOf })),
  )
}

/** Checks of a text or a list run for values of another kind, too, and say nothing that matters there. */
function withoutConsequences(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const ofKind = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('\n')),
  )
  return issues.filter(({ code, path }) => code !== 'too_small' || !ofKind.has(path.join('\n')))
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
  return [line(issue.path, issueText(issue))]
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

const valueAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((parent, key) => fieldOf(parent, key), value)

const unknownKey = (key: string, allowed: readonly string[]) =>
  `unknown key${allowed.length === 0 ? '' : expectedWordText(key, allowed)}`
