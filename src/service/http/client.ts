// Requests in the name of one account: key, request budget, deadline; GET is repeated, a mutation never.
import { Agent, type Dispatcher } from 'undici'
import type { Clock, Random } from '../../model/ports/clock.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import {
  REQUEST_DEADLINE,
  sendRequest,
  type HttpResponse,
  type HttpMethod,
  type HttpReply,
  type RequestReport,
} from './request.ts'
import { interpretMutation, retryAfterOf, interpretRead } from './response.ts'
import type { Priority } from '../../model/ports/service.ts'
import { createRateLimiter } from '../rate/rate-limiter.ts'

/** Attempts at one GET. Source, with the other numbers here: service-facts.md, "Errors, retries, rates". */
const ATTEMPTS = 4
/** Sending and backing off, all attempts together; waiting for the budget or for a 429 to end does not count. */
const PATIENCE = seconds(30)
const FIRST_BACKOFF = 0.25
const LONGEST_BACKOFF = 10

export type ClientOptions = {
  /** With the version segment; a slash at the end is no matter. */
  readonly baseUrl: string
  /** Asked before every request, so that a rotated key is seen; the problem is one line for a person. */
  readonly readKey: () => Result<string, string>
  readonly clock: Clock
  readonly random: Random
  readonly requestsPerMinute: number
  /** Requests that may go out beyond that at first, 20 a second: nothing was asked in the minute before. Default: none. */
  readonly unspent?: number | undefined
  /** Default: an own pool of 16 connections that are kept alive. */
  readonly dispatcher?: Dispatcher
  /** Told of every request that was answered or lost; not of those that were stopped. */
  readonly onRequest?: (report: RequestReport) => void
}

export type ReadRequest = {
  /** Names it in reports, and the route for limits. */
  readonly operation: string
  /** Relative to the base address, with its query. */
  readonly path: string
}

export type MutationRequest = ReadRequest & {
  readonly method: Exclude<HttpMethod, 'GET'>
  readonly body?: unknown
  /** Whether a status of success says all there is to know: then a body that cannot be read is none. */
  readonly statusSuffices?: boolean
}

type Value = Promise<Result<unknown, ServiceError>>

export type ServiceClient = {
  /** Up to four attempts; only `unavailable`, `limited` and `malformed` were repeated. The value is a JSON value. */
  read(request: ReadRequest, signal: AbortSignal): Value
  /** At most once. `unavailable` means that it was not sent. The value is undefined for an empty body. */
  mutate(mutation: MutationRequest, signal: AbortSignal): Value
}

type Call = ReadRequest & {
  readonly priority: Priority
  readonly method: HttpMethod
  readonly body?: unknown
}
type Admission = { readonly key: string; readonly waited: Seconds }
type Sent = { readonly reply: HttpReply; readonly took: Seconds } | { readonly unsent: ServiceError }

/** One key and one request budget, however many classes of requests there are. */
export type PrioritizedClients = { at(priority: Priority): ServiceClient }

export function createClient(options: ClientOptions): PrioritizedClients {
  const { clock, random, readKey, onRequest } = options
  const root = options.baseUrl.replace(/\/+$/, '')
  const dispatcher = options.dispatcher ?? new Agent({ connections: 16 })
  const turnstile = createRateLimiter(options, options)
  /** The key that was answered 401: nothing is sent with it again. */
  let refused: string | undefined
  /** Aborts when a key is refused, so that nobody queues in its name. */
  let queue = new AbortController()

  function usableKey(): Result<string, ServiceError> {
    const key = readKey()
    if (!key.ok) return failed({ kind: 'unavailable', message: `the API key cannot be read: ${key.error}` })
    return key.value === refused ? failed({ kind: 'unauthorized' }) : key
  }

  /** What an answer says of the requests that come after it. */
  function learn(
    answer: HttpResponse,
    sent: { readonly key: string; readonly route: string; readonly at: Seconds },
  ): void {
    if (answer.status === 401) {
      refused = sent.key
      queue.abort()
      queue = new AbortController()
    }
    if (answer.status === 429) turnstile.limit(sent.route, sent.at, retryAfterOf(answer, clock.now()))
  }

  /** Waits for the turn of one request. The value is the key to send it with, and how long it waited. */
  async function admit(call: Call, signal: AbortSignal): Promise<Result<Admission, ServiceError>> {
    const before = usableKey() // a refused key takes no place in the queue
    if (!before.ok) return before
    const passage = await turnstile.pass(
      { route: call.operation, priority: call.priority, patient: call.method === 'GET' },
      AbortSignal.any([signal, queue.signal]),
    )
    if (signal.aborted) return failed({ kind: 'unavailable', message: 'stopped' })
    if (passage.kind === 'stopped') return admit(call, signal)
    if (passage.kind === 'limited') return failed(passage)
    const key = usableKey() // it may have been replaced, or refused, while we queued
    return key.ok ? ok({ key: key.value, waited: passage.waited }) : key
  }

  async function once(
    call: Call,
    { deadline, retry }: { readonly deadline: Seconds; readonly retry: boolean },
    signal: AbortSignal,
  ): Promise<Sent> {
    const admitted = await admit(call, signal)
    if (!admitted.ok) return { unsent: admitted.error }
    const { key, waited } = admitted.value

    const sentAt = clock.monotonic()
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const attempt = { method: call.method, url: `${root}/${call.path}`, key, body, deadline }
    const reply = withoutKey(await sendRequest(attempt, { clock, dispatcher }, signal), key)
    const took = seconds(clock.monotonic() - sentAt)
    if (reply.kind === 'answer') learn(reply, { key, route: call.operation, at: sentAt })
    if (reply.kind !== 'stopped') {
      const answered = reply.kind === 'answer'
      onRequest?.({
        operation: call.operation,
        code: answered ? String(reply.status) : reply.code,
        seconds: took,
        retry,
        priority: call.priority,
        waited,
        share: turnstile.share(call.operation),
        tokens: turnstile.tokens(),
        headers: answered ? reply.headers : {},
      })
    }
    return { reply, took }
  }

  const at = (priority: Priority): ServiceClient => ({
    async read(request, signal) {
      let spent = 0
      for (let attempt = 1; ; attempt += 1) {
        const deadline = seconds(Math.min(REQUEST_DEADLINE, PATIENCE - spent))
        // oxlint-disable-next-line no-await-in-loop -- the next attempt depends on this one
        const sent = await once(
          { ...request, priority, method: 'GET' },
          { deadline, retry: attempt > 1 },
          signal,
        )
        if ('unsent' in sent) return failed(sent.unsent)
        const { result, repeatable } = interpretRead(sent.reply, clock.now())
        const limit = !result.ok && result.error.kind === 'limited' // its pause is kept by the turnstile
        const backoff = limit ? 0 : backoffAfter(attempt, random)
        spent += sent.took + backoff
        if (!repeatable || attempt === ATTEMPTS || spent >= PATIENCE) return result
        // oxlint-disable-next-line no-await-in-loop -- the same
        await clock.sleep(seconds(backoff), signal)
      }
    },
    async mutate(mutation, signal) {
      const sent = await once({ ...mutation, priority }, { deadline: REQUEST_DEADLINE, retry: false }, signal)
      return 'unsent' in sent ? failed(sent.unsent) : interpretMutation(sent.reply, mutation, clock.now())
    },
  })

  return { at }
}

/** Full jitter: anything up to a bound that doubles. */
const backoffAfter = (attempt: number, random: Random): number =>
  random.unit() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1))

/** Nothing that a refusal or a failure says may carry the key on into a message or a log. */
function withoutKey(reply: HttpReply, key: string): HttpReply {
  switch (reply.kind) {
    case 'answer':
      return reply.status < 300 ? reply : { ...reply, text: reply.text?.replaceAll(key, '[key]') }
    case 'lost':
      return { ...reply, message: reply.message.replaceAll(key, '[key]') }
    case 'stopped':
      return reply
  }
}
