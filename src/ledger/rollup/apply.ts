import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { NO_ROLLUPS } from '../../model/ledger/rollup.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { ComputeFacts } from '../facts.ts'
import { rollUp, type RollupUpdate } from './roll-up.ts'

/** The rollups of a compute after what one sweep tells of it. */
export function rollUpFacts(
  before: ComputeEntry | undefined,
  { ref, looks, readings, deletion }: ComputeFacts,
  preset: Preset,
): RollupUpdate {
  return rollUp(before?.rollups ?? NO_ROLLUPS, {
    ref,
    before: before && { compute: before.compute, at: before.observedAt },
    readBefore: before?.reading,
    looks,
    readings,
    limitOf: (compute) => {
      const last = before?.reading.last
      return (
        (last?.maxConnections ?? preset.maxConnections(compute.sizing)) - (last?.reservedConnections ?? 0)
      )
    },
    isGone: deletion !== undefined && looks.length === 0,
    preset,
  })
}
