// Context that stays the same while a sweep is applied.
import type { Zone } from '../calendar/zone.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { Prices } from '../model/ledger/price.ts'
import type { AutosuspendDelay, Compute } from '../model/service/compute.ts'
import type { Preset } from '../model/service/sizes.ts'
import type { Instant } from '../model/units.ts'
import type { MeteredSizes } from './settle/sizing.ts'

export type LedgerContext = {
  readonly prices: Prices
  readonly preset: Preset
  /** Share of awake time that readings may add. */
  readonly overhead: number
  readonly now: Instant
  /** Days of the account's zone; UTC by default. */
  readonly dayOf?: Zone['dayOf']
}

export type ApplyContext = LedgerContext & {
  readonly delayOf: (compute: Compute) => AutosuspendDelay
  /** Sizes of the project's computes by the service's metering; none by default. */
  readonly metered?: MeteredSizes
}

/** The entry that facts are applied to. `isNew`: this is the first look at the compute. */
export type EntryBefore = { readonly before: ComputeEntry; readonly isNew: boolean }
