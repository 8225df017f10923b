import type { NotifiableEvent, Severity } from './event-kinds.ts'
import type { Seconds } from '../units.ts'

/** Events that a receiver is notified of. */
export type Subscription = Readonly<{
  /** Undefined: all kinds. */
  events: readonly NotifiableEvent['kind'][] | undefined
  minSeverity: Severity
  /** Only about computes of this team; undefined: all, also those without an owner. */
  team: string | undefined
  /** Only about computes whose owner has this channel. */
  channel: string | undefined
  /** Time before which the same kind and topic is not repeated. */
  repeatAfter: Seconds
}>
