// Awake intervals of one compute that may still be restated.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeAccount } from '../../model/ledger/ledger.ts'
import type { Instant, Millis } from '../../model/units.ts'
import { idleTailOf } from '../evidence/activity.ts'
import { historyOf } from '../evidence/intervals.ts'

/** In order of time, after those that are settled; the last may go on. */
export function unsettledIntervals(
  { evidence, settledUntil, carried, goneAt }: ComputeAccount,
  delay: AutosuspendDelay,
  now: Instant,
): readonly { readonly interval: AwakeInterval; readonly idleTail: Millis }[] {
  const { intervals } = historyOf(evidence, { settledUntil, carried }, goneAt === undefined ? now : undefined)
  return intervals.map((interval) => ({ interval, idleTail: idleTailOf(interval, evidence, delay) }))
}
