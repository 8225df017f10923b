// Rate limits of an account and its routes: which of them a 429 lowers, and how long a request has to wait. Pure; times are monotonic.
import { ratio, seconds, type Ratio, type Seconds } from '../../model/units.ts'
import {
  applyThrottle,
  newTokenBucket,
  shareAt,
  takeTokens,
  tokensAt,
  timeUntilToken,
  type TokenBucket,
} from './token-bucket.ts'

/**
 * Requests a minute to routes that have a limit far below the account's; half of it, as for the account.
 * Source: service-facts.md, "Errors, retries, rates".
 */
const ROUTE_RATES: Readonly<Record<string, number>> = { list_consumption: 15 }

/** Time within which 429s of two routes mean the account's limit: that one counts a minute. */
const REFUSAL_MEMORY = seconds(60)

/**
 * The service limits an account (700 requests a minute) and each route (40 a second), and its 429 does not say which limit was reached.
 * 1. A 429 counts as the route's limit: that route alone slows down.
 * 2. When another route is refused within a minute, it is the account's limit.
 */
export type RateLimits = Readonly<{
  requestsPerMinute: number
  account: TokenBucket
  /** Operation → its own limit; an operation without one is bound by the account's alone. */
  routes: ReadonlyMap<string, TokenBucket>
  /** Operation → its last 429, within a minute of the newest; without routes that have a rate of their own. */
  refusals: ReadonlyMap<string, Seconds>
}>

export const newRateLimits = (requestsPerMinute: number, now: Seconds, unspent?: number): RateLimits => ({
  requestsPerMinute,
  account: newTokenBucket(requestsPerMinute, now, unspent),
  routes: new Map(Object.entries(ROUTE_RATES).map(([route, rate]) => [route, newTokenBucket(rate, now)])),
  refusals: new Map(),
})

const bucketsOf = ({ account, routes }: RateLimits, route: string): TokenBucket[] => {
  const own = routes.get(route)
  return own ? [account, own] : [account]
}

/** Time until the account allows a request; 0 when it does now. */
export const waitForAccount = ({ account }: RateLimits, now: Seconds): Seconds => timeUntilToken(account, now)

/** Time until a request to `route` may go out; 0 when it may now. */
export const waitForRoute = (limits: RateLimits, route: string, now: Seconds): Seconds =>
  seconds(Math.max(...bucketsOf(limits, route).map((bucket) => timeUntilToken(bucket, now))))

/** Part of that time that the service asked for; 0 or less when it asks for none. */
export const servicePauseAt = (limits: RateLimits, route: string, now: Seconds): Seconds =>
  seconds(Math.max(...bucketsOf(limits, route).map(({ notBefore }) => notBefore - now)))

/** A request to `route` goes out now; `waitForRoute` said 0. */
export function recordRequest(limits: RateLimits, route: string, now: Seconds): RateLimits {
  const own = limits.routes.get(route)
  return {
    ...limits,
    account: takeTokens(limits.account, now),
    routes: own ? new Map(limits.routes).set(route, takeTokens(own, now)) : limits.routes,
  }
}

/** Bytes of an answer that count as one more request, 1 MiB: so a minute of answers is bounded, too. Full pages are smaller. */
const BYTES_PER_REQUEST = 2 ** 20

/** An answer of so many bytes came. */
export function chargeBytes(limits: RateLimits, bytes: number, now: Seconds): RateLimits {
  const requests = Math.floor(bytes / BYTES_PER_REQUEST)
  return requests === 0 ? limits : { ...limits, account: takeTokens(limits.account, now, requests) }
}

/** Share of its full rate that `route` has, the account's limit included. */
export const rateShareOf = (limits: RateLimits, route: string, now: Seconds): Ratio =>
  ratio(Math.min(...bucketsOf(limits, route).map((bucket) => shareAt(bucket, now))))

/** Requests of the account that may go out at once, whatever their routes allow. */
export const availableTokens = ({ account }: RateLimits, now: Seconds): number => tokensAt(account, now)

/** A request to `route`, sent at `sentAt`, was answered 429. */
export type RateRefusal = Readonly<{
  route: string
  sentAt: Seconds
  pause: Seconds
  /** Share of the rate that remains, about a half. */
  factor: number
}>

export function applyRefusal(limits: RateLimits, refusal: RateRefusal, now: Seconds): RateLimits {
  const { route, pause } = refusal
  const recent = new Map([...limits.refusals].filter(([, at]) => now - at <= REFUSAL_MEMORY))
  const isOwn = route in ROUTE_RATES
  const refusals = isOwn ? recent : recent.set(route, now)
  if (isOwn || refusals.size < 2) {
    const own = limits.routes.get(route) ?? newTokenBucket(limits.requestsPerMinute, now)
    return {
      ...limits,
      refusals,
      routes: new Map(limits.routes).set(route, applyThrottle(own, now, refusal)),
    }
  }
  // the account takes over pauses and refusals of the routes
  const pauses = [...refusals.keys()].map((refused) => servicePauseAt(limits, refused, now))
  const longest = seconds(Math.max(pause, ...pauses))
  return {
    ...limits,
    refusals,
    account: applyThrottle(limits.account, now, { ...refusal, pause: longest }),
    routes: new Map([...limits.routes].filter(([name]) => !refusals.has(name))),
  }
}
