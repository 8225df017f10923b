import type { NotifiableEvent, Severity } from './event-kinds.ts'
import type { Seconds } from '../units.ts'

/** Selection of the events that a receiver is notified of. */
export type Subscription = {
  /** Undefined: all kinds. */
  readonly events: readonly NotifiableEvent['kind'][] | undefined
  readonly minSeverity: Severity
  /** Only events about computes of this team; undefined: all, also those without an owner. */
  readonly team: string | undefined
  /** Only events about computes whose owner has this channel; undefined: all. */
  readonly channel: string | undefined
  /** Events of the same kind and topic are not repeated before this time. */
  readonly repeatAfter: Seconds
}
