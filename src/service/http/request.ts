// Sends one HTTP request. The answer is neither interpreted nor repeated.
import type { Dispatcher } from 'undici'
import type { Clock } from '../../model/ports/clock.ts'
import { createDeadline } from '../../std/deadline.ts'
import { request } from '../../std/http-client.ts'
import { seconds, type Ratio, type Seconds } from '../../model/units.ts'
import type { Priority } from '../../model/ports/service.ts'
import { MAX_ERROR_BYTES } from './answer-limits.ts'
import { Withdrawn } from './send-guard.ts'

/** Longest time from sending to the last byte: a service that hangs must not hold up a pass. */
export const REQUEST_DEADLINE = seconds(10)
export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type HttpRequest = Readonly<{
  method: HttpMethod
  url: string
  key: string
  /** JSON text. */
  body: string | undefined
  deadline: Seconds
  /** Bytes that the body of a success may have. */
  maxBytes: number
}>

/** An answer, whatever its status. */
export type HttpResponse = Readonly<{
  kind: 'answer'
  status: number
  /** Undefined when it was larger than it may be. */
  text: string | undefined
  /** Bytes of the body that were received. */
  bytes: number
  headers: ResponseHeaders
}>

/** Lower-case names; a header that came several times is a list. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A request that was answered or lost. */
export type RequestReport = Readonly<{
  operation: string
  /** The status as text; `network` or `timeout` without a whole answer. */
  code: string
  seconds: Seconds
  /** Whether it repeats an earlier request. */
  retry: boolean
  priority: Priority
  /** Time in the rate limiter. */
  waited: Seconds
  /** Share of its full rate that the operation has after this answer. */
  share: Ratio
  /** Requests that may go out at once after it. */
  tokens: number
  /** Empty without a whole answer. */
  headers: ResponseHeaders
}>

/** First header of that name. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

export type HttpReply =
  | HttpResponse
  /** No answer or only a part of one. `unsent`: nothing of the request has left, so the service cannot have done it. */
  | {
      readonly kind: 'lost'
      readonly code: 'network' | 'timeout'
      readonly message: string
      readonly unsent?: true
    }
  /** `unsent`: by the guard of a mutation. */
  | { readonly kind: 'stopped'; readonly unsent?: true }

/** Sends `attempt` once. Never rejects; a redirect is an answer. */
export async function sendRequest(
  attempt: HttpRequest,
  { clock, dispatcher }: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  signal: AbortSignal,
): Promise<HttpReply> {
  using deadline = createDeadline((ended) => clock.sleep(attempt.deadline, ended), signal)
  try {
    const response = await request(attempt.url, {
      dispatcher,
      method: attempt.method,
      headers: headersOf(attempt),
      body: attempt.body ?? null,
      signal: deadline.signal,
    })
    const { statusCode: status, headers } = response
    const maxBytes = status < 300 ? attempt.maxBytes : MAX_ERROR_BYTES
    return { kind: 'answer', status, headers, ...(await receive(response.body, maxBytes)) }
  } catch (cause) {
    if (cause instanceof Withdrawn) return { kind: 'stopped', unsent: true }
    if (deadline.isOver())
      return { kind: 'lost', code: 'timeout', message: `no answer within ${Math.ceil(attempt.deadline)} s` }
    if (signal.aborted) return { kind: 'stopped' }
    return {
      kind: 'lost',
      code: 'network',
      message: messageOf(cause),
      ...(isBeforeSending(cause) && { unsent: true }),
    }
  }
}

const headersOf = ({ key, body }: HttpRequest): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  accept: 'application/json',
  ...(body !== undefined && { 'content-type': 'application/json' }),
})

async function receive(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Pick<HttpResponse, 'text' | 'bytes'>> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return { text: undefined, bytes } // leaving the loop closes the connection
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes }
}

/** Codes of failures before anything was sent: no connection, or a request that cannot be written. A reset may come at any time. */
const UNSENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
])

/** Whether the request cannot have arrived, by the error of undici. */
export const isBeforeSending = (cause: unknown): boolean =>
  cause instanceof AggregateError
    ? cause.errors.every(isBeforeSending)
    : cause instanceof Error && 'code' in cause && UNSENT.has(cause.code)

/** A failed connection to several addresses has its text in its parts. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join(', ')
  if (!(cause instanceof Error)) return String(cause)
  const hint = 'code' in cause ? HINTS.get(cause.code) : undefined
  return hint === undefined ? cause.message : `${cause.message}: ${hint}`
}

const UNKNOWN_AUTHORITY =
  "no known authority vouches for its certificate; name the authority's file in the variable NODE_EXTRA_CA_CERTS"

/** What to check first, by code. Source: Node, "Common system errors" and "TLS: X509 certificate error codes". */
const HINTS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there; check the base address'],
  ['ENOTFOUND', 'there is no such host; check the base address'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
])
