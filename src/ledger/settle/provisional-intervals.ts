// Awake intervals of one compute that may still be restated.
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Instant, Millis } from '../../model/units.ts'
import { idleTailOf } from '../evidence/activity.ts'
import { deriveTimeline } from '../evidence/intervals.ts'

/** In order of time, after those that are settled; the last may go on. */
export function provisionalIntervals(
  { evidence, settledUntil, partlySettled, deletedAt }: ComputeEntry,
  delay: AutosuspendDelay,
  now: Instant,
): readonly { readonly interval: AwakeInterval; readonly idleTail: Millis }[] {
  const { intervals } = deriveTimeline(
    evidence,
    { settledUntil, partlySettled },
    deletedAt === undefined ? now : undefined,
  )
  return intervals.map((interval) => ({ interval, idleTail: idleTailOf(interval, evidence, delay) }))
}
