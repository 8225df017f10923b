// Lenient decoding: one value, or a list item by item.
import { z } from 'zod'
import type { Listing } from '../../model/ports/service.ts'
import { firstLines } from '../../std/first-problems.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { cutText } from '../../std/sanitize.ts'
import { unreadOf } from './ownership.ts'

/** Lines for a person, each with its path: `endpoints[1].current_state: …`. Never empty. */
export type DecodeProblems = readonly string[]

/** Characters of an id: those of the service have at most 40. */
const MAX_ID_LENGTH = 64

/** Ids become parts of paths and of our keys, which use `/` between them. */
export const idSchema = (prefix: string) =>
  z
    .string()
    .max(MAX_ID_LENGTH, `expected an id of at most ${MAX_ID_LENGTH} characters`)
    .regex(
      new RegExp(`^${prefix}[\\w-]+$`),
      prefix ? `expected an id that starts with ${prefix}` : 'expected an id',
    )

/** Characters of any other text. */
const MAX_TEXT_LENGTH = 256

/** A longer text is cut, and ends in `…`. */
export const textSchema = z.string().transform((text) => cutText(text, MAX_TEXT_LENGTH))

/** Problems of one value that are told: a record of ours has some twenty fields. */
const MAX_ISSUES = 10

export type JsonPath = readonly PropertyKey[]

export function decodeValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: JsonPath,
): Result<z.output<Schema>, DecodeProblems> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return failed(
    parsed.error.issues
      .slice(0, MAX_ISSUES)
      .map((issue) => `${z.core.toDotPath([...path, ...issue.path]) || 'body'}: ${issue.message}`),
  )
}

/** The array at `path` of `body`, and how many of its items count. */
export type ListPlace = Readonly<{ path: JsonPath; most: number }>

/** Items that fit, and one line for each that does not. */
export function decodeList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  place: ListPlace,
): Result<Listing<z.output<Schema>>, DecodeProblems> {
  const results = decodeItems(schema, body, place)
  return results.ok ? ok(listingOf(results.value)) : results
}

/** The list under `key`, with the ids, where readable, of records that do not fit. Ids begin with `prefix`. */
export function decodeNamedList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  { key, prefix, most }: { readonly key: string; readonly prefix: string; readonly most: number },
): Result<Listing<z.output<Schema>>, DecodeProblems> {
  const results = decodeItems(schema, body, { path: [key], most })
  if (!results.ok) return results
  const unreadable = results.value.filter((result) => !result.ok)
  if (unreadable.length === 0) return ok(listingOf(results.value))
  const identified = z.object({ id: idSchema(prefix) })
  const ids = unreadable.flatMap(({ raw }) => identified.safeParse(raw).data?.id ?? [])
  const isUnidentified = ids.length < unreadable.length
  return ok({
    ...listingOf(results.value),
    ...unreadOf(ids),
    ...(isUnidentified && { hasUnidentified: true }),
  })
}

export type ItemResult<Item> = Result<Item, DecodeProblems> & { readonly raw: unknown }

const itemsSchema = z.array(z.unknown())

/** Wrong items of one list after which it is not decoded further, 1,000: each takes as long as ten that fit. */
const MAX_WRONG = 1000

/** Items beyond the first `most`, or behind too many wrong ones, are not decoded: together they are one more item that does not fit. */
export function decodeItems<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  { path, most }: ListPlace,
): Result<readonly ItemResult<z.output<Schema>>[], DecodeProblems> {
  const items = decodeValue(itemsSchema, valueAt(body, path), path)
  if (!items.ok) return items
  const results: ItemResult<z.output<Schema>>[] = []
  let wrong = 0
  for (const [index, raw] of items.value.entries()) {
    if (index === most || wrong === MAX_WRONG) {
      const excess = `${z.core.toDotPath(path) || 'body'}: ${items.value.length} items, the first ${index} count`
      return ok([...results, { raw: undefined, ...failed([excess]) }])
    }
    const result = { raw, ...decodeValue(schema, raw, [...path, index]) }
    results.push(result)
    wrong += result.ok ? 0 : 1
  }
  return ok(results)
}

const listingOf = <Item>(results: readonly ItemResult<Item>[]): Listing<Item> => ({
  items: results.flatMap((result) => (result.ok ? [result.value] : [])),
  problems: firstLines(results.flatMap((result) => (result.ok ? [] : [result.error.join('; ')]))),
})

export const valueAt = (body: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  )
