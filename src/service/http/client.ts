// Requests of one account: key, rate limit, deadline. A GET is retried, a mutation never.
import type { Dispatcher } from 'undici'
import type { Clock, Random } from '../../model/ports/clock.ts'
import { Agent } from '../../std/http-client.ts'
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
import { maxBytesOf } from './answer-limits.ts'
import { interpretMutation, retryAfterOf, interpretRead } from './response.ts'
import type { Priority, SendGuard } from '../../model/ports/service.ts'
import { guardedBy } from './send-guard.ts'
import { createRateLimiter } from '../rate/rate-limiter.ts'

/** Attempts at one GET. Source, with the other numbers here: service-facts.md, "Errors, retries, rates". */
const MAX_ATTEMPTS = 4
/** Longest time for all attempts of a GET and the pauses between them; time in the rate limiter does not count. */
const GIVE_UP_AFTER = seconds(30)
/** Bounds of the pause before the next attempt, seconds. */
const FIRST_BACKOFF = 0.25
const MAX_BACKOFF = 10

/** Time for which a refused key is not sent again, 5 min: one 401 by mistake must not end observation, and a revoked key must not be asked for ever more. */
const REFUSED_KEY_PAUSE = 300

export type ClientOptions = Readonly<{
  /** With the version segment; a slash at the end is optional. */
  baseUrl: string
  /** Called before every request, so that a rotated key is used; the problem is one line for a person. */
  readKey: () => Result<string, string>
  clock: Clock
  random: Random
  requestsPerMinute: number
  /** Requests beyond that rate that may go out at first, 20 a second, as none were made in the minute before. Default: none. */
  unspent?: number | undefined
  /** Default: a pool of 16 connections that are kept alive. */
  dispatcher?: Dispatcher
  /** Called after every request that was answered or lost; not after one that was stopped. */
  onRequest?: (report: RequestReport) => void
}>

export type ReadRequest = Readonly<{
  /** Name of the request in metrics, and its route for rate limits. */
  operation: string
  /** Relative to the base address, with the query. */
  path: string
}>

export type MutationRequest = ReadRequest & {
  readonly method: Exclude<HttpMethod, 'GET'>
  readonly body?: unknown
  /** Whether a status of success is enough: then an unreadable body counts as an empty one. */
  readonly statusSuffices?: boolean
}

type Value = Promise<Result<unknown, ServiceError>>

export type ServiceClient = {
  /** Up to four attempts; only `unavailable`, `limited` and `malformed` are retried. The value is a JSON value. */
  read(request: ReadRequest, signal: AbortSignal): Value
  /** Sends at most once. `unavailable` means that it was not sent. The value is undefined for an empty body. */
  mutate(mutation: MutationRequest, signal: AbortSignal): Value
}

type Call = ReadRequest & {
  readonly priority: Priority
  readonly method: HttpMethod
  readonly body?: unknown
  readonly maySend?: SendGuard | undefined
}
type AdmittedRequest = { readonly key: string; readonly waited: Seconds }
type Attempt = { readonly reply: HttpReply; readonly took: Seconds } | { readonly unsent: ServiceError }

/** Clients of one key and one request allowance, one per priority. */
export type PrioritizedClients = { at(priority: Priority, maySend?: SendGuard): ServiceClient }

export function createClient(options: ClientOptions): PrioritizedClients {
  const { clock, random, readKey, onRequest } = options
  const root = options.baseUrl.replace(/\/+$/, '')
  const dispatcher = options.dispatcher ?? new Agent({ connections: 16 })
  const limiter = createRateLimiter(options, options)
  /** Key that was answered 401, and until when nothing is sent with it. */
  let refused: { readonly key: string; readonly until: Seconds } | undefined

  function usableKey(): Result<string, ServiceError> {
    const key = readKey()
    if (!key.ok) return failed({ kind: 'unavailable', message: `the API key cannot be read: ${key.error}` })
    const isRefused = key.value === refused?.key && clock.monotonic() < refused.until
    return isRefused ? failed({ kind: 'unauthorized' }) : key
  }

  /** Applies what an answer means for later requests. */
  function learn(
    answer: HttpResponse,
    sent: { readonly key: string; readonly route: string; readonly at: Seconds },
  ): void {
    if (answer.status === 401) {
      refused = { key: sent.key, until: seconds(clock.monotonic() + REFUSED_KEY_PAUSE) }
      limiter.stopWaiting() // no request waits with it
    }
    limiter.charge(answer.bytes)
    if (answer.status === 429) limiter.throttle(sent.route, sent.at, retryAfterOf(answer, clock.now()))
  }

  /** Waits for the rate limiter. */
  async function admit(call: Call, signal: AbortSignal): Promise<Result<AdmittedRequest, ServiceError>> {
    const keyBefore = usableKey() // a refused key does not wait
    if (!keyBefore.ok) return keyBefore
    const admission = await limiter.admit(
      { route: call.operation, priority: call.priority, patient: call.method === 'GET' },
      signal,
    )
    if (signal.aborted) return failed({ kind: 'unavailable', message: 'stopped' })
    if (admission.kind === 'stopped') return admit(call, signal)
    if (admission.kind === 'limited') return failed(admission)
    const key = usableKey() // the key may have been replaced or refused meanwhile
    return key.ok ? ok({ key: key.value, waited: admission.waited }) : key
  }

  async function sendOnce(
    call: Call,
    { deadline, retry }: { readonly deadline: Seconds; readonly retry: boolean },
    signal: AbortSignal,
  ): Promise<Attempt> {
    const admitted = await admit(call, signal)
    if (!admitted.ok) return { unsent: admitted.error }
    const { key, waited } = admitted.value

    const sentAt = clock.monotonic()
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const url = `${root}/${call.path}`
    const attempt = { method: call.method, url, key, body, deadline, maxBytes: maxBytesOf(call.operation) }
    const { maySend } = call
    const guarded = maySend ? guardedBy(maySend, dispatcher) : dispatcher
    const reply = await sendRequest(attempt, { clock, dispatcher: guarded }, signal)
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
        share: limiter.share(call.operation),
        tokens: limiter.tokens(),
        headers: answered ? reply.headers : {},
      })
    }
    return { reply, took }
  }

  const at: PrioritizedClients['at'] = (priority, maySend) => ({
    async read(request, signal) {
      let spent = 0
      for (let attempt = 1; ; attempt += 1) {
        const deadline = seconds(Math.min(REQUEST_DEADLINE, GIVE_UP_AFTER - spent))
        // oxlint-disable-next-line no-await-in-loop -- the next attempt depends on this one
        const sent = await sendOnce(
          { ...request, priority, method: 'GET' },
          { deadline, retry: attempt > 1 },
          signal,
        )
        if ('unsent' in sent) return failed(sent.unsent)
        const { result, repeatable } = interpretRead(sent.reply, clock.now())
        const isLimited = !result.ok && result.error.kind === 'limited' // the rate limiter waits out its pause
        const backoff = isLimited ? 0 : backoffAfter(attempt, random)
        spent += sent.took + backoff
        if (!repeatable || attempt === MAX_ATTEMPTS || spent >= GIVE_UP_AFTER) return result
        // oxlint-disable-next-line no-await-in-loop -- the pause before the next attempt
        await clock.sleep(seconds(backoff), signal)
      }
    },
    async mutate(mutation, signal) {
      const sent = await sendOnce(
        { ...mutation, priority, maySend },
        { deadline: REQUEST_DEADLINE, retry: false },
        signal,
      )
      return 'unsent' in sent ? failed(sent.unsent) : interpretMutation(sent.reply, mutation, clock.now())
    },
  })

  return { at }
}

/** Full jitter up to a bound that doubles, seconds. */
const backoffAfter = (attempt: number, random: Random): number =>
  random.unit() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1))
