import { z } from 'zod'
import { configSchema } from './schema.ts'

/** The part of JSON Schema that our schemas come out as. */
export type JsonSchema = {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** What the configuration file may hold, for editors: defaults and descriptions included. */
export const configJsonSchema = (): JsonSchema => z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema

export const configJsonSchemaText = (): string =>
  `${JSON.stringify({ title: 'Configuration of Dormouse', ...configJsonSchema() }, undefined, 2)}\n`

/** The keys allowed at `path`; empty where there are no keys to speak of. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let here: JsonSchema | undefined = schema
  for (const step of path) here = typeof step === 'number' ? here?.items : here?.properties?.[String(step)]
  return Object.keys(here?.properties ?? {})
}
