// When another setting replaces the one that an open recommendation names, and what the evaluation says of the latter otherwise.
import { largestCu, smallestCu, type Sizing } from '../model/service/compute.ts'
import type { Proposal, Recommendation, Setting } from '../model/policy/recommendation.ts'
import { HOUR, SECOND, type Micros, type Seconds } from '../model/units.ts'

/** Share of the expected cost by which another delay must be better, 5 %. */
const DELAY_HYSTERESIS = 0.05
/** Share of the spend by which another size must be better, 10 %: the gate of a restart. */
const SIZING_HYSTERESIS = 0.1

/** The evaluation's figures for the setting of `row`; undefined where the evaluation did not consider it. */
export function renewedFigures(row: Recommendation, proposal: Proposal): Proposal | undefined {
  const isKept = ({ to }: { to: Setting }) => settingKey(to) === settingKey(row.to)
  if (isKept(proposal)) return proposal
  const kept = proposal.alternatives.find(isKept)
  if (!kept) return undefined
  const { to, saving, effect } = proposal
  const lost = { to, saving, effect, because: 'hardly-better' } as const
  return {
    ...proposal,
    from: sameFields(proposal.from, row.to),
    to: row.to,
    restarts: row.restarts,
    saving: kept.saving,
    effect: kept.effect,
    confidence: kept.saving.low > 0 ? proposal.confidence : 'low',
    alternatives: [...proposal.alternatives.filter((other) => other !== kept), lost].toSorted(
      (a, b) => settingRank(a.to) - settingRank(b.to),
    ),
  }
}

/** The fields of `setting` that `like` has, too. */
const sameFields = ({ delay, sizing, poolerEnabled }: Setting, like: Setting): Setting => ({
  ...(like.delay !== undefined && delay !== undefined && { delay }),
  ...(like.sizing && sizing && { sizing }),
  ...(like.poolerEnabled !== undefined && poolerEnabled !== undefined && { poolerEnabled }),
})

/** Order of settings by value: delays by length, sizes by their limits. */
export function settingRank({ delay, sizing }: Setting): number {
  if (delay !== undefined) return delay === 'never' ? Number.MAX_VALUE : delay
  // limits are multiples of 0.25 CU and below 1,000 CU
  return sizing === undefined ? 0 : smallestCu(sizing) * 4000 + largestCu(sizing)
}

export function isBetter(
  next: Proposal,
  kept: Proposal,
  { wakeCost, minSaving }: { wakeCost: Seconds; minSaving: Micros },
): boolean {
  const spendGain = next.saving.likely - kept.saving.likely
  if (next.kind === 'sizing')
    return isLarger(next.to, kept.to) || spendGain > SIZING_HYSTERESIS * next.spend.likely
  const cost = expectedCost(kept, wakeCost)
  const gain = cost - expectedCost(next, wakeCost)
  return gain > Math.max(DELAY_HYSTERESIS * cost, minSaving)
}

/** Spend and wakes of the recommended setting, micros in 30 days. */
export function expectedCost(proposal: Proposal, wakeCost: Seconds): number {
  const { spend, saving, effect, grounds } = proposal
  const perWake = ((wakeCost * SECOND) / HOUR) * grounds.cu.likely * grounds.perCuHour
  return spend.likely - saving.likely + 30 * (effect.wakesPerDay?.after ?? 0) * perWake
}

/** Whether connections or saturation ask for the size: either limit is above that of `other`. */
export const isLarger = (setting: Setting, other: Setting): boolean =>
  setting.sizing !== undefined &&
  other.sizing !== undefined &&
  (smallestCu(setting.sizing) > smallestCu(other.sizing) ||
    largestCu(setting.sizing) > largestCu(other.sizing))

/** A fixed size is the same as a range of equal limits. */
export const sizingKey = (sizing: Sizing | undefined) =>
  sizing && `${smallestCu(sizing)}-${largestCu(sizing)}`

/** Equal for equal settings. */
export const settingKey = ({ delay, sizing, poolerEnabled }: Setting) =>
  JSON.stringify([delay, sizingKey(sizing), poolerEnabled])
