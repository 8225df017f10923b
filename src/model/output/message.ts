// What is sent to people and programs outside, and what became of one attempt.
import type { Seconds } from '../units.ts'

export type Attachment = { readonly name: string; readonly type: string; readonly body: string }

export type Message = {
  /** The same for every attempt: whoever gets a message twice can tell. */
  readonly key: string
  readonly account: string
  /** Of a report, `2026-W47`. */
  readonly slot?: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** For programs: JSON text, or what is made JSON of. */
  readonly body: unknown
  /** What Slack is sent in place of the text. */
  readonly slack?: object
  readonly attachments: readonly Attachment[]
}

/** `because` is in words of ours, without addresses and without what the receiver said: both may hold secrets. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  /** Whether it arrived may be unknown. `after`: the receiver asked for so long a pause. */
  | { readonly kind: 'retry'; readonly because: string; readonly after?: Seconds }
  /** This message will never be taken. */
  | { readonly kind: 'failed'; readonly because: string }

/** Makes one attempt. Never rejects, and ends soon after `signal` aborts. */
export type Sink = (message: Message, signal: AbortSignal) => Promise<DeliveryOutcome>
