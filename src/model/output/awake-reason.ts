import type { Instant } from '../units.ts'

/** Reason for a compute's state, for people. */
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
      /** `ahead`: `until` is in the future; `due`: it is over, and the next look will show the suspension; `overdue`: a look should have shown it. */
      readonly end: 'ahead' | 'due' | 'overdue'
      /** Whether a later session of Dormouse delays the suspension. */
      readonly ours: boolean
    }
  | {
      readonly because: 'unknown'
      /** Last look, where its age is the reason. */
      readonly since: Instant | undefined
    }
