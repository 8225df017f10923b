// Distribution of the remaining spend: one table for all horizons, skewed a little to the low side, linear between its points.

/**
 * Share of outcomes below → spreads from the middle, measured on years of daily awake hours, the median moved to 0. The shares
 * hold within 4 % on single computes and small fleets; 43–50 % of outcomes lie below the median, as use grows.
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

/** Smallest probability, 1 in 400, a tenth of where the table ends: nothing is certain. */
const MIN_SHARE = 0.0025

/** The shares for which a forecast gives an amount, ascending. */
export const QUANTILE_SHARES: readonly number[] = POINTS.map(([share]) => share)

/** Spreads above the middle that `share`, one of `QUANTILE_SHARES`, of all outcomes lie below. */
export const spreadsAt = (share: number): number => POINTS.find(([at]) => at === share)?.[1] ?? 0

/** Inverse of `spreadsAt`, 0.0025 to 0.9975. */
export function shareBelow(spreads: number): number {
  const next = POINTS.findIndex(([, at]) => at >= spreads)
  const upper = next === -1 ? POINTS.length - 1 : Math.max(1, next)
  const [low, from] = POINTS[upper - 1] ?? [0, 0]
  const [high, to] = POINTS[upper] ?? [1, 1]
  const share = low + ((spreads - from) / (to - from)) * (high - low)
  return Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share))
}
