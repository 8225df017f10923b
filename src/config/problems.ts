import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
} from 'yaml'
import { z } from 'zod'
import { fieldOf } from '../std/field.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { keysAt, type JsonSchema } from './json-schema.ts'
import { expectedWordText, shownWord } from './suggestions.ts'

/** `path: problem, expected values`. Never empty. */
export type ConfigProblems = readonly string[]

/** Line of a key, or of an item of a list, from 1; undefined where the file does not have it. */
export type LineOf = (path: readonly (string | number)[]) => number | undefined

type ParsedYaml = Readonly<{ value: unknown; lineOf: LineOf }>

/**
 * `{}` for an empty text; problems have line and column. A repeated key is a problem. A key without a value counts as left out, so that
 * every key of a section can be commented out.
 */
export function parseYaml(text: string): Result<ParsedYaml, ConfigProblems> {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' })
  const problems = document.errors.map(({ pos, message }) => ({
    at: pos[0],
    message: withoutSource(message),
  }))
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document))
        problems.push({ at: alias.range?.[0] ?? 0, message: 'Alias without an anchor before it' })
    },
  })
  const lineOf: LineOf = (path) => {
    const at = startOf(document, path)
    return at === undefined ? undefined : lineCounter.linePos(at).line
  }
  if (problems.length === 0) return ok({ value: withoutNulls(document.toJS() ?? {}), lineOf })
  return failed(
    problems.map(({ at, message }) => {
      const { line, col } = lineCounter.linePos(at)
      return `line ${line}, column ${col}: ${message}`
    }),
  )
}

/** Offset at which the key or item begins. */
function startOf(document: Document.Parsed, path: readonly (string | number)[]): number | undefined {
  let found: Found = { value: document.contents, begin: undefined }
  for (const step of path)
    found = childOf(isAlias(found.value) ? found.value.resolve(document) : found.value, step)
  return isNode(found.begin) ? found.begin.range?.[0] : undefined
}

/** `begin`: the key or item. */
type Found = Readonly<{ value: unknown; begin: unknown }>

function childOf(parent: unknown, step: string | number): Found {
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
  const item = isSeq(parent) && typeof step === 'number' ? parent.items[step] : undefined
  return { value: pair?.value ?? item, begin: pair?.key ?? item }
}

/** Behind a colon, before `used for` and behind `escape sequence` the parser repeats the file, which may hold a secret in the wrong place. */
const withoutSource = (message: string) =>
  message.replaceAll(/(?<=\S): .*|^.* (?=used for )|(?<=escape sequence) .*/gs, '')

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}

/** `keys`: those to suggest for an unknown one. */
export function parseWithSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  keys: JsonSchema,
): Result<z.output<Schema>, ConfigProblems> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return failed(parsed.error.issues.flatMap((issue) => linesOf(issue, { value, keys })))
}

type Context = Readonly<{ value: unknown; keys: JsonSchema }>

function linesOf(issue: z.core.$ZodIssue, { value, keys }: Context): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => line([...issue.path, key], unknownKey(key, keysAt(keys, issue.path))))
  if (valueAt(value, issue.path) === undefined) return [line(issue.path, 'is missing')]
  const inForm = issue.code === 'invalid_union' && issue.message === 'Invalid input' ? closestForm(issue) : []
  if (inForm.length > 0)
    return inForm.flatMap((inner) =>
      linesOf({ ...inner, path: [...issue.path, ...inner.path] }, { value, keys }),
    )
  return [line(issue.path, messageOf(issue))]
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
    return `expected ${NAMES[issue.expected] ?? issue.expected}`
  return issue.message
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'keys and values',
  number: 'a number',
}

const valueAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((parent, key) => fieldOf(parent, key), value)

const unknownKey = (key: string, allowed: readonly string[]) =>
  `unknown key${allowed.length === 0 ? '' : expectedWordText(key, allowed)}`
