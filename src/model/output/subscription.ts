import type { NotifiableEvent, Severity } from './event-kinds.ts'
import type { Seconds } from '../units.ts'

/** Selection of the events that a receiver is notified of. */
export type Subscription = Readonly<{
  /** Undefined: all kinds. */
  events: readonly NotifiableEvent['kind'][] | undefined
  minSeverity: Severity
  /** Only events about computes of this team; undefined: all, also those without an owner. */
  team: string | undefined
  /** Only events about computes whose owner has this channel; undefined: all. */
  channel: string | undefined
  /** Events of the same kind and topic are not repeated before this time. */
  repeatAfter: Seconds
}>
