// What an answer means for the caller. Source: service-facts.md, "Errors, retries, rates"; the client keys on the status alone.
import type { ServiceError } from '../../model/service/service-error.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { headerOf, type HttpResponse, type HttpReply } from './request.ts'
import { dateHeaderOf } from './server-time.ts'

/** When a 429 names no time. Doubled, a burst that was refused waits twice as long. */
const UNNAMED_PAUSE = seconds(2)

/** A mistaken header must not keep an account unseen for days. Doubled, it is for two hours. */
const LONGEST_PAUSE = seconds(3600)

const REPEATED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 524])

const MALFORMED = {
  large: 'body: larger than 32 MiB',
  broken: 'body: not JSON',
}

/** How a request ended, and whether the same GET may be sent again. */
export type RequestResult = {
  readonly result: Result<unknown, ServiceError>
  readonly repeatable: boolean
}

const final = (result: RequestResult['result']): RequestResult => ({ result, repeatable: false })

/** `undefined` is the value of an empty body. */
export function interpretRead(reply: HttpReply, now: Instant): RequestResult {
  if (reply.kind === 'stopped') return final(failed({ kind: 'unavailable', message: 'stopped' }))
  if (reply.kind === 'lost')
    return { result: failed({ kind: 'unavailable', message: reply.message }), repeatable: true }
  const { status, text } = reply
  if (status >= 200 && status < 300) {
    if (text === undefined) return final(failed({ kind: 'malformed', problems: [MALFORMED.large] }))
    const body = parseJson(text)
    if (body.ok && body.value !== undefined) return final(body)
    return { result: failed({ kind: 'malformed', problems: [MALFORMED.broken] }), repeatable: true }
  }
  const error: ServiceError = inTrouble(status)
    ? { kind: 'unavailable', message: statusText(reply) }
    : refusal(reply, now)
  return { result: failed(error), repeatable: REPEATED.has(status) }
}

/** Whatever leaves open whether the change took effect is `uncertain`. */
export function interpretMutation(
  reply: HttpReply,
  { statusSuffices = false }: { readonly statusSuffices?: boolean },
  now: Instant,
): RequestResult['result'] {
  if (reply.kind !== 'answer') return failed(unanswered(reply))
  const { status, text } = reply
  if (status >= 200 && status < 300) {
    const body = text === undefined ? failed(MALFORMED.large) : parseJson(text)
    if (body.ok) return body
    return statusSuffices ? ok(undefined) : failed({ kind: 'uncertain', message: body.error })
  }
  if (inTrouble(status)) return failed({ kind: 'uncertain', message: statusText(reply) })
  return failed(refusal(reply, now))
}

function unanswered(reply: Exclude<HttpReply, HttpResponse>): ServiceError {
  if (reply.kind === 'stopped') return { kind: 'uncertain', message: 'stopped before the answer came' }
  return { kind: reply.unsent ? 'unavailable' : 'uncertain', message: reply.message }
}

/** 501 is a refusal: there is no such thing, so nothing was begun. */
const inTrouble = (status: number): boolean => status >= 500 && status !== 501

function refusal(answer: HttpResponse, now: Instant): ServiceError {
  switch (answer.status) {
    case 401:
      return { kind: 'unauthorized' }
    case 404:
      return { kind: 'gone', message: messageOf(answer) }
    case 423:
      return { kind: 'busy' }
    case 429:
      return { kind: 'limited', until: after(now, retryAfterOf(answer, now)) }
    default:
      return { kind: 'refused', status: answer.status, message: messageOf(answer) }
  }
}

/** A route that the interface text does not have, and this service neither; a project that is gone looks the same. */
export const isMissingRoute = (error: ServiceError): boolean =>
  error.kind === 'gone' || (error.kind === 'refused' && (error.status === 405 || error.status === 501))

/**
 * What `Retry-After` asks for, in seconds or as a date by the service's own clock; a short pause when it is absent or
 * unreadable, and never more than an hour.
 */
export function retryAfterOf({ headers }: HttpResponse, now: Instant): Seconds {
  const text = headerOf(headers, 'retry-after')?.trim() ?? ''
  const there = dateHeaderOf(headers) ?? now
  const asked = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - there) / 1000
  return Number.isNaN(asked) ? UNNAMED_PAUSE : seconds(Math.min(LONGEST_PAUSE, Math.max(0, asked)))
}

const statusText = (answer: HttpResponse): string => `${answer.status} ${messageOf(answer)}`.trim()

/** The `message` of the error body, on one line; empty when there is none. */
function messageOf({ text }: HttpResponse): string {
  const body = parseJson(text ?? '')
  if (!body.ok || typeof body.value !== 'object' || body.value === null) return ''
  const message: unknown = Reflect.get(body.value, 'message')
  return typeof message === 'string' ? withoutPasswords(message.replaceAll(/\s+/g, ' ')).slice(0, 300) : ''
}

/** A connection string that a message quotes loses its password. */
const withoutPasswords = (text: string): string =>
  text.replaceAll(/(\w+:\/\/[^\s:/@]*):[^\s@]*@/g, '$1:[password]@')

/** `undefined` for nothing at all. */
function parseJson(text: string): Result<unknown, string> {
  if (text.trim() === '') return ok(undefined)
  try {
    return ok(JSON.parse(text))
  } catch {
    return failed(MALFORMED.broken)
  }
}
