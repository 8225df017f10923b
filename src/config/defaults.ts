import { stringify } from 'yaml'
import { fieldOf } from '../std/field.ts'
import { wrapText } from '../std/wrap-text.ts'
import { configJsonSchema, type JsonSchema } from './json-schema.ts'

const WIDTH = 110
/** Optional keys that a first configuration needs. */
const NEEDED_KEYS = new Set(['api_key_env'])

type Answers = Readonly<Record<string, unknown>>

/**
 * Optional keys without a default are commented out, required ones show an example. `answers` replace examples and defaults of an account;
 * undefined comments a key out.
 */
export function defaultYaml(answers: Answers = {}): string {
  const head =
    '# Configuration of Dormouse. Every key is here with its default; what is commented out is optional.\n'
  return `${head}${block(configJsonSchema(), '', answers).join('\n')}\n`
}

function block(schema: JsonSchema, indent: string, answers: Answers): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const head = [...(indent === '' ? [''] : []), ...commentLines(property.description, `${indent}# `)]
    // an optional section shows its example, not the defaults of its keys
    if (property.properties && !property.examples)
      return [...head, `${indent}${key}:`, ...block(property, `${indent}  `, {})]
    if (property.items?.properties && schema.required?.includes(key))
      // the first line of a list item carries the dash
      return [...head, `${indent}${key}:`, `${indent}  -`, ...block(property.items, `${indent}    `, answers)]
    return [...head, entry({ key, property, schema, indent }, answers)]
  })
}

type Entry = Readonly<{ key: string; property: JsonSchema; schema: JsonSchema; indent: string }>

function entry({ key, property, schema, indent }: Entry, answers: Answers) {
  const example = property.default ?? property.examples?.[0]
  const isNeeded = property.default !== undefined || NEEDED_KEYS.has(key) || schema.required?.includes(key)
  const isActive = key in answers ? answers[key] !== undefined : isNeeded
  const pair = stringify(
    { [key]: answers[key] ?? example },
    { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 },
  )
  return `${indent}${isActive ? '' : '# '}${pair.trim().slice(1, -1)}`
}

const commentLines = (text = '', prefix: string) =>
  wrapText(text, WIDTH - prefix.length).map((line) => prefix + line)

export const configText = (value: unknown): string => stringify(value).trimEnd()

/** Keys without a default stay out. */
export const withDefaults = (value: unknown): unknown => fillIn(value, configJsonSchema())

function fillIn(value: unknown, schema: JsonSchema): unknown {
  const { properties, items } = schema
  if (Array.isArray(value) && items) return value.map((item) => fillIn(item, items))
  if (!properties) return value ?? schema.default
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) => {
      const inner = fillIn(fieldOf(value, key), property)
      return inner === undefined ? [] : [[key, inner]]
    }),
  )
}
