// Restarts of an awake compute by a policy, inside a window: while nobody works, or at the lowest load. Below the rung `idle` of the ladder.
import type { Hold } from '../model/policy/hold.ts'
import type { AwakeRungs } from '../model/policy/change-policy.ts'
import { after, seconds, type Instant, type Seconds } from '../model/units.ts'

/** What readings show of the compute now. */
export type AwakeUse = Readonly<{
  /** In two readings at least `QUIET_SPACING` apart. */
  isQuiet: boolean
  /** Statements running at a time, now and in the quietest part of the last weeks; undefined where that is not known. */
  load: Readonly<{ now: number; low: number }> | undefined
  /** Age of a client's oldest open transaction. */
  longestTransaction: Seconds | undefined
}>

/** Seconds between two readings that show that nobody works. Source: changing.md, §2. */
export const QUIET_SPACING = seconds(30)
/** A client that has had a transaction open for longer loses too much. Source: changing.md, §2. */
const LONGEST_TRANSACTION = seconds(60)
/** Looks are ten seconds apart, and wait for requests that are left. */
const LAST_MOMENT = seconds(60)

/** Undefined where the change may go although the compute is awake. */
export function awakeHold(
  rungs: AwakeRungs | undefined,
  use: AwakeUse | undefined,
  now: Instant,
): Hold | undefined {
  if (!rungs) return { because: 'awake', until: undefined }
  if (rungs.quiet && use?.isQuiet) return undefined
  if (!rungs.lowestLoad) return { because: 'not-quiet', until: rungs.lastSafe }
  const isLastMoment = after(now, LAST_MOMENT) >= rungs.lastSafe
  return isLastMoment || isLow(use) ? undefined : { because: 'load', until: rungs.lastSafe }
}

const isLow = (use: AwakeUse | undefined): boolean =>
  use?.load !== undefined &&
  use.load.now <= use.load.low &&
  (use.longestTransaction ?? 0) < LONGEST_TRANSACTION
