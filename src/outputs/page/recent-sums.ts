// What computes came to in the last days.
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Instant, Micros, Millis } from '../../model/units.ts'

/** Likely values of today and the six days before. */
export type RecentSums = { readonly awake: Millis; readonly idleTail: Millis; readonly spend: Micros }

export type RecentSumsTable = {
  /** Where the first of the days begins. */
  readonly from: Instant
  /** `computeKey` → sums; what is not in it was not awake. */
  readonly sums: ReadonlyMap<string, RecentSums>
  /** Account → since when anything is known of it, as far as days tell. */
  readonly knownFrom: ReadonlyMap<string, Instant>
}

export const recentSumsOf = (sums: RecentSumsTable['sums'], ref: ComputeRef): RecentSums | undefined =>
  sums.get(computeKey(ref))
