// Failures of the real world, on request: late and slow answers, rates, errors with and without effect.
import type { Hono, MiddlewareHandler } from 'hono'
import type { Api, Call, Env } from './context.ts'
import { errorAnswer } from './errors.ts'
import { routePattern } from './request-counter.ts'

/** Stands before the routes; `undisturbed` are the same routes without it, for what lands late. */
export function injectFaults(api: Api, undisturbed: Hono<Env>): MiddlewareHandler<Env> {
  const rates = createRates()
  const never = new AbortController().signal
  return async (call, next) => {
    const { rates: limited, faults: now, lateMutation } = api.settings()
    if (now.slowAnswers > 0) await api.clock.sleep(1000 * now.slowAnswers, never)
    const { retryAfter } = now.tooManyRequests
    if (api.switches.take('tooManyRequests')) return limit(call, retryAfter)
    const wait = limited ? rates.wait(routePattern(call.req.method, call.req.path), api.clock.now()) : 0
    if (wait > 0) return limit(call, wait)
    if (lateMutation !== 'off' && isMutation(call))
      return landLate(call, undisturbed, { api, delay: lateMutation })
    if (!api.switches.take('serverErrors')) return next()
    if (now.serverErrors.takesEffect) await next()
    call.res = errorAnswer(call, now.serverErrors.status, 'the service failed, as it was asked to')
    return undefined
  }
}

/** A mutation of projects and what is in them; keys take effect at once. */
const isMutation = (call: Call): boolean =>
  call.req.method !== 'GET' && call.req.path.startsWith('/api/v2/projects')

function limit(call: Call, retryAfter: number): Response {
  if (retryAfter > 0) call.header('retry-after', String(Math.ceil(retryAfter)))
  return errorAnswer(call, 429, 'too many requests')
}

/** Answers as a gateway that gave up, and does what was asked for later. */
async function landLate(
  call: Call,
  undisturbed: Hono<Env>,
  { api, delay }: { readonly api: Api; readonly delay: number },
): Promise<Response> {
  const { method, url, headers } = call.req.raw
  const body = await call.req.text()
  const request = new Request(url, { method, headers, ...(body !== '' && { body }) })
  api.clock.after(1000 * delay, () => void undisturbed.fetch(request, call.env))
  return errorAnswer(call, 504, 'no answer in time')
}

/** Counts requests against the public rates: 700 a minute in all, 40 in a second on one route (service-facts 5). */
type Rates = {
  /** Seconds to wait before this request is allowed; 0 when it is, and then it counts. */
  wait(route: string, now: number): number
}

const PER_MINUTE = 700
const BURST = 40

function createRates(): Rates {
  let minute: number[] = []
  const seconds = new Map<string, number[]>()
  return {
    wait: (route, now) => {
      minute = minute.filter((at) => at > now - 60_000)
      const recent = (seconds.get(route) ?? []).filter((at) => at > now - 1000)
      seconds.set(route, recent)
      if (minute.length >= PER_MINUTE) return Math.ceil(((minute[0] ?? now) + 60_000 - now) / 1000)
      if (recent.length >= BURST) return 1
      minute.push(now)
      recent.push(now)
      return 0
    },
  }
}
