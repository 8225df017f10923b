// A message, and the outcome of one attempt to deliver it.
import type { Seconds } from '../units.ts'

export type Attachment = Readonly<{ name: string; type: string; body: string }>

export type Message = Readonly<{
  /** Equal for all attempts: a receiver can drop duplicates. */
  key: string
  account: string
  /** Slot of a report, `2026-W47`. */
  slot?: string
  subject: string
  text: string
  html?: string
  /** For programs: JSON text, or a value to serialise. */
  body: unknown
  /** Sent in place of the text. */
  slack?: object
  attachments: readonly Attachment[]
}>

/** `because` contains neither addresses nor text of the receiver: both may hold secrets. */
export type DeliveryOutcome = Readonly<
  | { kind: 'delivered' }
  /** The message may have arrived. `after`: pause requested by the receiver. */
  | { kind: 'retry'; because: string; after?: Seconds }
  /** The receiver will never accept this message. */
  | { kind: 'failed'; because: string }
>

/** Makes one attempt. Never rejects, and ends soon after `signal` aborts. */
export type Sink = (message: Message, signal: AbortSignal) => Promise<DeliveryOutcome>
