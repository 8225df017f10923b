import type { Delivery } from '../../model/output/delivery.ts'
import type { DeliveryOutcome } from '../../model/output/message.ts'
import { after, instant, seconds, type Instant } from '../../model/units.ts'

/** Seconds; it doubles with each attempt. */
const FIRST_BOUND = 30
/** Seconds: a receiver that comes back gets its messages within the hour. */
const MAX_BOUND = 3600
/** Seconds: full jitter alone would also choose none. */
const MIN_PAUSE = 1
/** After two days a message about an event helps nobody. */
export const GIVE_UP_AFTER = seconds(48 * 3600)

/** `chance`: in `[0, 1)`. */
type AttemptContext = Readonly<{ now: Instant; chance: number }>

/** Full jitter: a random pause up to a bound that doubles, so that deliveries that failed together are not retried together. */
export function recordAttempt(
  delivery: Delivery,
  outcome: DeliveryOutcome,
  { now, chance }: AttemptContext,
): Delivery {
  const attempted = { ...delivery, attempts: delivery.attempts + 1 }
  if (outcome.kind === 'delivered')
    return { ...attempted, state: 'delivered', deliveredAt: now, lastError: undefined }
  const lastError = outcome.because
  if (outcome.kind === 'failed') return { ...attempted, state: 'failed', lastError }
  const until = after(delivery.madeAt, GIVE_UP_AFTER)
  if (now >= until) return { ...attempted, state: 'failed', lastError }
  const bound = Math.min(MAX_BOUND, FIRST_BOUND * 2 ** Math.min(delivery.attempts, 16))
  const pause = Math.max(MIN_PAUSE, bound * chance, outcome.after ?? 0)
  // the last attempt is at the end of the 48 hours, not after
  const nextAt = instant(Math.min(now + pause * 1000, Math.max(until, now + MIN_PAUSE * 1000)))
  return { ...attempted, nextAt, lastError }
}
