// Recommended sizing of a compute, or the reason why there is none.
//
// 1. Limits: what the plan and the policy allow, and the least minimum that holds the connections.
// 2. Load under the sizing of now, as readings show it. Without a reading nothing bounds the demand.
// 3. Decision: range.ts, or fixed.ts for a plan without ranges.
// 4. Gates: the saving is at least a tenth of the spend, and pays for the restart within a week. Saturation and a
//    cache that is too small ask for more in any case, and a budget for less.
import { priceAt } from '../../ledger/settle/slices.ts'
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import { largestCu, smallestCu } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import { DAY, instant } from '../../model/units.ts'
import type { AdviseInput } from '../input.ts'
import { withhold } from '../propose.ts'
import { cacheSeen, leastForCache } from './cache.ts'
import { connectionsSeen } from './connections.ts'
import { fixedFor } from './fixed.ts'
import { sizeLimits } from './limits.ts'
import { loadSeen, replayedSize } from './load-seen.ts'
import { sizingProposal, type SizingEvidence } from './proposal.ts'
import { decideRange, MIN_SAVING, rangeTo, type SizeLimits, type SizingDecision } from './range.ts'
import { isSaturated } from './up.ts'

export function adviseSizing(input: AdviseInput): Proposal | Withheld {
  const { plan } = input
  if (!plan) return withhold('sizing', 'plan-unknown')
  const load = loadSeen(input)
  if (!load) return withhold('sizing', 'no-readings', { have: 0, needs: 1 })
  const { preset, utilisation, prices, now } = input
  const { sizing } = input.entry.compute
  const connections = connectionsSeen(input)
  const limits = limitsOf(input, plan, { connections, maximum: largestCu(sizing) })
  const evidence = {
    input,
    load,
    sizing,
    loads: load.loads,
    connections,
    limits,
    cache: cacheSeen(input),
    preset,
    utilisation,
    perCuHour: priceAt(prices, now),
  }
  const decision = decided(evidence, plan)
  return decision ? gated(evidence, decision) : whyNot(evidence)
}

type Plan = NonNullable<AdviseInput['plan']>

const limitsOf = (input: AdviseInput, plan: Plan, options: Parameters<typeof sizeLimits>[1]): SizeLimits =>
  sizeLimits({ ...input, plan, sizing: input.entry.compute.sizing }, options)

function decided(evidence: SizingEvidence, plan: Plan): SizingDecision | undefined {
  const { input, load, limits, cache } = evidence
  const { sizing } = input.entry.compute
  const { saturation, loads } = load
  const range = replayedSize(loads, rangeTo(largestCu(sizing), limits), limits.sizes).cu
  const today = replayedSize(loads, sizing, limits.sizes).cu
  const isCacheShort = cache?.isShort
  const decision = decideRange({ sizing, limits, saturation, isCacheShort, costShare: range / today })
  if (decision && decision.because !== 'dear') return decision
  if (limits.widest === undefined) return decision ?? smallerFixed(evidence)
  return smallerMaximum(evidence, plan) ?? decision
}

/** Factor between the peak of the load and the maximum that a budget asks for. */
const ABOVE_PEAK = 1.25

/** Maximum that a budget asks for, from a load as long as the connection peaks have to be: the least maximum that holds the peak, the connections and the cache. */
function smallerMaximum({ input, load, limits, connections, cache }: SizingEvidence, plan: Plan) {
  const { overBudget, policy, needs, entry, previous, preset } = input
  const { sizing } = entry.compute
  const isKnown = load.to - load.from >= needs.minPeaks * 1000
  if (overBudget === undefined || policy.sizing.neverDown || !isKnown) return undefined
  const now = largestCu(sizing)
  const leastCache = leastForCache(cache, { preset, sizes: limits.sizes, now })
  const least = Math.max(ABOVE_PEAK * Math.max(...load.loads), leastCache)
  const smaller = limits.sizes.filter((size) => size >= least && size < now)
  // an open recommendation stays while it holds the peak
  const open = previous.flatMap(({ life, to }) =>
    life.state === 'open' && to.sizing ? [largestCu(to.sizing)] : [],
  )
  for (const maximum of [...smaller.filter((size) => open.includes(size)), ...smaller]) {
    const own = limitsOf(input, plan, { connections, maximum })
    const to = rangeTo(maximum, own)
    if (own.least <= maximum && smallestCu(to) <= smallestCu(sizing))
      return { to, because: 'budget' } as const
  }
  return undefined
}

/** From a load as long as the connection peaks have to be, so that it contains a weekday cycle. */
function smallerFixed({ input, load, limits, cache }: SizingEvidence): SizingDecision | undefined {
  const { preset, needs, entry } = input
  const now = largestCu(entry.compute.sizing)
  if (load.to - load.from < needs.minPeaks * 1000) return undefined
  const leastCache = leastForCache(cache, { preset, sizes: limits.sizes, now })
  const least = sizeAtLeast(limits.sizes, Math.max(limits.least, leastCache))
  const fixed = fixedFor(now, load.loads, { ...limits, least })
  const isAllowed = fixed <= limits.largest
  return isAllowed && fixed <= (1 - MIN_SAVING) * now ? { to: { fixed }, because: 'dear' } : undefined
}

/** Time in which a saving must pay for the restart, ms: later the next change may undo it. */
const PAYBACK = 7 * DAY

function gated(evidence: SizingEvidence, decision: SizingDecision): Proposal | Withheld {
  const { input } = evidence
  const proposal = sizingProposal(evidence, decision)
  if (!proposal) return withhold('sizing', 'history-short', { have: 0, needs: 1 })
  if (decision.because !== 'dear') return proposal
  const { saving, spend, grounds } = proposal
  const restart = (input.policy.wakeCost / 3600) * largestCu(input.entry.compute.sizing) * grounds.perCuHour
  const needs = Math.max(MIN_SAVING * spend.likely, (restart * 30 * DAY) / PAYBACK)
  return saving.likely >= needs
    ? proposal
    : withhold('sizing', 'saving-small', { have: saving.likely, needs })
}

/**
 * The first that holds:
 * 1. `policy` or `plan-fixed`: the compute or its cache is too small and it may not be larger, or it is larger than allowed;
 * 2. `fits`: it has the smallest size;
 * 3. `policy`: it keeps the minimum up;
 * 4. `history-short`: more peaks may allow less;
 * 5. `fits`.
 */
function whyNot(evidence: SizingEvidence): Withheld {
  const { input, load, connections, limits } = evidence
  const { entry, policy, needs, now } = input
  const { sizing } = entry.compute
  const smallest = smallestCu(sizing)
  const { min = 0, max, neverDown } = policy.sizing
  if (isTooSmall(evidence) || largestCu(sizing) > limits.largest)
    return withhold('sizing', max === limits.largest ? 'policy' : 'plan-fixed')
  if (smallest === limits.sizes[0]) return withhold('sizing', 'fits')
  if (neverDown || min >= smallest) return withhold('sizing', 'policy')
  const needed = (needs.minPeaks * 1000) / DAY
  const have = daysOfPeaks({ load, connections, limits })
  if (have >= needed || limits.least < smallest) return withhold('sizing', 'fits')
  return withhold('sizing', 'history-short', {
    have,
    needs: needed,
    until: instant(now + (needed - have) * DAY),
  })
}

const isTooSmall = ({ load, cache }: SizingEvidence): boolean =>
  isSaturated(load.saturation) || cache?.isShort === true

/** A fixed size needs as long a load. */
const daysOfPeaks = ({
  load,
  connections,
  limits,
}: Pick<SizingEvidence, 'load' | 'connections' | 'limits'>): number =>
  limits.widest === undefined ? Math.min(connections.days, (load.to - load.from) / DAY) : connections.days
