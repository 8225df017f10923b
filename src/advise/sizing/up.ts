// A larger maximum for a compute that uses all of the one it has.
import { largestCu, type Sizing } from '../../model/service/compute.ts'
import { FINE_STEP } from '../../model/ledger/rollup.ts'
import { sizeAtMost } from '../../model/service/sizes.ts'
import { HOUR, DAY, type Cu } from '../../model/units.ts'

/** Share of the maximum from which a step counts as saturated: the size limits the load there, and hides the demand. */
const SATURATED = 0.95
/** Saturated steps that are needed, a quarter of an hour: fewer are a burst. */
export const SATURATED_STEPS = 3
/** Share of the steps that must be saturated: a rarer burst is not worth a restart. */
const MIN_SHARE = 0.01
/** Factor: one size at a time takes more restarts until the load fits. */
const GROWTH = 2

/** Time that saturation is looked for in, ms: a daily peak is in it. */
export const SATURATION_PERIOD = DAY
/** Between two increases, ms. A day would leave eight times as much time throttled. */
export const UP_COOLDOWN = HOUR

/** Five-minute steps of `SATURATION_PERIOD` in which the load was seen. */
export type Saturation = Readonly<{ seen: number; saturated: number }>

/** @param load CU, at most the size */
export const isSaturatedStep = (load: number, max: Cu): boolean => load >= SATURATED * max

export const isSaturated = ({ seen, saturated }: Saturation): boolean =>
  saturated >= SATURATED_STEPS && saturated >= MIN_SHARE * seen

/** Throughout `SATURATION_PERIOD`. */
export const isAlwaysSaturated = ({ saturated }: Saturation): boolean =>
  saturated * FINE_STEP * 1000 >= SATURATED * SATURATION_PERIOD

/** Undefined where nothing larger is allowed. */
export function largerMax(
  sizing: Sizing,
  { sizes, largest }: Readonly<{ sizes: readonly Cu[]; largest: Cu }>,
): Cu | undefined {
  const now = largestCu(sizing)
  const max = sizeAtMost(sizes, Math.min(GROWTH * now, largest))
  return max > now ? max : undefined
}

/** Next size: how much larger the working set is, only the next cache shows. Undefined likewise. */
export const nextMax: typeof largerMax = (sizing, { sizes, largest }) =>
  sizes.find((size) => size > largestCu(sizing) && size <= largest)
