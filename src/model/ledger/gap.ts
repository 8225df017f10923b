// History of one compute that recommendations rest on: gaps between client activities, and settings.
import type { AutosuspendDelay, ComputeRef, Sizing } from '../service/compute.ts'
import { seconds, type Instant, type Interval, type Seconds } from '../units.ts'
import type { ActivityLagSample } from './reading-state.ts'

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

/** Largest distance of two looks, or of two project lists, between which activity counts as followed, 120 s: gaps from two steps of the grid on are seen. */
export const MAX_FOLLOWED_STEP: Seconds = seconds(120)

/** Client activity of one compute until its gaps are known, in its ledger entry. */
export type ActivityState = Readonly<{
  /**
   * Newest client activity by the looks at the awake compute, in `[from, from + within]`, and until when there was no newer. `unfollowed`: time
   * since in which looks were not close enough; absent for none.
   */
  shown: Readonly<{ from: Instant; within: Seconds; quietUntil: Instant; unfollowed?: Seconds }> | undefined
  /** `shown.from` before the newest look that showed the compute asleep; absent once that sleep is settled. */
  shownBeforeSleep?: Instant
  /** Until when looks showed that no client had come since the newest start; absent without such looks, and once that time is settled. */
  unusedUntil?: Instant
  /** Activity lag by the looks. */
  lag: ActivityLagSample
  /** Not settled awake time in which looks were close enough, ascending. */
  followed: readonly Interval[]
  /** Found in project lists since the last look, which shows whether the compute was awake; absent where there are none. */
  unconfirmed?: readonly UnconfirmedGap[]
  /** Over the last settled suspension; undefined before, and once it is over. */
  open: OpenGap | undefined
}>

/** `unfollowed`: until the last look. */
export type UnconfirmedGap = Omit<Gap, 'ref'> & Readonly<{ unfollowed?: Seconds | undefined }>

/** Begins somewhere in `[from, from + within]`. */
export type OpenGap = Readonly<{ from: Instant; within: Seconds; hiddenBelow: Seconds }>

/** Settings as observed from `since` on. */
export type ObservedSetting = Readonly<{
  ref: ComputeRef
  since: Instant
  delay: AutosuspendDelay
  /** Whether the delay is the compute's own: absent where the default of its project or the service was in force. */
  isOwnDelay?: true
  sizing: Sizing
}>
