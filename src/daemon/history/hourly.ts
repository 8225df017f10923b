import { closeRollup } from '../../ledger/rollup/bucketize.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { History } from '../../model/ports/history.ts'
import { COARSE_STEP, type Rollup } from '../../model/ledger/rollup.ts'
import type { Interval } from '../../model/units.ts'

/** Hourly rollups, compute by compute in order of time: finished hours from the store, the current one from the ledger. */
export async function* hourlyRollups(
  history: Pick<History, 'rollups'>,
  ledger: Ledger,
  { from, to }: Interval,
): AsyncGenerator<Rollup> {
  const open = openHours(ledger, { from, to })
  let last: Rollup | undefined
  for await (const rollup of history.rollups(ledger.account, { from, to, length: COARSE_STEP })) {
    if (last && last.ref !== rollup.ref) yield* takeOpenHour(open, last)
    last = rollup
    yield rollup
  }
  if (last) yield* takeOpenHour(open, last)
  yield* open.values()
}

function openHours({ computes }: Ledger, { from, to }: Interval) {
  const open = new Map<string, Rollup>()
  for (const [key, { ref, rollups }] of computes) {
    const { coarse } = rollups
    if (coarse && coarse.from < to && coarse.from + COARSE_STEP * 1000 > from)
      open.set(key, closeRollup(coarse, { ref, length: COARSE_STEP }))
  }
  return open
}

/** Takes the open hour of a compute. An hour that was stored since the ledger was read is already there as a row. */
function* takeOpenHour(open: Map<string, Rollup>, last: Rollup) {
  const key = computeKey(last.ref)
  const hour = open.get(key)
  open.delete(key)
  if (hour && hour.from > last.from) yield hour
}
