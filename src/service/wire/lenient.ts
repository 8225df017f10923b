// Lenient decoding: one value, or a list item by item.
import { z } from 'zod'
import type { Listing } from '../../model/ports/service.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { unreadOf } from './ownership.ts'

/** Lines for a person, each with its path: `endpoints[1].current_state: …`. Never empty. */
export type DecodeProblems = readonly string[]

/** Ids become parts of paths and of our keys, which use `/` between them. */
export const idSchema = (prefix: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}[\\w-]+$`),
      prefix ? `expected an id that starts with ${prefix}` : 'expected an id',
    )

export type JsonPath = readonly PropertyKey[]

export function decodeValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: JsonPath,
): Result<z.output<Schema>, DecodeProblems> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return failed(
    parsed.error.issues.map(
      (issue) => `${z.core.toDotPath([...path, ...issue.path]) || 'body'}: ${issue.message}`,
    ),
  )
}

/** Items of the array at `path` of `body` that fit, and one line for each that does not. */
export function decodeList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  path: JsonPath,
): Result<Listing<z.output<Schema>>, DecodeProblems> {
  const results = decodeItems(schema, body, path)
  return results.ok ? ok(listingOf(results.value)) : results
}

/** The list under `key`, with the ids, where readable, of records that do not fit. Ids begin with `prefix`. */
export function decodeNamedList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  { key, prefix }: { readonly key: string; readonly prefix: string },
): Result<Listing<z.output<Schema>>, DecodeProblems> {
  const results = decodeItems(schema, body, [key])
  if (!results.ok) return results
  const unreadable = results.value.filter((result) => !result.ok)
  if (unreadable.length === 0) return ok(listingOf(results.value))
  const identified = z.object({ id: idSchema(prefix) })
  const ids = unreadable.flatMap(({ raw }) => identified.safeParse(raw).data?.id ?? [])
  return ok({ ...listingOf(results.value), ...unreadOf(ids) })
}

export type ItemResult<Item> = Result<Item, DecodeProblems> & { readonly raw: unknown }

const itemsSchema = z.array(z.unknown())

export function decodeItems<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  path: JsonPath,
): Result<readonly ItemResult<z.output<Schema>>[], DecodeProblems> {
  const items = decodeValue(itemsSchema, valueAt(body, path), path)
  return items.ok
    ? ok(items.value.map((raw, index) => ({ raw, ...decodeValue(schema, raw, [...path, index]) })))
    : items
}

const listingOf = <Item>(results: readonly ItemResult<Item>[]): Listing<Item> => ({
  items: results.flatMap((result) => (result.ok ? [result.value] : [])),
  problems: results.flatMap((result) => (result.ok ? [] : [result.error.join('; ')])),
})

export const valueAt = (body: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  )
