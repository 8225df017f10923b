import type { NotifiableEvent, Severity } from './event-kinds.ts'
import type { Seconds } from '../units.ts'

/** Selection of the events that a receiver is notified of. */
export type Subscription = {
  /** Undefined: all kinds. */
  readonly events: readonly NotifiableEvent['kind'][] | undefined
  readonly minSeverity: Severity
  /** Only what this team of owners answers for; undefined: all, also what nobody answers for. */
  readonly team: string | undefined
  /** Only what this channel of owners answers for; undefined: all. */
  readonly channel: string | undefined
  /** Events of the same kind and topic are not repeated before this time. */
  readonly repeatAfter: Seconds
}
