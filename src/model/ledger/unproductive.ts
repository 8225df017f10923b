// Unproductive spend by cause.
import type { Micros } from '../units.ts'

/** Causes, spelled as metric labels. Disabled autosuspend is no cause, because it does not show what was unused. */
export const UNPRODUCTIVE_CAUSES = [
  'idle_tail',
  'dormouse',
  'idle_in_transaction',
  'keep_alive',
  'replication',
  'subscription',
  'autovacuum',
  'availability_check',
] as const

export type UnproductiveCause = (typeof UNPRODUCTIVE_CAUSES)[number]

/** Cause → spend; an absent cause is 0. Plain data. */
export type Unproductive = { readonly [cause in UnproductiveCause]?: Micros }
