// Bodies and queries of requests, parsed by a schema. Throws `ApiError` for input that does not fit.
import { z } from 'zod'
import type { Settings } from '../control/events.ts'
import type { PgSettings } from '../control/project.ts'
import { settingsRefusal } from '../control/requests/pg-settings.ts'
import type { Api, Call } from './context.ts'
import { ApiError, type ErrorStatus } from './errors.ts'

type Rules = { readonly settings: () => Pick<Settings, 'errors' | 'unknownFields'> }

export const limitQuery = (max: number, fallback: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).max(max).default(fallback)

export async function parseBody<Body>(call: Call, schema: z.ZodType<Body>, api: Rules): Promise<Body> {
  const type = call.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const expected = 'application/json'
  if (type !== expected) throw new ApiError(415, `content-type: expected ${expected}, got ${type ?? 'none'}`)
  const body = parseJson(await call.req.text())
  const { errors, unknownFields } = api.settings()
  if (body === undefined) throw new ApiError(errors.invalid, 'the body is not valid JSON')
  const value = parseValue(body, schema, errors.invalid)
  const unknown = unknownFields === 'refused' ? unknownFieldsIn(body, value) : []
  const problems = unknown.map((path) => `${path}: unknown field`)
  if (problems.length > 0) throw new ApiError(errors.invalid, problems.join('; '))
  return value
}

/** An absent body counts as an empty object. */
export async function parseOptionalBody<Body>(call: Call, schema: z.ZodType<Body>, api: Rules) {
  const hasBody = call.req.header('content-type') !== undefined || (await call.req.text()) !== ''
  return hasBody ? parseBody(call, schema, api) : parseValue({}, schema, api.settings().errors.invalid)
}

/** Values of a repeated parameter are joined with commas. */
export function parseQuery<Query>(call: Call, schema: z.ZodType<Query>): Query {
  const values = Object.entries(call.req.queries()).map(([name, texts]) => [name, texts.join(',')] as const)
  return parseValue(Object.fromEntries(values), schema, 400)
}

/** Throws for settings that the control plane or Postgres refuses (S-115). `path` names their field. */
export async function requirePgSettings(values: PgSettings = {}, path: string, api: Api): Promise<void> {
  const { invalid } = api.settings().errors
  const problem = settingsRefusal(values, path)
  if (problem) throw new ApiError(invalid, problem)
  const refusal = await api.checkSettings(values)
  if (refusal !== undefined) throw new ApiError(invalid, `${path}.${refusal}`)
}

function parseValue<Value>(value: unknown, schema: z.ZodType<Value>, status: ErrorStatus): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  const problems = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  throw new ApiError(status, problems.join('; '))
}

/** Fields that the client sent and the schema dropped. */
function unknownFieldsIn(sent: unknown, parsed: unknown, parents: readonly string[] = []): string[] {
  if (typeof sent !== 'object' || sent === null || typeof parsed !== 'object' || parsed === null) return []
  return Object.entries(sent).flatMap(([key, value]) => {
    const path = [...parents, key]
    if (!(key in parsed)) return [path.join('.')]
    return unknownFieldsIn(value, (parsed as Record<string, unknown>)[key], path)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // JSON never yields undefined: it means "no JSON"
  }
}
