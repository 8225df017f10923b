import type { Instant } from '../units.ts'

/** Delivery of one item to one receiver, one for each pair. Plain data. */
export type Delivery = {
  readonly account: string
  /** Name of the receiver. */
  readonly sink: string
  readonly kind: 'event' | 'report'
  /** Key of the event, or slot of the report. */
  readonly item: string
  /** Topic of the event; empty for a report. */
  readonly topic: string
  readonly madeAt: Instant
  /** Finished attempts. */
  readonly attempts: number
  /** Earliest next attempt; only meaningful while waiting. */
  readonly nextAt: Instant
  /** `dropped`: the oldest of too many waiting deliveries, or the receiver was removed. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped'
  /** Text without addresses; undefined before the first error. */
  readonly lastError: string | undefined
  readonly deliveredAt: Instant | undefined
}
