import type { z } from 'zod'
import type { Call } from './context.ts'
import { problemsText, refuse } from './errors.ts'

/** What the client sent, or the answer that says what is wrong with it. */
export type Input<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: Response }

/** The JSON body, as the schema yields it. Fields the schema does not know are ignored. */
export async function bodyOf<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<Input<z.output<Schema>>> {
  const type = call.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    return {
      ok: false,
      answer: refuse(call, 415, `content-type: expected application/json, got ${type ?? 'none'}`),
    }
  }
  const body = parsed(await call.req.text())
  if (body === undefined) return { ok: false, answer: refuse(call, 400, 'the body is not valid JSON') }
  return checked(call, schema, body)
}

/** The query, as the schema yields it. Each value is a text. */
export const queryOf = <Schema extends z.ZodType>(call: Call, schema: Schema): Input<z.output<Schema>> =>
  checked(call, schema, call.req.query())

function checked<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
  value: unknown,
): Input<z.output<Schema>> {
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, answer: refuse(call, 400, problemsText(result.error)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // JSON never yields undefined, so it can stand for "no JSON"
  }
}
