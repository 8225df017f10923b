// What becomes of a delivery after an attempt: a row into a row.
import type { Delivery } from '../../model/output/delivery.ts'
import type { DeliveryOutcome } from '../../model/output/message.ts'
import { after, instant, seconds, type Instant } from '../../model/units.ts'

/** The first pause is at most twice as long, seconds. Doubled, what failed once arrives a little later. */
const FIRST = 30
/** Doubled, a receiver that comes back after a day is noticed an hour later. */
const LONGEST = 3600
/** Least pause: chance alone would also choose none. */
const LEAST = 1
/** Doubled, a message about a budget may arrive on the fourth day. */
export const GIVE_UP_AFTER = seconds(48 * 3600)

export type AttemptContext = {
  readonly now: Instant
  /** In `[0, 1)`. */
  readonly chance: number
}

/**
 * Full jitter: a pause of any length up to a bound that doubles from 30 s to an hour, so that what failed together does not come
 * together again. After 48 hours it is given up.
 */
export function recordAttempt(
  delivery: Delivery,
  outcome: DeliveryOutcome,
  { now, chance }: AttemptContext,
): Delivery {
  const tried = { ...delivery, attempts: delivery.attempts + 1 }
  if (outcome.kind === 'delivered')
    return { ...tried, state: 'delivered', deliveredAt: now, lastError: undefined }
  const lastError = outcome.because
  if (outcome.kind === 'failed') return { ...tried, state: 'failed', lastError }
  const until = after(delivery.madeAt, GIVE_UP_AFTER)
  if (now >= until) return { ...tried, state: 'failed', lastError }
  const bound = Math.min(LONGEST, FIRST * 2 ** Math.min(delivery.attempts, 16))
  const pause = Math.max(LEAST, bound * chance, outcome.after ?? 0)
  // the last attempt is at the end of its patience, not after
  return {
    ...tried,
    nextAt: instant(Math.min(now + pause * 1000, Math.max(until, now + LEAST * 1000))),
    lastError,
  }
}
