import { z } from 'zod'
import { configSchema } from './schema.ts'

/** The part of JSON Schema that our schemas use. */
export type JsonSchema = {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  /** Schema of keys that `properties` does not name. */
  readonly additionalProperties?: JsonSchema | false
  readonly anyOf?: readonly JsonSchema[]
}

/** JSON Schema of the configuration file with defaults and descriptions, for editors. */
export const configJsonSchema = (): JsonSchema =>
  z.toJSONSchema(configSchema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // zod leaves out the examples of transformed values
      const { examples } = z.globalRegistry.get(zodSchema) ?? {}
      if (Array.isArray(examples)) jsonSchema.examples = examples
    },
  }) as JsonSchema

export const configJsonSchemaText = (): string =>
  `${JSON.stringify({ title: 'Configuration of Dormouse', ...configJsonSchema() }, undefined, 2)}\n`

/** Keys allowed at `path` in any of its forms; empty where no keys are expected. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let forms = formsOf(schema)
  for (const step of path) forms = forms.flatMap((form) => formsOf(schemaAt(form, step)))
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function schemaAt(
  { items, properties, additionalProperties }: JsonSchema,
  step: PropertyKey,
): JsonSchema | undefined {
  if (typeof step === 'number') return items
  return properties?.[String(step)] ?? (additionalProperties || undefined)
}

const formsOf = (schema: JsonSchema | undefined): readonly JsonSchema[] =>
  schema ? [schema, ...(schema.anyOf ?? []).flatMap(formsOf)] : []
