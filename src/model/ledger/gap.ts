// History of one compute that recommendations rest on: gaps between client activities, and settings.
import type { AutosuspendDelay, ComputeRef, Sizing } from '../service/compute.ts'
import { seconds, type Instant, type Seconds } from '../units.ts'

/** No client was active for a time in `[low, high]`, from `from` on. Readings of Dormouse are no activity. Times are whole seconds. */
export type Gap = Readonly<{
  ref: ComputeRef
  from: Instant
  low: Seconds
  high: Seconds
  /** A shorter gap could not have been seen then; 0 where activity was followed. */
  hiddenBelow: Seconds
}>

/** Shortest gap that is stored, one step of the grid of delays. */
export const MIN_GAP: Seconds = seconds(60)

/** Newest gaps of a compute that are stored, 64 KiB of disk at 26 bytes each: with as many, older ones may be missing. */
export const MAX_GAPS = 2400

/** Settings as observed from `since` on. */
export type ObservedSetting = Readonly<{
  ref: ComputeRef
  since: Instant
  delay: AutosuspendDelay
  sizing: Sizing
}>
