import type { Instant } from '../units.ts'

/** Delivery of one item to one receiver. Plain data. */
export type Delivery = Readonly<{
  account: string
  /** Name of the receiver. */
  sink: string
  kind: 'event' | 'report'
  /** Key of an event, slot of a report. */
  item: string
  /** Empty for a report. */
  topic: string
  madeAt: Instant
  /** Finished attempts. */
  attempts: number
  /** Only meaningful while waiting. */
  nextAt: Instant
  /** `dropped`: the oldest of too many waiting deliveries, or the receiver was removed. */
  state: 'waiting' | 'delivered' | 'failed' | 'dropped'
  /** Without addresses. */
  lastError: string | undefined
  deliveredAt: Instant | undefined
}>
