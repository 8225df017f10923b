import type { Instant } from '../units.ts'

/** Why a compute is in its state, for people. */
export type AwakeReason =
  | { readonly because: 'asleep'; readonly since: Instant | undefined }
  | { readonly because: 'starting' }
  | { readonly because: 'disabled' }
  | { readonly because: 'autosuspend-off' }
  | { readonly because: 'clients'; readonly application: string | undefined; readonly working: number }
  | {
      readonly because: 'idle-in-transaction' | 'replication' | 'subscription' | 'autovacuum'
      readonly count: number
    }
  | { readonly because: 'recent-activity'; readonly at: Instant; readonly application: string | undefined }
  | {
      readonly because: 'idle-tail'
      readonly since: Instant
      readonly until: Instant
      /** Whether `until` is to come; or over, and the next look tells; or so long ago that a look would have told. */
      readonly end: 'ahead' | 'due' | 'overdue'
      /** Whether a session of ours came after it, which puts the end off. */
      readonly ours: boolean
    }
  | {
      readonly because: 'unknown'
      /** When it was last seen, where that is why. */
      readonly since: Instant | undefined
    }
