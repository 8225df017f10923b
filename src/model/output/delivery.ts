import type { Instant } from '../units.ts'

/** Delivery of one item to one receiver, one for each pair. Plain data. */
export type Delivery = Readonly<{
  account: string
  /** Name of the receiver. */
  sink: string
  kind: 'event' | 'report'
  /** Key of the event, or slot of the report. */
  item: string
  /** Topic of the event; empty for a report. */
  topic: string
  madeAt: Instant
  /** Finished attempts. */
  attempts: number
  /** Earliest next attempt; only meaningful while waiting. */
  nextAt: Instant
  /** `dropped`: the oldest of too many waiting deliveries, or the receiver was removed. */
  state: 'waiting' | 'delivered' | 'failed' | 'dropped'
  /** Text without addresses; undefined before the first error. */
  lastError: string | undefined
  deliveredAt: Instant | undefined
}>
