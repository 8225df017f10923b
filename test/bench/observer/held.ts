// How long a compute was awake for what its clients did not do, from what they did and from what the service saw.
import type { Deed } from './clients.ts'
import { DELAY } from './stage.ts'

export type Watch = {
  /** Awake intervals of the truth, ISO 8601, in order; only those that begin with a deed count. */
  readonly intervals: readonly { readonly from: string; readonly to: string | null }[]
  /** When the service saw the compute in use, epoch ms, in order. */
  readonly activity: readonly number[]
  /** In order of their beginnings. */
  readonly deeds: readonly Deed[]
}

/** How long after a deed the service may see it, ms: its look every 500 ms, on a busy machine, and Postgres publishing its counters within 1 s. */
const SEEN_WITHIN = 1600

/** What the service saw while the clients were at it, and first after each deed: what it saw next is somebody else's. */
function ofClients({ activity, deeds }: Watch): readonly number[] {
  const found = new Set<number>()
  let next = 0
  for (const { from, to } of deeds) {
    while ((activity[next] ?? Infinity) < from) next += 1
    let index = next
    while ((activity[index] ?? Infinity) < to) found.add(activity[index++] ?? 0)
    const first = activity[index]
    if (first !== undefined && first <= to + SEEN_WITHIN) found.add(first)
  }
  return [...found].toSorted((a, b) => a - b)
}

/**
 * Seconds beyond each activity of a client and the delay, until the compute suspended or a client came again. As
 * observing.md 5.4 defines the observer's cost, but of the instants that the service itself counted from.
 */
export function heldSeconds(watch: Watch): number {
  const { intervals, activity, deeds } = watch
  const theirs = ofClients(watch)
  let held = 0
  for (const { from, to } of intervals) {
    const [begin, end] = [Date.parse(from), to === null ? Infinity : Date.parse(to)]
    const inside = (at: number): boolean => begin <= at && at <= end
    const seen = theirs.filter(inside)
    const last = activity.findLast(inside)
    for (const [index, at] of seen.entries()) {
      const next = seen[index + 1]
      // until a client came: it may be seen a moment later than it did
      const came = deeds.find((deed) => deed.from > at)?.from ?? Infinity
      if (next !== undefined) held += Math.max(0, Math.min(next, came) - at - 1000 * DELAY)
      else if (last !== undefined) held += Math.max(0, last - at)
    }
  }
  return held / 1000
}
