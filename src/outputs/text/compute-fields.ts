// Fields that several outputs share: lengths in seconds, money in units of the currency.
import {
  largestCu,
  smallestCu,
  type AutosuspendDelay,
  type ComputeRef,
  type Sizing,
  type TargetRef,
} from '../../model/service/compute.ts'
import type { Shown } from '../../model/ledger/counted-past.ts'
import { mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import { toIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { shownBecauseText } from './amounts.ts'

/** Null as the endpoint: the project itself. */
export const targetFields = ({ projectId, endpointId }: TargetRef, projectName: string | null) => ({
  project_id: projectId,
  project_name: projectName,
  endpoint_id: endpointId ?? null,
})

export const refFields = ({ projectId, endpointId }: ComputeRef, projectName: string | null) => ({
  project_id: projectId,
  project_name: projectName,
  endpoint_id: endpointId,
})

export const sizingFields = (sizing: Sizing) => ({ min_cu: smallestCu(sizing), max_cu: largestCu(sizing) })

export const delayField = <Delay extends AutosuspendDelay | null>(delay: Delay) => ({
  autosuspend_delay_seconds: delay,
})

export const millisInSeconds = (millis: number): number => millis / 1000
export const inMoney = (micros: number): number => micros / 1_000_000

/** Bounds of the ledger, those that people are shown, and in words what narrowed them, null where nothing did. */
export const shownFields = (
  ledger: Bounds<number>,
  shown: Shown | undefined,
  convert: (value: number) => number,
) => {
  const { low, likely, high } = mapBounds<number>(shown?.amount ?? ledger, convert)
  return {
    ...mapBounds<number>(ledger, convert),
    shown_low: low,
    shown_likely: likely,
    shown_high: high,
    shown_because: shown ? shownBecauseText(shown) : null,
  }
}

/** ISO 8601; null for undefined. */
export const timeField = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))
