import { z } from 'zod'
import { configSchema } from './schema.ts'

/** As far as our schemas use it. */
export type JsonSchema = Readonly<{
  type?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  required?: readonly string[]
  properties?: Readonly<Record<string, JsonSchema>>
  items?: JsonSchema
  /** Schema of keys that `properties` does not name. */
  additionalProperties?: JsonSchema | false
  anyOf?: readonly JsonSchema[]
}>

/** With defaults and descriptions, for editors. */
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

/** In any form of `path`; empty where no keys are expected. */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let forms = formsOf(schema)
  for (const step of path) forms = forms.flatMap((form) => formsOf(schemaAt(form, step)))
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function schemaAt({ items, properties, additionalProperties }: JsonSchema, step: PropertyKey) {
  if (typeof step === 'number') return items
  return properties?.[String(step)] ?? (additionalProperties || undefined)
}

const formsOf = (schema: JsonSchema | undefined): readonly JsonSchema[] =>
  schema ? [schema, ...(schema.anyOf ?? []).flatMap(formsOf)] : []
