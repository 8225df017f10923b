// How fast an account or a route may be asked: a token bucket that gives way when the service says 429. Pure; times are monotonic.
import { seconds, type Seconds } from '../../model/units.ts'

/** Requests that may go out at once. Public limit: 40 a second per route (service-facts.md); doubled, people notice our sweeps sooner. */
const BURST = 10
/** From half the rate back to the whole. Doubled, a sweep stays slow for longer than people need the room. */
const RECOVERY = seconds(600)
/** Requests a second at which the unspent are given out. Half of the limit of a route; doubled, one list alone reaches it. */
const UNSPENT_RATE = 20
/** The least share of the rate. Doubled, a service that limits for hours is asked twice as often. */
const LEAST_SHARE = 1 / 32

export type TokenBucket = {
  /** The rate when nothing limits, requests a second. */
  readonly rate: number
  /** How much of the rate was left at `at`; grows back with time. */
  readonly share: number
  readonly tokens: number
  /** Requests beyond the rate that may still go out: nobody asked for anything in the minute before. */
  readonly unspent: number
  /** When `share` and `tokens` were true. */
  readonly at: Seconds
  /** Nothing is sent before. */
  readonly notBefore: Seconds
  /** The last time the rate fell; −∞ when never. */
  readonly halvedAt: Seconds
}

export const newTokenBucket = (requestsPerMinute: number, now: Seconds, unspent = 0): TokenBucket => ({
  rate: requestsPerMinute / 60,
  share: 1,
  tokens: BURST,
  unspent,
  at: now,
  notBefore: seconds(-Infinity),
  halvedAt: seconds(-Infinity),
})

/** How long until a request may go out, rounded up to a millisecond; 0 when it may now. */
export function timeUntilToken(budget: TokenBucket, now: Seconds): Seconds {
  const { tokens, share, rate, unspent, notBefore } = refilled(budget, now)
  const pause = Math.max(0, notBefore - now)
  const wait =
    pause + Math.max(0, 1 - tokens) / (unspent > 0 ? Math.max(rate * share, UNSPENT_RATE) : rate * share)
  return seconds(Math.ceil(wait * 1000) / 1000)
}

/** One request goes out now; `timeUntilToken` said 0. */
export function takeToken(budget: TokenBucket, now: Seconds): TokenBucket {
  const current = refilled(budget, now)
  return { ...current, tokens: current.tokens - 1 }
}

/** How much of the rate is left. */
export const shareAt = (budget: TokenBucket, now: Seconds): number => refilled(budget, now).share

/** How many requests may go out at once. */
export const tokensAt = (budget: TokenBucket, now: Seconds): number =>
  now < budget.notBefore ? 0 : Math.max(0, Math.floor(refilled(budget, now).tokens))

type Told = { readonly sentAt: Seconds; readonly pause: Seconds; readonly factor: number }

/**
 * The service answered 429 to a request sent at `sentAt`: nothing more before `pause` has passed, then no burst, and
 * `factor` of the rate. Requests that were on their way together are one event and slow it down once.
 */
export function applyThrottle(budget: TokenBucket, now: Seconds, told: Told): TokenBucket {
  const current = refilled(budget, now)
  const notBefore = seconds(Math.max(current.notBefore, now + told.pause))
  const slowed = { ...current, notBefore, tokens: Math.min(1, current.tokens), unspent: 0 }
  if (told.sentAt < current.halvedAt) return slowed
  return {
    ...slowed,
    share: Math.max(LEAST_SHARE, current.share * told.factor),
    halvedAt: now,
  }
}

/** Tokens come with time, but not while the service asks for a pause. */
function refilled(budget: TokenBucket, now: Seconds): TokenBucket {
  const resumed = Math.min(Math.max(budget.at, budget.notBefore), now)
  const share = grown(budget, now - budget.at)
  // the mean of a straight line; where it reaches 1 on the way this is a little less than the truth
  const mean = (grown(budget, resumed - budget.at) + share) / 2
  const elapsed = Math.max(0, now - resumed)
  const gained = elapsed * budget.rate * mean
  const more = Math.min(budget.unspent, Math.max(0, elapsed * UNSPENT_RATE - gained))
  const tokens = Math.min(BURST, budget.tokens + gained + more)
  return { ...budget, share, tokens, unspent: budget.unspent - more, at: now }
}

const grown = ({ share }: TokenBucket, elapsed: number): number =>
  Math.min(1, share + (Math.max(0, elapsed) * 0.5) / RECOVERY)
