// Message to a receiver, and the outcome of one attempt to deliver it.
import type { Seconds } from '../units.ts'

export type Attachment = { readonly name: string; readonly type: string; readonly body: string }

export type Message = {
  /** Key that is equal for all attempts, so that a receiver can drop duplicates. */
  readonly key: string
  readonly account: string
  /** Slot of a report, `2026-W47`. */
  readonly slot?: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Body for programs: JSON text, or a value to serialise as JSON. */
  readonly body: unknown
  /** Slack body, sent in place of the text. */
  readonly slack?: object
  readonly attachments: readonly Attachment[]
}

/** `because` contains neither addresses nor text of the receiver, because both may hold secrets. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  /** The message may have arrived. `after`: pause requested by the receiver. */
  | { readonly kind: 'retry'; readonly because: string; readonly after?: Seconds }
  /** The receiver will never accept this message. */
  | { readonly kind: 'failed'; readonly because: string }

/** Makes one attempt. Never rejects, and ends soon after `signal` aborts. */
export type Sink = (message: Message, signal: AbortSignal) => Promise<DeliveryOutcome>
