// The shape of what remains: one table for all horizons, skewed a little to the low side, straight between its points.

/**
 * Share of outcomes below → spreads from the middle. Taken over from a trial on years of daily awake hours, the median
 * put to 0. On single computes and fleets of four and ten, as many outcomes lie below each point as it says, within 4 %;
 * below the median 43–50 %, as computes are used more over the years.
 */
const POINTS: readonly (readonly [share: number, spreads: number])[] = [
  [0.025, -2.35],
  [0.05, -1.85],
  [0.1, -1.34],
  [0.25, -0.63],
  [0.5, 0],
  [0.75, 0.68],
  [0.9, 1.26],
  [0.95, 1.61],
  [0.975, 1.95],
]

/** Nothing is said to be surer than 399 in 400: the table ends at 39 in 40. Doubled, 199 in 200. */
const LEAST = 0.0025

/** The shares for which a forecast gives an amount, ascending. */
export const QUANTILE_SHARES: readonly number[] = POINTS.map(([share]) => share)

/** How many spreads above the middle `share` of all outcomes lie below. `share` is one of `QUANTILE_SHARES`. */
export const spreadsAt = (share: number): number => POINTS.find(([at]) => at === share)?.[1] ?? 0

/** The share of outcomes less than `spreads` above the middle, 0.0025 to 0.9975; the inverse of `spreadsAt`. */
export function shareBelow(spreads: number): number {
  const next = POINTS.findIndex(([, at]) => at >= spreads)
  const above = next === -1 ? POINTS.length - 1 : Math.max(1, next)
  const [low, from] = POINTS[above - 1] ?? [0, 0]
  const [high, to] = POINTS[above] ?? [1, 1]
  const share = low + ((spreads - from) / (to - from)) * (high - low)
  return Math.min(1 - LEAST, Math.max(LEAST, share))
}
