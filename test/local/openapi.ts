// Checks answers of the local service against the service's public OpenAPI document.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

type Schema = {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

type ResponseObject = {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
type Operation = { readonly responses: Readonly<Record<string, ResponseObject>> }
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema & ResponseObject>>>>
}

const file = fileURLToPath(import.meta.resolve('@neondatabase/api-client')).replace(
  /dist[\\/].*$/,
  'public-v2-for-users.gen.yaml',
)
const document: Document = parse(readFileSync(file, 'utf8'))

export type ApiResponse = {
  readonly method: string
  /** Relative to `/api/v2`, without the query. */
  readonly path: string
  readonly status: number
  readonly body: unknown
}

/** Problems of a response, each with its path; empty when it fits or when the document lacks the route. */
export function problemsOf({ method, path, status, body }: ApiResponse): string[] {
  const operation = operationOf(method, path)
  if (!operation) return []
  const response =
    operation.responses[String(status)] ?? (status >= 400 ? operation.responses['default'] : undefined)
  if (!response) return [`status ${status} is not in the document`]
  const schema = resolved(response).content?.['application/json']?.schema
  if (!schema) return body === undefined ? [] : ['a body where none belongs']
  return check(schema, body, '$')
}

/** Paths of the document, fewest parameters first: a path without parameters wins. */
const templates = Object.keys(document.paths)
  .toSorted((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => ({ path, shape: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`) }))

function operationOf(method: string, path: string): Operation | undefined {
  const template = templates.find(({ shape }) => shape.test(path))?.path
  return template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
}

function resolved<Value extends Schema | ResponseObject>(value: Value): Value {
  if (value.$ref === undefined) return value
  const [, , section = '', name = ''] = value.$ref.split('/')
  const found = document.components[section]?.[name]
  if (!found) throw new Error(`the document lacks ${value.$ref}`)
  return resolved(found as Value)
}

function check(given: Schema, value: unknown, path: string): string[] {
  const schema = resolved(given)
  if (value === null && schema.nullable) return []
  const parts = (schema.allOf ?? []).flatMap((part) => check(part, value, path))
  return [
    ...parts,
    ...checkChoice(schema, value, path),
    ...checkType(schema, value, path),
    ...checkInside(schema, value, path),
  ]
}

function checkChoice(schema: Schema, value: unknown, path: string): string[] {
  const alternatives = schema.oneOf ?? schema.anyOf
  if (alternatives && !alternatives.some((one) => check(one, value, path).length === 0)) {
    return [`${path}: fits no alternative`]
  }
  return schema.enum && !schema.enum.includes(value) ? [`${path}: ${String(value)} is not in the enum`] : []
}

function checkInside(schema: Schema, value: unknown, path: string): string[] {
  if (typeof value === 'string') return checkText(schema, value, path)
  if (typeof value === 'number') return checkNumber(schema, value, path)
  if (Array.isArray(value))
    return value.flatMap((item, at) => check(schema.items ?? {}, item, `${path}[${at}]`))
  return isRecord(value) ? checkObject(schema, value, path) : []
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isRecord,
}

const checkType = ({ type }: Schema, value: unknown, path: string): string[] =>
  type === undefined || TYPES[type]?.(value)
    ? []
    : [`${path}: expected ${type}, got ${JSON.stringify(value)}`]

const FORMATS: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
}

function checkText(schema: Schema, value: string, path: string): string[] {
  const { minLength = 0, maxLength = Infinity, pattern = '', format = '' } = schema
  const shapes = [new RegExp(pattern), FORMATS[format] ?? /^/]
  const fits =
    shapes.every((shape) => shape.test(value)) && value.length >= minLength && value.length <= maxLength
  return fits
    ? []
    : [`${path}: ${JSON.stringify(value)} does not fit /${pattern}/ ${format} ${minLength}…${maxLength}`]
}

const checkNumber = ({ minimum, maximum }: Schema, value: number, path: string): string[] =>
  value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)
    ? []
    : [`${path}: ${value} is out of range`]

function checkObject(schema: Schema, value: Record<string, unknown>, path: string): string[] {
  const missing = (schema.required ?? []).filter((key) => value[key] === undefined)
  const known = Object.entries(schema.properties ?? {})
  const others = Object.entries(value).filter(([key]) => !(key in (schema.properties ?? {})))
  const rest = isRecord(schema.additionalProperties) ? schema.additionalProperties : {}
  return [
    ...missing.map((key) => `${path}.${key}: missing`),
    ...known.flatMap(([key, of]) =>
      value[key] === undefined ? [] : check(of, value[key], `${path}.${key}`),
    ),
    ...others.flatMap(([key, item]) => check(rest, item, `${path}.${key}`)),
  ]
}
