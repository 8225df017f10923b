// Usage before the first look, narrowed for people by what the service itself counted. The ledger's bounds stay as they are.
import type { ComputeRef } from '../service/compute.ts'
import type { CuMillis, Instant, Interval, Micros } from '../units.ts'
import type { Bounds } from './quantities.ts'

/** Strongest first. `counters`: the project's counted CU-time as a whole; `assumed`: sizes as at the first look. */
export const PAST_BASES = ['consumption', 'counters', 'assumed'] as const
export type PastBasis = (typeof PAST_BASES)[number]

/** A day of one compute, or the part of it that lies in one counted window. */
export type PastPart = Readonly<{
  /** Start of the day, in the account's zone. */
  day: Instant
  /** Start of the counted window; of the part where no window holds it. Parts of one window add up to what was counted. */
  window: Instant
  /** Average price of a CU-hour. */
  price: Micros
  ledger: Bounds<CuMillis>
  shown: Bounds<CuMillis>
}>

/** Parts in order, without those that nothing narrows or moves. */
export type ComputePast = Readonly<{ ref: ComputeRef; basis: PastBasis; parts: readonly PastPart[] }>

export type CountedPast = Readonly<{
  /** When it was derived, after the first look at all projects. */
  until: Instant
  /** The day of `until` in the account's zone, `2026-11-23`. */
  untilDate: string
  /** `computeKey` → past. */
  computes: ReadonlyMap<string, ComputePast>
}>

/** CU-time of one project by the service; with bounds, since the last part may not be counted yet. */
export type CountedWindow = Interval & { readonly cuTime: Bounds<CuMillis> }

/** Narrowed for people; `basis`: what narrowed it, the weakest of several. */
export type Shown = Readonly<{ amount: Bounds<number>; basis: PastBasis }> &
  Pick<CountedPast, 'until' | 'untilDate'>
