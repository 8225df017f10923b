// Warm-ups of the gap in progress of one compute: its gaps before are replayed under the delay in force, so that each plan is tested on the
// past of the compute, and a process that starts anew plans the same.
import type { NoWarmUpReason, WarmUpPlan, WarmUpBacktest } from '../../model/policy/warm-up.ts'
import { effectiveDelay } from '../../model/service/compute.ts'
import { after, MINUTE, seconds, type Seconds } from '../../model/units.ts'
import { createFleetHazard } from './fleet-hazard.ts'
import type { GapPlan } from './gap-plan.ts'
import { createGuard } from './guard.ts'
import { endedAndOpenGaps, type GapInput, type ObservedGap } from './observed-gaps.ts'
import { createWarmUpLearner, MIN_GAPS } from './warm-learner.ts'
import { mayWarmUp, type WarmUpTerms } from './warm-plan.ts'

/** Price of a start ahead of a client, beside the time awake after it: 5 s of awake time, as in `replay`. */
export const START_COST = seconds(5)

/** Newest gaps that are replayed: two weeks of a timer of 50 minutes. More change no plan, and each takes 0.2 ms. */
const MAX_GAPS = 400

/** Step of the learner. */
const STEP = seconds(60)

const NOTHING_PLAYED: WarmUpBacktest = { gaps: 0, predicted: 0, came: 0, saved: seconds(0) }

/** @param wakeCost price of a wake, awake time */
export function planWarmUps(input: GapInput, wakeCost: Seconds): WarmUpPlan {
  const all = endedAndOpenGaps(input)
  const open = all.at(-1)
  const none = (because: NoWarmUpReason): WarmUpPlan => ({
    gapFrom: open?.isOpen ? open.from : undefined,
    starts: [],
    because,
    backtest: NOTHING_PLAYED,
  })
  if (!open?.isOpen) return none('unseen')
  const delay = effectiveDelay(input.entry.compute, input.project?.project)
  if (delay === 'never') return none('autosuspend-off')
  const terms = termsOf(wakeCost)
  const awakeFor = Math.max(1, Math.ceil(delay / STEP))
  if (!mayWarmUp(terms, awakeFor)) return none('wake-cost')
  const past = all.slice(0, -1).slice(-MAX_GAPS)
  if (past.length < MIN_GAPS)
    return { ...none('few-gaps'), backtest: { ...NOTHING_PLAYED, gaps: past.length } }
  const { plan, backtest, isInLoss } = replayed(past, open, { terms, delay: awakeFor })
  return {
    gapFrom: open.from,
    starts: plan.warmUps.map(({ from }) => after(open.from, seconds(from * STEP))),
    because: plan.warmUps.length > 0 ? undefined : isInLoss ? 'in-loss' : 'no-gain',
    backtest,
  }
}

/** A compute sleeps one delay after a start: there is no suspend lever. */
const termsOf = (wakeCost: Seconds): WarmUpTerms => ({
  floor: 1,
  wakeCost: wakeCost / STEP,
  startCost: START_COST / STEP,
  hasSuspendLever: false,
})

/** The plan of the open gap, after all others were played in order. */
function replayed(
  past: readonly ObservedGap[],
  open: ObservedGap,
  { terms, delay }: Readonly<{ terms: WarmUpTerms; delay: number }>,
) {
  const learner = createWarmUpLearner(terms, createFleetHazard())
  const guard = createGuard(terms)
  const planOf = ({ from, hiddenBelow }: ObservedGap): GapPlan => {
    learner.decide(Math.floor(from / MINUTE), Math.ceil(hiddenBelow / STEP))
    return guard.bindWarmUps({ delay, warmUps: learner.warmUps(delay) })
  }
  for (const gap of past) {
    const plan = planOf(gap)
    const length = Math.max(1, Math.round(gap.length.likely / STEP))
    guard.add(length, plan)
    learner.learn(length)
  }
  const plan = planOf(open)
  const { predicted, came, saved, balance } = learner.record()
  return {
    plan,
    backtest: { gaps: past.length, predicted, came, saved: seconds(saved * STEP) },
    isInLoss: balance < 0,
  }
}
