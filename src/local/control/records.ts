// What the truth keeps of a compute besides its usage: stops of its server, and changes that API clients asked for.

/** Client sessions of one compute: at both hosts, at the pooled one, and those inside a statement or transaction. */
export type ClientSessions = Readonly<{ open: number; openPooled: number; working: number }>

/** `at` in ms. */
export type SessionsAt = ClientSessions & { readonly at: number }

/**
 * Why a server stopped. `config`: for a change, or at the end of the moment for which a change woke it. `crash`: unasked, also with
 * the local service itself. `maintenance`: for an update of the service that was announced.
 */
export type StopReason =
  | 'autosuspend'
  | 'suspend-call'
  | 'config'
  | 'restart-call'
  | 'disabled'
  | 'deleted'
  | 'quota'
  | 'maintenance'
  | 'crash'

/** A stop of a server, with the sessions that it ended. */
export type Stop = SessionsAt & { readonly why: StopReason }

/** An accepted request for one compute at the instant it took effect, ms, whether or not it changed a value. */
export type Mutation = Readonly<{
  at: number
  action: 'create' | 'update' | 'restart' | 'start' | 'suspend' | 'delete'
  /** Name on the wire → value, as sent. */
  fields: Readonly<Record<string, unknown>>
  /** The running server stops and starts again for it. */
  restarted: boolean
}>

/** Stops, and mutations, that are kept of a compute: the newest. */
export const MAX_RECORDS = 10_000
