import type { NotifiableEvent } from './outbox-event.ts'
import type { Seconds } from '../units.ts'

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What a receiver wants to be told. */
export type Subscription = {
  /** Undefined: all kinds. */
  readonly events: readonly NotifiableEvent['kind'][] | undefined
  readonly minSeverity: Severity
  /** Only what this team of owners answers for; undefined: all, also what nobody answers for. */
  readonly team: string | undefined
  /** Likewise, by the channel of the owner. */
  readonly channel: string | undefined
  /** The same about one thing is told again after that. */
  readonly repeatAfter: Seconds
}
