// What a fleet page is made from.
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import type { Instant, Micros, Millis } from '../../model/units.ts'
import type { FleetQuery } from './query.ts'

export type FleetPageInput = {
  readonly snapshot: Snapshot
  readonly query: FleetQuery
  /** Undefined until the days were summed up for the first time. */
  readonly recent: RecentSumsTable | undefined
  /** Current price of a CU-hour of an account. */
  readonly priceOf: (account: string) => Micros
}

/** Likely values of today and the six days before. */
export type RecentSums = { readonly awake: Millis; readonly idleTail: Millis; readonly spend: Micros }

export type RecentSumsTable = {
  /** Start of the first of the seven days. */
  readonly from: Instant
  /** `computeKey` → sums; computes that were not awake are absent. */
  readonly sums: ReadonlyMap<string, RecentSums>
  /** Account → start of the first day that is known of it. */
  readonly knownFrom: ReadonlyMap<string, Instant>
}

export const recentSumsOf = (sums: RecentSumsTable['sums'], ref: ComputeRef): RecentSums | undefined =>
  sums.get(computeKey(ref))
