// Which limit a 429 speaks of, and how long a request to a route has to wait. Pure; times are monotonic.
import { ratio, seconds, type Ratio, type Seconds } from '../../model/units.ts'
import {
  applyThrottle,
  newTokenBucket,
  shareAt,
  takeToken,
  tokensAt,
  timeUntilToken,
  type TokenBucket,
} from './token-bucket.ts'

/**
 * Requests a minute to routes that have a limit far below the account's; half of it, as for the account.
 * Source: service-facts.md, "Errors, retries, rates".
 */
const ROUTE_RATES: Readonly<Record<string, number>> = { list_consumption: 15 }

/** The account's limit counts a minute. Doubled, two routes at limits of their own are taken for the account twice as often. */
const MEMORY = seconds(60)

/**
 * The service limits an account (700 requests a minute) and each route (40 a second), and its 429 does not say which
 * it was. So it is taken for the route's, and that route alone slows down, until another route is refused within a
 * minute: then it is the account's.
 */
export type RateLimits = {
  readonly requestsPerMinute: number
  readonly account: TokenBucket
  /** Operation → its own budget; one without is bound by the account's alone. */
  readonly routes: ReadonlyMap<string, TokenBucket>
  /** Operation → when it was refused last, within a minute of the last of all. Routes with a rate of their own are not among them. */
  readonly refusals: ReadonlyMap<string, Seconds>
}

export const newRateLimits = (requestsPerMinute: number, now: Seconds, unspent?: number): RateLimits => ({
  requestsPerMinute,
  account: newTokenBucket(requestsPerMinute, now, unspent),
  routes: new Map(Object.entries(ROUTE_RATES).map(([route, rate]) => [route, newTokenBucket(rate, now)])),
  refusals: new Map(),
})

const budgetsOf = ({ account, routes }: RateLimits, route: string): TokenBucket[] => {
  const own = routes.get(route)
  return own ? [account, own] : [account]
}

/** How long until any request may go out; 0 when one may now, if its route allows. */
export const waitForAccount = ({ account }: RateLimits, now: Seconds): Seconds => timeUntilToken(account, now)

/** How long until a request to `route` may go out; 0 when it may now. */
export const waitForRoute = (limits: RateLimits, route: string, now: Seconds): Seconds =>
  seconds(Math.max(...budgetsOf(limits, route).map((budget) => timeUntilToken(budget, now))))

/** How much of that the service asked for; 0 or less when it asks for nothing. */
export const servicePauseAt = (limits: RateLimits, route: string, now: Seconds): Seconds =>
  seconds(Math.max(...budgetsOf(limits, route).map(({ notBefore }) => notBefore - now)))

/** A request to `route` goes out now; `waitForRoute` said 0. */
export function recordRequest(limits: RateLimits, route: string, now: Seconds): RateLimits {
  const own = limits.routes.get(route)
  return {
    ...limits,
    account: takeToken(limits.account, now),
    routes: own ? new Map(limits.routes).set(route, takeToken(own, now)) : limits.routes,
  }
}

/** How much of its rate `route` has, the account's limit included. */
export const rateShareOf = (limits: RateLimits, route: string, now: Seconds): Ratio =>
  ratio(Math.min(...budgetsOf(limits, route).map((budget) => shareAt(budget, now))))

/** How many requests of the account may go out at once, whatever their routes allow. */
export const availableTokens = ({ account }: RateLimits, now: Seconds): number => tokensAt(account, now)

/** A request to `route`, sent at `sentAt`, was answered 429. */
export type RateRefusal = {
  readonly route: string
  readonly sentAt: Seconds
  readonly pause: Seconds
  /** What is left of the rate: about a half. */
  readonly factor: number
}

export function applyRefusal(limits: RateLimits, refusal: RateRefusal, now: Seconds): RateLimits {
  const { route, pause } = refusal
  const recent = new Map([...limits.refusals].filter(([, at]) => now - at <= MEMORY))
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
  // what the routes were made to wait and pay for is the account's now
  const asked = [...refusals.keys()].map((one) => servicePauseAt(limits, one, now))
  const whole = seconds(Math.max(pause, ...asked))
  return {
    ...limits,
    refusals,
    account: applyThrottle(limits.account, now, { ...refusal, pause: whole }),
    routes: new Map([...limits.routes].filter(([one]) => !refusals.has(one))),
  }
}
