// Prices of no wake inside each window, from the gaps that recommended delays rest on.
import { createNoWakeCosts } from '../../advise/no-wake.ts'
import type { Window } from '../../calendar/window.ts'
import type { Recommendation } from '../../model/policy/recommendation.ts'
import type { History } from '../../model/ports/history.ts'
import { computeKey, isComputeRef } from '../../model/service/compute.ts'
import { earliest, latest } from '../../model/units.ts'
import type { NoWakeCosts } from '../../outputs/text/recommendation-schema.ts'

/**
 * The gaps of all listed computes are read in one go, without holding them.
 *
 * @param listed open recommendations of one account, at most one delay of each compute @throws when the store fails
 */
export async function readNoWakeCosts(
  {
    history,
    windows,
  }: Readonly<{
    history: Pick<History, 'gaps'>
    /** By name. */
    windows: ReadonlyMap<string, Window>
  }>,
  account: string,
  listed: readonly Recommendation[],
): Promise<NoWakeCosts> {
  const delays = listed.flatMap((one) => {
    const { ref, to } = one
    return isComputeRef(ref) && to.delay !== undefined && to.delay !== 'never' ? [{ ...one, ref }] : []
  })
  if (windows.size === 0 || delays.length === 0) return new Map()
  const sums = new Map(
    delays.map((one) => [computeKey(one.ref), { id: one.id, sum: createNoWakeCosts(one, windows) }]),
  )
  const from = earliest(...delays.map(({ grounds }) => grounds.from))
  const to = latest(...delays.map(({ grounds }) => grounds.to))
  const computes = delays.map(({ ref }) => ref)
  for await (const gap of history.gaps(account, { from, to, computes }))
    sums.get(computeKey(gap.ref))?.sum.add(gap)
  return new Map(
    [...sums.values()].map(({ id, sum }) => [
      id,
      sum.costs().map(({ window, micros, wakesPerDay }) => ({ window, micros, wakes_per_day: wakesPerDay })),
    ]),
  )
}
