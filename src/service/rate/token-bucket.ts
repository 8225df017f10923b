// Token bucket of an account or a route. Its rate falls with every 429 and grows back with time. Pure; times are monotonic.
import { seconds, type Seconds } from '../../model/units.ts'

/** Requests that may go out at once. The limit of a route is 40 a second (service-facts.md): people's own requests find room beside a sweep. */
const BURST = 10
/** Time in which half the rate grows back to the whole, 10 min: people who caused the limit keep their room for a while. */
const RECOVERY = seconds(600)
/** Requests a second at which unspent requests go out: half of the limit of a route. */
export const UNSPENT_RATE = 20
/** Smallest share of the rate: a service that limits for hours is still asked now and then. */
const LEAST_SHARE = 1 / 32

export type TokenBucket = Readonly<{
  /** Full rate, requests a second. */
  rate: number
  /** Share of the full rate at `at`; grows back with time. */
  share: number
  tokens: number
  /** Requests beyond the rate that may still go out, as none were made in the minute before. */
  unspent: number
  /** Time of `share` and `tokens`. */
  at: Seconds
  /** Nothing is sent before. */
  notBefore: Seconds
  /** Last fall of the rate; −∞ when there was none. */
  throttledAt: Seconds
}>

export const newTokenBucket = (requestsPerMinute: number, now: Seconds, unspent = 0): TokenBucket => ({
  rate: requestsPerMinute / 60,
  share: 1,
  tokens: BURST,
  unspent,
  at: now,
  notBefore: seconds(-Infinity),
  throttledAt: seconds(-Infinity),
})

/** Time until a request may go out, rounded up to a millisecond; 0 when it may now. */
export function timeUntilToken(bucket: TokenBucket, now: Seconds): Seconds {
  const { tokens, share, rate, unspent, notBefore } = refill(bucket, now)
  const pause = Math.max(0, notBefore - now)
  const wait =
    pause + Math.max(0, 1 - tokens) / (unspent > 0 ? Math.max(rate * share, UNSPENT_RATE) : rate * share)
  return seconds(Math.ceil(wait * 1000) / 1000)
}

/** Takes tokens; more than there are must come back before the next request goes out. */
export function takeTokens(bucket: TokenBucket, now: Seconds, count = 1): TokenBucket {
  const current = refill(bucket, now)
  return { ...current, tokens: current.tokens - count }
}

/** Share of the full rate. */
export const shareAt = (bucket: TokenBucket, now: Seconds): number => refill(bucket, now).share

/** Requests that may go out at once. */
export const tokensAt = (bucket: TokenBucket, now: Seconds): number =>
  now < bucket.notBefore ? 0 : Math.max(0, Math.floor(refill(bucket, now).tokens))

/**
 * Effect of a 429 to a request sent at `sentAt`: no request before `pause` has passed, then no burst, and `factor` of the rate. Requests
 * that were under way together slow it down once.
 */
export function applyThrottle(
  bucket: TokenBucket,
  now: Seconds,
  refusal: { readonly sentAt: Seconds; readonly pause: Seconds; readonly factor: number },
): TokenBucket {
  const current = refill(bucket, now)
  const notBefore = seconds(Math.max(current.notBefore, now + refusal.pause))
  const slowed = { ...current, notBefore, tokens: Math.min(1, current.tokens), unspent: 0 }
  if (refusal.sentAt < current.throttledAt) return slowed
  return {
    ...slowed,
    share: Math.max(LEAST_SHARE, current.share * refusal.factor),
    throttledAt: now,
  }
}

/** Bucket at `now`: tokens come with time, but not while the service asks for a pause. */
function refill(bucket: TokenBucket, now: Seconds): TokenBucket {
  const resumed = Math.min(Math.max(bucket.at, bucket.notBefore), now)
  const share = shareAfter(bucket, now - bucket.at)
  // the mean of a straight line; where it reaches 1 on the way this is a little less than the truth
  const mean = (shareAfter(bucket, resumed - bucket.at) + share) / 2
  const elapsed = Math.max(0, now - resumed)
  const gained = elapsed * bucket.rate * mean
  const more = Math.min(bucket.unspent, Math.max(0, elapsed * UNSPENT_RATE - gained))
  const tokens = Math.min(BURST, bucket.tokens + gained + more)
  return { ...bucket, share, tokens, unspent: bucket.unspent - more, at: now }
}

const shareAfter = ({ share }: TokenBucket, elapsed: number): number =>
  Math.min(1, share + (Math.max(0, elapsed) * 0.5) / RECOVERY)
