// Faults of the service on request: slow and late answers, rate limits, errors with and without effect.
import type { Hono, MiddlewareHandler } from 'hono'
import type { Api, Call, Env } from './context.ts'
import { errorAnswer } from './errors.ts'
import { routePattern } from './request-counter.ts'

/** Middleware before the routes. `late` are the same routes without it, with late mutations. */
export function injectFaults(api: Api, late: Hono<Env>): MiddlewareHandler<Env> {
  const waitFor = createRateLimits()
  /** Answers 504 at once; the request takes effect later. */
  const answerBeforeEffect = async (call: Call) => {
    const { method, url, headers } = call.req.raw
    const body = await call.req.text()
    await late.fetch(new Request(url, { method, headers, ...(body !== '' && { body }) }), call.env)
    return errorAnswer(call, 504, 'no answer in time')
  }
  return async (call, next) => {
    const { rates: hasRateLimits, faults, lateMutation } = api.settings()
    if (faults.slowAnswers > 0) await api.clock.sleep(1000 * faults.slowAnswers)
    const { retryAfter } = faults.tooManyRequests
    if (api.switches.take('tooManyRequests')) return answerTooManyRequests(call, retryAfter)
    const wait = hasRateLimits ? waitFor(routePattern(call.req.method, call.req.path), api.clock.now()) : 0
    if (wait > 0) return answerTooManyRequests(call, wait)
    if (lateMutation !== 'off' && isMutation(call)) return answerBeforeEffect(call)
    if (!api.switches.take('serverErrors')) return next()
    if (faults.serverErrors.takesEffect) await next()
    call.res = errorAnswer(call, faults.serverErrors.status, 'the service failed, as it was asked to')
    return undefined
  }
}

/** Whether the request changes a project. Keys always take effect at once. */
const isMutation = (call: Call) => call.req.method !== 'GET' && call.req.path.startsWith('/api/v2/projects')

function answerTooManyRequests(call: Call, retryAfter: number): Response {
  if (retryAfter > 0) call.header('retry-after', String(Math.ceil(retryAfter)))
  return errorAnswer(call, 429, 'too many requests')
}

/** Requests a minute over all routes; a second on one route. */
const PER_MINUTE = 700
const PER_SECOND_AND_ROUTE = 40

/** Public rate limits (service-facts 5): counts an allowed request and returns 0, else the seconds to wait. */
function createRateLimits(): (route: string, now: number) => number {
  let minute: number[] = []
  const seconds = new Map<string, number[]>()
  return (route, now) => {
    minute = minute.filter((at) => at > now - 60_000)
    const recent = (seconds.get(route) ?? []).filter((at) => at > now - 1000)
    seconds.set(route, recent)
    if (minute.length >= PER_MINUTE) return Math.ceil(((minute[0] ?? now) + 60_000 - now) / 1000)
    if (recent.length >= PER_SECOND_AND_ROUTE) return 1
    minute.push(now)
    recent.push(now)
    return 0
  }
}
