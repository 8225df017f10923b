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
  /** What every key may hold that `properties` does not name. */
  readonly additionalProperties?: JsonSchema | false
  readonly anyOf?: readonly JsonSchema[]
}

/** What the configuration file may hold, for editors: defaults and descriptions included. */
export const configJsonSchema = (): JsonSchema =>
  z.toJSONSchema(configSchema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // zod leaves out the examples of what is transformed; ours are as the file has them
      const { examples } = z.globalRegistry.get(zodSchema) ?? {}
      if (Array.isArray(examples)) jsonSchema.examples = examples
    },
  }) as JsonSchema

export const configJsonSchemaText = (): string =>
  `${JSON.stringify({ title: 'Configuration of Dormouse', ...configJsonSchema() }, undefined, 2)}\n`

/** The keys allowed at `path`, in any of the forms that are allowed there; empty where there are no keys to speak of. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let here = formsOf(schema)
  for (const step of path) here = here.flatMap((form) => formsOf(inside(form, step)))
  return [...new Set(here.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function inside(
  { items, properties, additionalProperties }: JsonSchema,
  step: PropertyKey,
): JsonSchema | undefined {
  if (typeof step === 'number') return items
  return properties?.[String(step)] ?? (additionalProperties || undefined)
}

const formsOf = (schema: JsonSchema | undefined): readonly JsonSchema[] =>
  schema ? [schema, ...(schema.anyOf ?? []).flatMap(formsOf)] : []
