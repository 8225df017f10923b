// Kinds of changes whose savings do not come: policies stop making them until a person gives the kind back.
import type { PromisedSaving } from '../model/policy/recommendation.ts'
import type { Instant } from '../model/units.ts'
import { sumOf } from '../std/sum.ts'

/** Finished follow-ups that count, the newest, and the share of the promised savings that must have come. Source: changing.md, §4. */
const COUNTED = 20
const LEAST_SHARE = 0.7

/**
 * Why policies make no changes of a kind; undefined where their savings come, or too few are known.
 *
 * @param savings of one kind and account, in any order
 * @param since when a person gave the kind back: what ended before does not count; undefined if nobody did
 */
export function demotionOf(
  savings: readonly PromisedSaving[],
  since: Instant | undefined,
): string | undefined {
  const counted = savings
    .filter(({ endedAt }) => since === undefined || endedAt > since)
    .toSorted((a, b) => b.endedAt - a.endedAt)
    .slice(0, COUNTED)
  const promised = sumOf(counted, ({ likely }) => likely)
  if (counted.length < COUNTED || promised <= 0) return undefined
  const share = sumOf(counted, ({ realised }) => realised) / promised
  return share < LEAST_SHARE
    ? `the last ${COUNTED} of the kind saved ${Math.round(100 * share)} % of what was promised`
    : undefined
}
