import type { ComputeAccount } from '../../model/ledger/ledger.ts'
import { NO_ROLLUPS } from '../../model/ledger/rollup.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { Facts } from '../apply-facts.ts'
import { rolledUp, type RolledUp } from './roll-up.ts'

/** The rollups of a compute after what one sweep tells of it. */
export function rollupsAfter(
  before: ComputeAccount | undefined,
  { ref, looks, readings, gone }: Facts,
  preset: Preset,
): RolledUp {
  return rolledUp(before?.rollups ?? NO_ROLLUPS, {
    ref,
    before: before && { compute: before.compute, at: before.seenAt },
    readBefore: before?.reading,
    looks,
    readings,
    limitOf: (compute) => {
      const last = before?.reading.last
      return (
        (last?.maxConnections ?? preset.maxConnections(compute.sizing)) - (last?.reservedConnections ?? 0)
      )
    },
    isGone: gone !== undefined && looks.length === 0,
    preset,
  })
}
