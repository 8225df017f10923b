// A change: one accepted setting of one compute, sent to the service as one request.
import type { ComputeRef } from '../service/compute.ts'
import type { ComputeSettings } from '../ports/service.ts'
import type { Bounds } from '../ledger/quantities.ts'
import type { Instant, Micros } from '../units.ts'

/** `restart` sets nothing: the compute is to be started after the change was made. A change of size and delay is of kind `sizing`. */
export type ChangeKind = 'delay' | 'sizing' | 'restart'

/** `idle`: while the compute is suspended and no client is expected. `now`: a person accepts that sessions are cut. */
export type ChangeMoment = 'idle' | 'now'

/** Settings that a change may set. */
export type ChangeSettings = Readonly<Pick<ComputeSettings, 'sizing' | 'autosuspendDelay'>>

type ChangeOrigin = Readonly<
  { by: 'person'; name: string } | { by: 'recommendation'; id: string; hash: string; name: string }
>

/** Plain data. */
export type Change = Readonly<{
  id: string
  /** Grows by 1 with each transition: a transition names the one that it replaces. */
  version: number
  ref: ComputeRef
  kind: ChangeKind
  origin: ChangeOrigin
  /** Only what the change sets; a delay of 0 s is the default. Empty for a restart. */
  desired: ChangeSettings
  /** The same settings when the change was made, with the delay in effect. */
  before: ChangeSettings
  when: ChangeMoment
  /** Digest of compute, kind, before, desired, moment and request: an approval names it. */
  planHash: string
  reason: string
  /** Saving in 30 days by the recommendation; undefined without one. */
  promised: Bounds<Micros> | undefined
  createdAt: Instant
  /** Not sent after it. */
  deadline: Instant
  state: ChangeState
}>

export type EndedChange = Readonly<{
  /** `unknown`: nobody can tell whether it took effect, a person must look. */
  at: 'done' | 'failed' | 'superseded' | 'expired' | 'cancelled' | 'rejected' | 'unknown'
  because: string
  endedAt: Instant
}>

export type ChangeState = Readonly<
  /** Waits for approval. */
  | { at: 'proposed' }
  | {
      at: 'scheduled'
      /** Name of the token; undefined where no approval was needed. */
      approvedBy: string | undefined
      notBefore: Instant
      /** Requests that may have been sent. */
      attempts: number
    }
  /** The request may be on its way, or have taken effect. */
  | {
      at: 'applying'
      approvedBy: string | undefined
      attempt: number
      sentAt: Instant
      /** Last start of the compute before the request; undefined where the service does not publish it. */
      baseStartedAt: Instant | undefined
      /** Epoch of the opening of the store that sent it. */
      epoch: number
      /** When the answer failed to tell; undefined while none came. */
      uncertainAt: Instant | undefined
    }
  | { at: 'verifying'; since: Instant; operationIds: readonly string[] }
  | EndedChange
>

/** One transition, in the order of versions. */
export type ChangeEvent = Readonly<{
  changeId: string
  /** Version that it made. */
  version: number
  at: Instant
  state: ChangeState
}>

export const isEnded = (state: ChangeState): state is EndedChange => 'endedAt' in state
