import type { z } from 'zod'
import type { Settings } from '../control/events.ts'
import type { Call } from './context.ts'
import { problemsText, errorAnswer } from './errors.ts'

/** What the client sent, or the answer that says what is wrong with it. */
export type Input<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: Response }

/** How the service treats what it does not take. */
type Rules = { readonly settings: () => Pick<Settings, 'errors' | 'unknownFields'> }

/** The JSON body, as the schema yields it. */
export async function bodyOf<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
  api: Rules,
): Promise<Input<z.output<Schema>>> {
  const type = call.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    return {
      ok: false,
      answer: errorAnswer(call, 415, `content-type: expected application/json, got ${type ?? 'none'}`),
    }
  }
  const body = parsed(await call.req.text())
  const { errors, unknownFields } = api.settings()
  if (body === undefined)
    return { ok: false, answer: errorAnswer(call, errors.invalid, 'the body is not valid JSON') }
  const result = schema.safeParse(body)
  if (!result.success)
    return { ok: false, answer: errorAnswer(call, errors.invalid, problemsText(result.error)) }
  const unknown = unknownFields === 'refused' ? unknownIn(body, result.data) : []
  if (unknown.length > 0) {
    const message = unknown.map((path) => `${path}: unknown field`).join('; ')
    return { ok: false, answer: errorAnswer(call, errors.invalid, message) }
  }
  return { ok: true, value: result.data }
}

/** The same where a route takes no body as well: then the schema gets an empty object. */
export async function optionalBodyOf<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
  api: Rules,
): Promise<Input<z.output<Schema>>> {
  const hasType = call.req.header('content-type') !== undefined
  const text = hasType ? '' : await call.req.text()
  if (hasType || text !== '') return bodyOf(call, schema, api)
  const result = schema.safeParse({})
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, answer: errorAnswer(call, api.settings().errors.invalid, problemsText(result.error)) }
}

/** Paths of what was sent and is not in what the schema made of it. */
function unknownIn(sent: unknown, kept: unknown, path: readonly string[] = []): string[] {
  if (typeof sent !== 'object' || sent === null || typeof kept !== 'object' || kept === null) return []
  return Object.entries(sent).flatMap(([key, value]) => {
    const here = [...path, key]
    return key in kept ? unknownIn(value, (kept as Record<string, unknown>)[key], here) : [here.join('.')]
  })
}

/** The query, as the schema yields it. Each value is a text; of a repeated one all values, joined with commas. */
export function queryOf<Schema extends z.ZodType>(call: Call, schema: Schema): Input<z.output<Schema>> {
  const all = Object.entries(call.req.queries()).map(([name, values]) => [name, values.join(',')] as const)
  const result = schema.safeParse(Object.fromEntries(all))
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, answer: errorAnswer(call, 400, problemsText(result.error)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // JSON never yields undefined, so it can stand for "no JSON"
  }
}
