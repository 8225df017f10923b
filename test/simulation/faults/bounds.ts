// The ledger of a pass beside the truth of the service at the same instant.
import { takeSnapshot } from '../../../src/daemon/snapshot/snapshot.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { preset, prices } from '../../support/build.ts'
import { at, type Pass } from './days.ts'

/** Awake seconds of one compute. */
export type Comparison = {
  readonly endpointId: string
  readonly low: number
  readonly likely: number
  readonly high: number
  readonly truth: number
  readonly isDeleted: boolean
}

/** Records carry whole seconds, so a bound may miss the truth by the rounding of an edge, seconds. */
export const TOLERANCE = 1
/** A wake of the last minute is seen by the next pass, as activity is listed up to 20 s late. */
export const UNSEEN_WAKE = 80

export function compare({ state, service, at: elapsed }: Pass): readonly Comparison[] {
  const now = instant(Math.floor(at(elapsed)))
  const context = {
    now,
    version: 1,
    passSeconds: seconds(0),
    staleAfter: seconds(600),
    activityLag: seconds(20),
    owners: createOwners([]),
  }
  const { computes } = takeSnapshot([{ state, prices, preset, unreadable: undefined }], context)
  const truth = new Map(service.usages(now).map((real) => [real.endpointId, real.awakeSeconds]))
  return computes.map(({ identity: { ref }, state: { isDeleted }, ledger: { awake } }) => ({
    endpointId: ref.endpointId,
    low: awake.low / 1000,
    likely: awake.likely / 1000,
    high: awake.high / 1000,
    truth: truth.get(ref.endpointId) ?? 0,
    isDeleted,
  }))
}

/** Comparisons in which the bounds do not contain the truth. @param took seconds in which the pass may have looked too early */
export const outside = (comparisons: readonly Comparison[], took = 0): readonly Comparison[] =>
  comparisons.filter(({ low, high, truth }) => truth < low - TOLERANCE || truth > high + UNSEEN_WAKE + took)
