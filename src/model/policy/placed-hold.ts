// What people say about changes that wait: nothing of some computes is changed for a time, or one change goes outside its windows.
import type { Instant } from '../units.ts'
import type { Selector } from './selector.ts'

/** A person's hold: while it stands, no change of its computes is sent, whoever asked for it. Plain data. */
export type PlacedHold = Readonly<{
  id: string
  match: Selector
  reason: string
  /** Name of the token. */
  by: string
  placedAt: Instant
  until: Instant
  /** Absent while it stands. */
  ended?: HoldEnd
}>

type HoldEnd = Readonly<{
  at: Instant
  /** Name of the token; absent where its time was over. */
  by?: string
}>

/** A change of a policy that may be sent although no window of its policy allows it and brakes hold it. Plain data. */
export type ForcedChange = Readonly<{
  changeId: string
  reason: string
  /** Name of the token. */
  by: string
  forcedAt: Instant
  until: Instant
}>

/** Whether it holds changes now. */
export const stands = ({ ended, until }: PlacedHold, now: Instant): boolean => !ended && until > now
