import type { Instant } from '../units.ts'

/** One thing to be told to one receiver; plain data. Of one item and sink there is one. */
export type Delivery = {
  readonly account: string
  /** The name of the receiver. */
  readonly sink: string
  readonly kind: 'event' | 'report'
  /** The key of the event, or the slot of the report. */
  readonly item: string
  /** Of an event its topic, of a report empty. */
  readonly topic: string
  readonly madeAt: Instant
  /** Those that ended. */
  readonly attempts: number
  /** Not to be tried before; without meaning when it waits no more. */
  readonly nextAt: Instant
  /** `dropped`: too many waited, and it was the oldest; or its receiver is no more. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped'
  /** In words and without addresses; undefined before the first. */
  readonly lastError: string | undefined
  readonly deliveredAt: Instant | undefined
}
