// Meaning of an answer for the caller, by its status alone. Source: service-facts.md, "Errors, retries, rates".
import type { ServiceError } from '../../model/service/service-error.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { cutText } from '../../std/sanitize.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { NOT_JSON, parseAnswer } from './answer-limits.ts'
import { headerOf, type HttpResponse, type HttpReply } from './request.ts'
import { dateHeaderOf } from './server-time.ts'

/** Pause after a 429 that names no time. */
const DEFAULT_PAUSE = seconds(2)

/** Longest pause after a 429, an hour: a mistaken header must not stop observation for days. */
const MAX_PAUSE = seconds(3600)

/** Statuses after which a GET is repeated. */
const REPEATABLE: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 524])

const TOO_LARGE = 'body: larger than this answer may be'

export type RequestResult = Readonly<{
  result: Result<unknown, ServiceError>
  /** Whether the same GET may be sent again. */
  repeatable: boolean
}>

const final = (result: RequestResult['result']): RequestResult => ({ result, repeatable: false })

export function interpretRead(reply: HttpReply, now: Instant): RequestResult {
  if (reply.kind === 'stopped') return final(failed({ kind: 'unavailable', message: 'stopped' }))
  if (reply.kind === 'lost')
    return { result: failed({ kind: 'unavailable', message: reply.message }), repeatable: true }
  const { status, text } = reply
  if (status >= 200 && status < 300) {
    const body = text === undefined ? failed(TOO_LARGE) : parseAnswer(text)
    if (body.ok && body.value !== undefined) return final(body)
    const problem = body.ok ? NOT_JSON : body.error
    // a text that was cut may be whole the next time; what is too large stays so
    return {
      result: failed({ kind: 'malformed', problems: [problem + pageHint(text)] }),
      repeatable: problem === NOT_JSON,
    }
  }
  const error: ServiceError = isServerFault(status)
    ? { kind: 'unavailable', message: statusText(reply) }
    : refusal(reply, now)
  return { result: failed(error), repeatable: REPEATABLE.has(status) }
}

/** Completes the problem of an answer that is a web page: another program listens at the address. */
const pageHint = (text = ''): string =>
  text.trimStart().startsWith('<') ? ' but a web page: check the base address' : ''

/** Every answer that leaves open whether the change took effect is `uncertain`. The value of an empty body is undefined. */
export function interpretMutation(
  reply: HttpReply,
  { statusSuffices = false }: { readonly statusSuffices?: boolean },
  now: Instant,
): RequestResult['result'] {
  if (reply.kind !== 'answer') return failed(unanswered(reply))
  const { status, text } = reply
  if (status >= 200 && status < 300) {
    const body = text === undefined ? failed(TOO_LARGE) : parseAnswer(text)
    if (body.ok) return body
    return statusSuffices ? ok(undefined) : failed({ kind: 'uncertain', message: body.error })
  }
  if (isServerFault(status)) return failed({ kind: 'uncertain', message: statusText(reply) })
  return failed(refusal(reply, now))
}

function unanswered(reply: Exclude<HttpReply, HttpResponse>): ServiceError {
  if (reply.kind === 'stopped')
    return reply.unsent
      ? { kind: 'unavailable', message: 'withdrawn before it was sent' }
      : { kind: 'uncertain', message: 'stopped before the answer came' }
  return { kind: reply.unsent ? 'unavailable' : 'uncertain', message: reply.message }
}

/** 501 is a refusal: the route does not exist, so nothing was begun. */
const isServerFault = (status: number): boolean => status >= 500 && status !== 501

function refusal(answer: HttpResponse, now: Instant): ServiceError {
  switch (answer.status) {
    case 401:
      return { kind: 'unauthorized' }
    case 404:
      return { kind: 'gone', message: messageOf(answer) || 'no such path (404): check the base address' }
    case 423:
      return { kind: 'busy' }
    case 429:
      return { kind: 'limited', until: after(now, retryAfterOf(answer, now)) }
    default:
      return { kind: 'refused', status: answer.status, message: messageOf(answer) }
  }
}

/** Whether the service lacks a route that the interface text does not have either; a deleted project looks the same. */
export const isMissingRoute = (error: ServiceError): boolean =>
  error.kind === 'gone' || (error.kind === 'refused' && (error.status === 405 || error.status === 501))

/**
 * Pause that `Retry-After` asks for, in seconds or as a date by the service's clock; a short one when it is absent or unreadable, at most
 * an hour.
 */
export function retryAfterOf({ headers }: HttpResponse, now: Instant): Seconds {
  const text = headerOf(headers, 'retry-after')?.trim() ?? ''
  const serviceNow = dateHeaderOf(headers) ?? now
  // some gateways send fractions; and Date.parse reads 30.5 or -5 as days long past
  const isDate = /[a-z]/i.test(text)
  const pause = isDate ? (Date.parse(text) - serviceNow) / 1000 : parseSeconds(text)
  return Number.isNaN(pause) ? DEFAULT_PAUSE : seconds(Math.min(MAX_PAUSE, Math.max(0, pause)))
}

const parseSeconds = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN)

const statusText = (answer: HttpResponse): string => `${answer.status} ${messageOf(answer)}`.trim()

/** Characters: the reason of a refusal, not a page of it. */
const MAX_MESSAGE_LENGTH = 300

/** `message` of the error body, on one line; empty when there is none. May repeat secrets: every exit leaves them out. */
function messageOf({ text }: HttpResponse): string {
  const body = parseAnswer(text ?? '')
  if (!body.ok || typeof body.value !== 'object' || body.value === null) return ''
  const message: unknown = Reflect.get(body.value, 'message')
  return typeof message === 'string' ? cutText(message.replaceAll(/\s+/g, ' '), MAX_MESSAGE_LENGTH) : ''
}
