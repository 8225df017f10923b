// Saved and extra spend: what changes that are done brought, as it was counted.
import type { TargetRef } from '../service/compute.ts'
import { latest, micros, type Instant, type Micros } from '../units.ts'

/** `extra`: spent beyond what the setting before would have cost. Neither is negative. */
export type Saved = Readonly<{ saved: Micros; extra: Micros }>

export const NOTHING_SAVED: Saved = { saved: micros(0), extra: micros(0) }

export const addSaved = (one: Saved, other: Saved): Saved => ({
  saved: micros(one.saved + other.saved),
  extra: micros(one.extra + other.extra),
})

/** The likely money of one change in `[from, to)`, at least one of both 0: written once, never restated. Plain data. */
export type SavedPart = Saved &
  Readonly<{
    changeId: string
    ref: TargetRef
    /** Owner of the compute or project when it was counted; empty without one. */
    team: string
    from: Instant
    to: Instant
  }>

/** Undefined without parts. */
export const sumOfParts = (parts: readonly SavedPart[]): (Saved & Readonly<{ until: Instant }>) | undefined =>
  parts.length === 0
    ? undefined
    : {
        ...parts.reduce<Saved>((sum, { saved, extra }) => addSaved(sum, { saved, extra }), NOTHING_SAVED),
        until: latest(...parts.map(({ to }) => to)),
      }

/** Sum over all parts of one compute or project and team, since ever: kept longer than the parts. */
export type SavedTally = Saved & Pick<SavedPart, 'ref' | 'team'>
