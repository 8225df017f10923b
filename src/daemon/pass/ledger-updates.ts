// What the passes of a turn brought into the ledger, for work beside the passes: recommendations, forecasts, changes of others.
import { isSaturatedBucket } from '../../advise/sizing/load-seen.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import { FINE_STEP, type Rollup } from '../../model/ledger/rollup.ts'
import type { Write } from '../../model/ports/store.ts'
import { computeKey } from '../../model/service/compute.ts'
import { earliest, type Instant } from '../../model/units.ts'

export type LedgerUpdates = Readonly<{
  /** Oldest day that was restated, if any. */
  restatedFrom: Instant | undefined
  /** Keys of computes with settings that were seen for the first time. */
  settingsChanged: readonly string[]
  /** Keys of computes whose operations were read for the first time. */
  pastRead: readonly string[]
  /** Keys of computes, once for each finished step of five minutes that filled their maximum. */
  saturated: readonly string[]
}>

export const NO_UPDATES: LedgerUpdates = {
  restatedFrom: undefined,
  settingsChanged: [],
  pastRead: [],
  saturated: [],
}

/** Updates by `writes`, which made `after` of `before`. */
export function updatesOf(
  writes: readonly Write[],
  { before, after }: Readonly<{ before: Ledger; after: Ledger }>,
): LedgerUpdates {
  let restatedFrom: Instant | undefined
  const [settingsChanged, pastRead, saturated]: [string[], string[], string[]] = [[], [], []]
  const isPastRead = ({ ref, operationsReadAt }: ComputeEntry) =>
    operationsReadAt !== undefined && before.computes.get(computeKey(ref))?.operationsReadAt === undefined
  const isSaturated = (rollup: Rollup) => {
    const sizing = after.computes.get(computeKey(rollup.ref))?.compute.sizing
    return rollup.length === FINE_STEP && sizing !== undefined && isSaturatedBucket(rollup, sizing)
  }
  for (const write of writes)
    if (write.kind === 'day') restatedFrom = earliest(write.day.from, restatedFrom ?? write.day.from)
    else if (write.kind === 'setting') settingsChanged.push(computeKey(write.setting.ref))
    else if (write.kind === 'compute' && isPastRead(write.entry)) pastRead.push(computeKey(write.entry.ref))
    else if (write.kind === 'rollup' && isSaturated(write.rollup))
      saturated.push(computeKey(write.rollup.ref))
  return { restatedFrom, settingsChanged, pastRead, saturated }
}

export function joinUpdates(one: LedgerUpdates, other: LedgerUpdates): LedgerUpdates {
  const days = [one.restatedFrom, other.restatedFrom].filter((day) => day !== undefined)
  return {
    restatedFrom: days.length === 0 ? undefined : earliest(...days),
    settingsChanged: [...one.settingsChanged, ...other.settingsChanged],
    pastRead: [...one.pastRead, ...other.pastRead],
    saturated: [...one.saturated, ...other.saturated],
  }
}
