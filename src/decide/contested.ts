// Another controller: who overwrites the values of changes on one compute again and again.
import { after, seconds, type Instant } from '../model/units.ts'

/** A value that a change had set, and when somebody else overwrote it. */
export type Overwriting = Readonly<{ effectiveAt: Instant; at: Instant }>

/** So many within the time are no person. Source: changing.md, §3. */
const TOO_MANY = 3
const WITHIN = seconds(3600)
/** Older ones do not count. */
const MEMORY = seconds(7 * 86_400)

/**
 * Why policies leave a compute to somebody else; undefined where they do not. Three values of changes were overwritten in an hour, or three in
 * a row that lasted less than an hour but for the first: what holds changes back may part them by hours.
 *
 * @param overwritings of one compute, in order of time
 * @param since when a person released the brake: earlier ones do not count; undefined if nobody did
 */
export function contestedBecause(
  overwritings: readonly Overwriting[],
  since: Instant | undefined,
  now: Instant,
): string | undefined {
  const counted = overwritings.filter(({ at }) => at > (since ?? 0) && after(at, MEMORY) > now)
  const newest = counted.at(-1)
  if (!newest) return undefined
  const inTime = counted.filter(({ at }) => after(at, WITHIN) > newest.at)
  return Math.max(inTime.length, inARow(counted)) < TOO_MANY
    ? undefined
    : `somebody else overwrote what changes had set there ${TOO_MANY} times`
}

/** Newest ones until one that ended a value of more than an hour, that one included. */
function inARow(overwritings: readonly Overwriting[]): number {
  const last = overwritings.findLastIndex(({ effectiveAt, at }) => at > after(effectiveAt, WITHIN))
  return overwritings.length - Math.max(0, last)
}
