import type { ComputeRef } from '../service/compute.ts'
import type { Instant } from '../units.ts'

/** Statistics of one compute's clients, apart from its ledger entry, which is rewritten at every look. */
export type ComputeStatistics = Readonly<{
  ref: ComputeRef
  /** `gapBucket` → number of gaps. */
  gapCounts: readonly number[]
  /** When stored last; before the first time, when the compute was first seen awake. */
  updatedAt: Instant
}>

/** Class of a gap between client activities: log2 of its seconds, at most `longest`. */
export const gapBucket = (gap: number, longest: number): number =>
  Math.min(longest, Math.floor(Math.log2(Math.max(1, gap))))
