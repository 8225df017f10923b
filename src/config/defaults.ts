// The configuration file with every key at its default, and what a given file comes to.
import { stringify } from 'yaml'
import { configJsonSchema, type JsonSchema } from './json-schema.ts'

const WIDTH = 110

/** Optional keys that a first configuration needs all the same. */
const SHOWN = new Set(['api_key_env'])

type Answers = Readonly<Record<string, unknown>>

/**
 * Every key with its meaning and default; optional ones without a default are commented out, required ones show an example.
 * `answers` stand in place of the examples and defaults of an account; one that is undefined is commented out.
 */
export function defaultYaml(answers: Answers = {}): string {
  const head =
    '# Configuration of Dormouse. Every key is here with its default; what is commented out is optional.\n'
  return `${head}${block(configJsonSchema(), '', answers).join('\n')}\n`
}

function block(schema: JsonSchema, indent: string, answers: Answers): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const comment = wrap(property.description ?? '', `${indent}# `)
    const gap = indent === '' ? [''] : []
    // a section that is optional has an example in place of defaults
    if (property.properties && !property.examples)
      return [...gap, ...comment, `${indent}${key}:`, ...block(property, `${indent}  `, {})]
    if (property.items?.properties && schema.required?.includes(key))
      return [...gap, ...comment, `${indent}${key}:`, ...listItem(property.items, indent, answers)]
    return [...gap, ...comment, entry({ key, property, schema, indent }, answers)]
  })
}

/** The first line of a list item carries the dash. */
function listItem(items: JsonSchema, indent: string, answers: Answers): string[] {
  const lines = block(items, `${indent}    `, answers)
  return [`${indent}  -`, ...lines]
}

type Entry = {
  readonly key: string
  readonly property: JsonSchema
  readonly schema: JsonSchema
  readonly indent: string
}

function entry({ key, property, schema, indent }: Entry, answers: Answers): string {
  const usual = property.default ?? property.examples?.[0]
  const needed = property.default !== undefined || SHOWN.has(key) || schema.required?.includes(key)
  const shown = key in answers ? answers[key] !== undefined : needed
  const pair = stringify(
    { [key]: answers[key] ?? usual },
    { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 },
  )
  return `${indent}${shown ? '' : '# '}${pair.trim().slice(1, -1)}`
}

function wrap(text: string, prefix: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && prefix.length + last.length + word.length < WIDTH)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => prefix + line)
}

/** A configuration as YAML text, without comments. */
export const configText = (value: unknown): string => stringify(value).trimEnd()

/** `value` with the default of every key it leaves out; keys without a default stay out. */
export const withDefaults = (value: unknown): unknown => filled(value, configJsonSchema())

function filled(value: unknown, schema: JsonSchema): unknown {
  const { properties, items } = schema
  if (Array.isArray(value) && items) return value.map((item) => filled(item, items))
  if (!properties) return value ?? schema.default
  const given: object = typeof value === 'object' && value !== null ? value : {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) => {
      const inner = filled(Reflect.get(given, key), property)
      return inner === undefined ? [] : [[key, inner]]
    }),
  )
}
