// Order of the requests that wait for the rate limiter. Pure.
import type { Priority } from '../../model/ports/service.ts'

/** Position of each priority: 0 is served first. */
const RANKS = { verify: 0, apply: 1, poll: 2, report: 3 } satisfies Record<Priority, number>

/**
 * How many in a row may go before the one that asked first. Doubled, a backfill beside a daemon that uses its whole
 * budget takes twice as long; halved, an urgent request in a long queue meets others twice as often.
 */
const OVERTAKES = 15

/**
 * The one of `waiting`, in order of asking and not empty, that goes next, and how often in a row the one that asked
 * first has been overtaken then.
 *
 * By class, and within a class in order of asking; but once fifteen went before the one that asked first, it is its
 * turn, whatever its class. So of sixteen turns in a row at least fifteen are those of the most urgent class that waits,
 * and a request with `n` others before it in order of asking goes after at most `16 (n + 1)` turns.
 */
export function selectNextWaiting<Waiting extends { readonly priority: Priority }>(
  waiting: readonly [Waiting, ...Waiting[]],
  overtaken: number,
): { readonly next: Waiting; readonly overtaken: number } {
  const [first] = waiting
  if (overtaken >= OVERTAKES) return { next: first, overtaken: 0 }
  const next = waiting.reduce((best, one) => (rank(one) < rank(best) ? one : best), first)
  return { next, overtaken: next === first ? 0 : overtaken + 1 }
}

const rank = ({ priority }: { readonly priority: Priority }): number => RANKS[priority]
