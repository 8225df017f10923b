// Default delay of a project with the least cost over the lives of its computes that existed for hours, or the reason why there is none.
//
// 1. Allowed delays: what plan and policy allow.
// 2. Evidence: lives on as many days, and with as many gaps, as the delay of one compute needs.
// 3. Cost of a delay: awake time in all gaps of all lives, and the price of a wake for each gap that is longer and that a client ended. The
//    gaps are known from the start of each life to its end, so that the cost is a sum and not an estimate of a hazard.
// 4. The change must gain for certain on other days like these (delay/proposal.ts).
import { cuTimeSum } from '../../ledger/settle/cu-time.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  largestCu,
  smallestCu,
  type AutosuspendDelay,
} from '../../model/service/compute.ts'
import { cu, ratio, type Cu } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../../ledger/interval-math.ts'
import { awakeInGap, wakesUnder } from '../backtest.ts'
import { allowedDelays } from '../delay/advise-delay.ts'
import { candidateDelays, cheaperByCost, type AllowedDelays } from '../delay/choose.ts'
import { delayProposal } from '../delay/proposal.ts'
import { withhold } from '../propose.ts'
import type { DefaultsInput } from './input.ts'
import { countedInterval, daysOfLives, missingDays, missingEvidence } from './life-days.ts'
import { judgedSince, livesSince, type ShortLife } from './lives.ts'

export function adviseDefaultDelay(input: DefaultsInput, plan: PlanLimits): Proposal | Withheld {
  const { policy, needs } = input
  const allowed = allowedDelays(plan, policy)
  if (!allowed.range) return withhold('defaults', 'policy')
  const now = defaultDelayOf(input)
  const candidates = candidateDelays(allowed, policy.wakeCost, needs.grid)
  return candidates.every((delay) => delay === now)
    ? withhold('defaults', 'plan-fixed')
    : cheapestDefault(input, { now, allowed, candidates })
}

export const defaultDelayOf = ({ project }: Pick<DefaultsInput, 'project'>): AutosuspendDelay =>
  project.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY

type Question = Readonly<{
  now: AutosuspendDelay
  allowed: AllowedDelays
  candidates: readonly AutosuspendDelay[]
}>

function cheapestDefault(input: DefaultsInput, { now, allowed, candidates }: Question): Proposal | Withheld {
  const lives = livesSince(input, judgedSince(input)).filter(({ restsOnDelay }) => restsOnDelay)
  const missing = missingDays(lives, input) ?? missingGaps(lives, input)
  if (missing) return missing
  const gaps = lives.flatMap((life) => life.gaps).toSorted((a, b) => a.from - b.from)
  const costOf = (delay: AutosuspendDelay) =>
    sumOf(gaps, ({ length }) => awakeInGap(length, delay).likely) +
    input.policy.wakeCost * wakesUnder(gaps, delay)
  const best = cheaperByCost(costOf, { candidates, now })
  if (best === undefined) return withhold('defaults', 'fits')
  const interval = countedInterval(lives, input)
  const proposal = delayProposal(
    {
      ...interval,
      input: { ...input, kind: 'defaults', size: sizeOf(lives), sessionsCut: undefined, maxAwake: Infinity },
      gaps,
      observed: [interval],
      followedShare: ratio(1),
      existing: lives,
      now,
      allowed,
      judgedFrom: 0,
    },
    best,
  )
  return proposal ?? withhold('defaults', 'unsure')
}

/** As many gaps as the delay of one compute needs; `have` and `needs` are days. */
function missingGaps(lives: readonly ShortLife[], input: DefaultsInput): Withheld | undefined {
  const gaps = sumOf(lives, (life) => life.gaps.length)
  const { minGaps } = input.needs
  const have = daysOfLives(lives, input)
  return gaps >= minGaps
    ? undefined
    : missingEvidence('not-followed', { have, needs: (have * minGaps) / Math.max(1, gaps), now: input.now })
}

/** While awake: the mean of the awake time, inside the limits that were in force. */
function sizeOf(lives: readonly ShortLife[]): Bounds<Cu> {
  const sizes = lives.flatMap((life) => life.settings.map(({ sizing }) => sizing))
  const [low, high] = [Math.min(...sizes.map(smallestCu)), Math.max(...sizes.map(largestCu))]
  const awake = lives.flatMap((life) => life.awake)
  const time = sumOf(awake, duration)
  const mean = time === 0 ? low : sumOf(awake, ({ cuTime }) => cuTimeSum(cuTime).likely) / time
  return { low: cu(low), likely: cu(Math.min(high, Math.max(low, mean))), high: cu(high) }
}
