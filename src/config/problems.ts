// What is wrong with a file, as lines for the person who wrote it.
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { failed, ok, type Result } from '../model/result.ts'
import { keysAt, type JsonSchema } from './describe.ts'

/** Lines `path: what is wrong, what is allowed`. Never empty. */
export type Problems = readonly string[]

/**
 * The value of YAML text; problems have line and column. A key that comes twice is a problem. A key without a value counts
 * as left out, so that every key of a section can be commented out; an empty file is `{}`.
 */
export function parseYaml(text: string): Result<unknown, Problems> {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  if (document.errors.length === 0) return ok(withoutNulls(document.toJS() ?? {}))
  return failed(
    document.errors.map(({ pos, message }) => {
      const { line, col } = lineCounter.linePos(pos[0])
      return `line ${line}, column ${col}: ${message}`
    }),
  )
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}

/** `value` as `schema` reads it, or everything that is wrong with it at once. `keys` offers the nearest known key for an unknown one. */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  keys: JsonSchema,
): Result<z.output<Schema>, Problems> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return failed(parsed.error.issues.flatMap((issue) => linesOf(issue, { value, keys })))
}

type Context = { readonly value: unknown; readonly keys: JsonSchema }

function linesOf(issue: z.core.$ZodIssue, { value, keys }: Context): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => line([...issue.path, key], unknownKey(key, keysAt(keys, issue.path))))
  if (valueAt(value, issue.path) === undefined) return [line(issue.path, 'is missing')]
  return [line(issue.path, messageOf(issue))]
}

const line = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`

/** Our own words where the schema has some. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`
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

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (here, key) => (typeof here === 'object' && here !== null ? Reflect.get(here, key) : undefined),
    value,
  )

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known)
  if (near !== undefined) return `unknown key, did you mean ${near}?`
  return known.length === 0 ? 'unknown key' : `unknown key, expected one of ${known.join(', ')}`
}

/** The word of `known` that `word` was probably meant to be: a third of it may differ, or it is its beginning. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  const close = ranked.find(({ distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
  return (close ?? ranked.find(({ candidate }) => candidate.startsWith(word)))?.candidate
}

/** Letters to insert, delete or replace to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
