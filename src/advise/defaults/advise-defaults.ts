// Recommended default delay of a project, or the reason why there is none: the delay with the least cost over the lives of its computes that
// existed for hours. Nothing is judged of a compute that lives longer: it earns a recommendation of its own.
//
// 1. Allowed delays: what plan and policy allow.
// 2. Evidence: lives on as many days, and with as many gaps, as the delay of one compute needs.
// 3. Cost of a delay: awake time in all gaps of all lives, and the price of a wake for each gap that is longer and that a client ended. The
//    gaps are known from the start of each life to its end, so that the cost is a sum and not an estimate of a hazard.
// 4. The change must gain for certain on other days like these (delay/proposal.ts).
import { cuTimeSum } from '../../ledger/settle/cu-time.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  largestCu,
  smallestCu,
  type AutosuspendDelay,
} from '../../model/service/compute.ts'
import { cu, DAY, earliest, instant, latest, ratio, SECOND, type Cu } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { duration } from '../../ledger/interval-math.ts'
import { awakeInGap, wakesUnder } from '../backtest.ts'
import { allowedDelays } from '../delay/advise-delay.ts'
import { candidateDelays, cheaperByCost, type AllowedDelays } from '../delay/choose.ts'
import { delayProposal } from '../delay/proposal.ts'
import { withhold } from '../propose.ts'
import type { DefaultsInput } from './input.ts'
import { judgedSince, settledUntil, shortLives, type ShortLife } from './lives.ts'

export function adviseDefaults(input: DefaultsInput): Proposal | Withheld {
  const { plan, policy, needs, project } = input
  if (!policy.kinds.includes('defaults')) return withhold('defaults', 'policy')
  if (project.hasDefaults === false) return withhold('defaults', 'not-listed')
  if (!plan) return withhold('defaults', 'plan-unknown')
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
  const lives = shortLives(input, judgedSince(input))
  const missing = missingEvidence(lives, input)
  if (missing) return missing
  const gaps = lives.flatMap((life) => life.gaps).toSorted((a, b) => a.from - b.from)
  const costOf = (delay: AutosuspendDelay) =>
    sumOf(gaps, ({ length }) => awakeInGap(length, delay).likely) +
    input.policy.wakeCost * wakesUnder(gaps, delay)
  const best = cheaperByCost(costOf, { candidates, now })
  if (best === undefined) return withhold('defaults', 'fits')
  // lives are counted by their ends: as many ended since then as began
  const from = latest(judgedSince(input), earliest(...lives.map((life) => life.to)))
  const interval = { from, to: settledUntil(input) }
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
  if (!proposal) return withhold('defaults', 'unsure')
  return { ...proposal, detail: { kind: 'defaults', lives: lives.length, atOnce: input.atOnce } }
}

/** `have` and `needs` are days: those on which lives ended, and no more than passed since the first. */
function missingEvidence(lives: readonly ShortLife[], { needs, now }: DefaultsInput): Withheld | undefined {
  const needed = (needs.minHistory * SECOND) / DAY
  const days = new Set(lives.map(({ to }) => Math.floor((now - to) / DAY))).size
  const have = Math.min(days, (now - Math.min(now, ...lives.map(({ to }) => to))) / DAY)
  const missing = (because: Withheld['because'], all: number) =>
    withhold('defaults', because, { have, needs: all, until: instant(now + Math.max(0, all - have) * DAY) })
  if (have < needed) return missing('history-short', needed)
  const gaps = sumOf(lives, (life) => life.gaps.length)
  return gaps >= needs.minGaps
    ? undefined
    : missing('not-followed', (have * needs.minGaps) / Math.max(1, gaps))
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
