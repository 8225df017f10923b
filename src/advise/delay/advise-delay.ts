// Recommended autosuspend delay of a compute, or the reason why there is none.
//
// 1. Allowed delays: what plan and policy allow.
// 2. Evidence: without `needs` of followed time and gaps, no delay below the one in force is a candidate, because shorter gaps were hidden.
// 3. The candidate with the least expected cost (choose.ts), if it is cheaper by the hysteresis.
// 4. The change must gain for certain on other days like these, with wakes priced. The saving that is stated is money alone (interval.ts).
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  effectiveDelay,
  largestCu,
  type AutosuspendDelay,
} from '../../model/service/compute.ts'
import { ifRead } from '../../model/observation.ts'
import { DAY, instant, seconds, type Seconds } from '../../model/units.ts'
import { savedTime } from '../backtest.ts'
import type { AdviseInput } from '../input.ts'
import { MAX_AWAKE, sizeWhileAwake } from '../interval.ts'
import { candidateDelays, cheaperDelay, type AllowedDelays } from './choose.ts'
import { everyGap, followedGaps, gapLengths, observedGaps, type ObservedGaps } from './observed-gaps.ts'
import { delayProposal, type DelaySubject } from './proposal.ts'
import { outsideSleep, unpaidSleep, withoutSleep } from './unpaid-sleep.ts'

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
  const unpaid = now === 'never' ? unpaidSleep(input) : []
  const observed = withoutSleep(observedGaps(input), unpaid)
  const missing = missingEvidence(observed, input, now)
  const usable = missing ? withoutEvidence(input, { now, allowed, candidates }, observed) : candidates
  const question = { candidates: usable, now, wakeCost: policy.wakeCost, grid: needs.grid }
  const best = cheaperDelay(gapLengths(observed.gaps), question)
  if (best === undefined) return missing ?? withheld('fits')
  const judged = missing ? everyGap(observed) : followedGaps(observed)
  const judgedFrom = missing ? Math.min(...usable.filter((delay) => delay !== 'never')) : 0
  const existing = outsideSleep(judged.observed, unpaid)
  const evidence = { input: subjectOf(input), existing, now, allowed, judgedFrom, ...judged }
  return delayProposal(evidence, best) ?? missing ?? withheld('unsure')
}

const subjectOf = (input: AdviseInput): DelaySubject => ({
  ...input,
  ref: input.entry.ref,
  kind: 'delay',
  size: sizeWhileAwake(input.entry.compute.sizing, input.utilisation),
  sessionsCut: ifRead(input.entry.reading.last?.connections)?.idle,
  maxAwake: MAX_AWAKE,
})

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

/**
 * Undefined where enough time and gaps were followed; `have` and `needs` are days. Fewer gaps than needed take as many more days as they took
 * so far, but at most `SELDOM_USED_DAYS` where a delay is in force.
 */
function missingEvidence(
  { from, to, gaps, followedDays }: ObservedGaps,
  { needs, now }: AdviseInput,
  delay: AutosuspendDelay,
): Withheld | undefined {
  const needed = needs.minHistory / 86_400
  const ended = gaps.filter(({ isOpen, isFollowed }) => isFollowed && !isOpen).length
  // without a gap in the time that is needed anyway, their pace is not known
  const noGaps = followedDays < needed ? needed : Infinity
  const forGaps = Math.min(
    ended > 0 ? followedDays * (needs.minGaps / ended) : noGaps,
    delay === 'never' ? Infinity : SELDOM_USED_DAYS,
  )
  if (followedDays >= Math.max(needed, forGaps)) return undefined
  const until = (have: number, days: number) => instant(now + Math.max(0, days - have) * DAY)
  const have = (to - from) / DAY
  if (have < needed) return { ...withheld('history-short', have, needed), until: until(have, needed) }
  const days = Number.isFinite(forGaps) ? Math.max(needed, forGaps) : needed
  return {
    ...withheld('not-followed', followedDays, days),
    until: followedDays < days ? until(followedDays, days) : undefined,
  }
}

/**
 * Followed days after which few gaps are no lack of evidence, 7: a weekday cycle shows that the compute is seldom used, and the test of the
 * gain tells whether its days agree. With autosuspend off every delay gains, so only more gaps tell which one.
 */
const SELDOM_USED_DAYS = 7

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
