// Fields that several outputs share: lengths in seconds, money in units of the currency.
import {
  largestCu,
  smallestCu,
  type AutosuspendDelay,
  type ComputeRef,
  type Sizing,
} from '../../model/service/compute.ts'
import { toIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'

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

/** ISO 8601; null for undefined. */
export const timeField = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))
