// Recommended autosuspend delay of a compute, or the reason why there is none.
//
// 1. Allowed delays: what plan and policy allow.
// 2. Evidence: without `needs` of followed time and gaps, no delay below the one in force is a candidate, because shorter gaps were hidden.
// 3. The candidate with the least expected cost (choose.ts), if it is cheaper by the hysteresis.
// 4. The saving in money, with its interval (interval.ts). A shorter delay must save money for certain; a longer one costs money for fewer
//    wakes, and must gain for certain once the wakes are priced.
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  effectiveDelay,
  largestCu,
  type AutosuspendDelay,
} from '../../model/service/compute.ts'
import { DAY, instant, seconds, type Seconds } from '../../model/units.ts'
import { savedTime } from '../backtest.ts'
import type { AdviseInput } from '../input.ts'
import { candidateDelays, cheaperDelay, type AllowedDelays } from './choose.ts'
import { everyGap, followedGaps, gapLengths, observedGaps, type ObservedGaps } from './observed-gaps.ts'
import { delayProposal } from './proposal.ts'

export function adviseDelay(input: AdviseInput): Proposal | Withheld {
  const { entry, plan, policy, needs, project } = input
  const now = effectiveDelay(entry.compute, project?.project)
  const isDelayKnown = entry.compute.isDelayListed !== false || project?.project.defaultAutosuspendDelay
  if (!isDelayKnown) return withheld('no-readings')
  if (!plan) return withheld('plan-unknown')
  if (largestCu(entry.compute.sizing) > plan.largestSuspending) return withheld('plan-fixed')
  const allowed = allowedDelays(plan, policy)
  if (!allowed.range) return withheld('policy')
  const candidates = candidateDelays(allowed, policy.wakeCost, needs.grid)
  return candidates.every((delay) => delay === now)
    ? withheld('plan-fixed')
    : cheapestDelay(input, { now, allowed, candidates })
}

/** What is asked of the gaps. `now`: the delay in force. */
type Question = Readonly<{
  now: AutosuspendDelay
  allowed: AllowedDelays
  candidates: readonly AutosuspendDelay[]
}>

function cheapestDelay(input: AdviseInput, { now, allowed, candidates }: Question): Proposal | Withheld {
  const { policy, needs } = input
  const observed = observedGaps(input)
  const missing = missingEvidence(observed, input)
  const usable = missing ? withoutEvidence(input, { now, allowed, candidates }, observed) : candidates
  const question = { candidates: usable, now, wakeCost: policy.wakeCost, grid: needs.grid }
  const best = cheaperDelay(gapLengths(observed.gaps), question)
  if (best === undefined) return missing ?? withheld('fits')
  const judged = missing ? everyGap(observed) : followedGaps(observed)
  const judgedFrom = missing ? Math.min(...usable.filter((delay) => delay !== 'never')) : 0
  const evidence = { input, now, allowed, judgedFrom, ...judged }
  return delayProposal(evidence, best) ?? missing ?? withheld('unsure')
}

const withheld = (because: Withheld['because'], have = 0, needs = 0): Withheld => ({
  kind: 'delay',
  because,
  have,
  needs,
  until: undefined,
})

export function allowedDelays(
  { delays, mayNever }: NonNullable<AdviseInput['plan']>,
  { floor, ceiling }: AdviseInput['policy'],
): AllowedDelays {
  const from = seconds(Math.max(delays.from, floor))
  const to = seconds(Math.min(delays.to, ceiling === 'never' ? Infinity : ceiling))
  return { range: from <= to ? { from, to } : undefined, mayNever: mayNever && ceiling === 'never' }
}

/** Undefined where enough time and gaps were followed; `have` and `needs` are days. Fewer gaps than needed take as many more days as they took so far. */
function missingEvidence(
  { from, to, gaps, followedDays }: ObservedGaps,
  { needs, now }: AdviseInput,
): Withheld | undefined {
  const needed = needs.minHistory / 86_400
  const ended = gaps.filter(({ isOpen, isFollowed }) => isFollowed && !isOpen).length
  if (followedDays >= needed && ended >= needs.minGaps) return undefined
  const forGaps = ended > 0 ? (followedDays * needs.minGaps) / ended : needed
  const until = (have: number, days: number) => instant(now + Math.max(0, days - have) * DAY)
  const have = (to - from) / DAY
  if (have < needed) return { ...withheld('history-short', have, needed), until: until(have, needed) }
  const days = Math.max(needed, forGaps)
  return {
    ...withheld('not-followed', followedDays, days),
    until: followedDays < days ? until(followedDays, days) : undefined,
  }
}

/**
 * Candidates that hidden gaps do not speak against:
 * 1. delays from the one in force on, once the time is long enough;
 * 2. for a compute with autosuspend off that is hardly used, the service's default. Few gaps are no lack of evidence then: the time without
 *    clients was followed as such.
 */
function withoutEvidence(
  { needs }: AdviseInput,
  { now, allowed, candidates }: Question,
  { from, to, followedDays, gaps }: ObservedGaps,
): readonly AutosuspendDelay[] {
  const needed = needs.minHistory / 86_400
  if (now !== 'never') {
    const isLongEnough = (to - from) / DAY >= needed
    return isLongEnough ? candidates.filter((delay) => delay === 'never' || delay >= now) : []
  }
  const usual = clampDelay(DEFAULT_AUTOSUSPEND_DELAY, allowed)
  const asleep = savedTime(gaps, { from: now, to: usual }).low / 86_400
  const isHardlyUsed = asleep >= followedDays * MOSTLY
  return followedDays >= needed && isHardlyUsed ? [usual] : []
}

/** Share of the followed time that a compute would sleep under the default delay to count as hardly used. */
const MOSTLY = 0.5

const clampDelay = (delay: Seconds, { range }: AllowedDelays): Seconds =>
  range ? seconds(Math.min(range.to, Math.max(range.from, delay))) : delay
