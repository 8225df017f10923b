// What it costs that computes are awake for nothing.
import type { Micros } from '../units.ts'

/** Why nobody got anything for it, as the labels have it. Where autosuspend is off nothing tells what was used, so that is none of them. */
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

/** What is not in it is 0. Plain data. */
export type Unproductive = { readonly [cause in UnproductiveCause]?: Micros }
