// Delay recommendations beside the truth.
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import { candidateDelays } from '../../../src/advise/delay/choose.ts'
import { DEFAULT_ADVICE_POLICY } from '../../../src/model/policy/advice-policy.ts'
import { planLimits } from '../../../src/model/policy/plan-limits.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { cu, instant, seconds } from '../../../src/model/units.ts'
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import { sumOf } from '../../../src/std/sum.ts'
import { adviseEntry, adviseInput, adviseRef } from '../../support/advise-input.ts'
import type { LifeOfCompute, Span } from './lives.ts'
import { DAY, START } from './run-account.ts'
import { lengthOf, trueCost, trueGaps, trueSaving } from './true-gaps.ts'

type DelayJson = RecommendationsJson['recommendations'][number]

/** The recommended delay of each compute that has one, by the number of the compute. */
export type OpenDelays = ReadonlyMap<number, DelayJson>

const GRID = seconds(60)
const { wakeCost, floor } = DEFAULT_ADVICE_POLICY
const PLAN = planLimits('interface', 'scale')

/** All delays that the plan allows and the rule considers. */
const CANDIDATES = candidateDelays(
  { range: PLAN && { from: seconds(Math.max(floor, PLAN.delays.from)), to: PLAN.delays.to }, mayNever: true },
  wakeCost,
  GRID,
)

export const delayAtStart = ({ delay }: LifeOfCompute): AutosuspendDelay =>
  delay < 0 ? 'never' : seconds(delay)

export const delayOf = ({ to }: Pick<DelayJson, 'to'>): AutosuspendDelay => {
  const { delay_seconds: delay = 'never' } = to
  return delay === 'never' ? delay : seconds(delay)
}

/** What the same rule makes of the true gaps: the delay in force where it recommends no other. */
function ruleOnTruth(life: LifeOfCompute, until: number): AutosuspendDelay {
  const now = delayAtStart(life)
  const gaps = trueGaps(life, until)
    .filter((gap) => lengthOf(gap) >= GRID)
    .map((gap) => {
      const length = seconds(lengthOf(gap))
      return { ref: adviseRef, from: instantOf(gap.from), low: length, high: length, hiddenBelow: seconds(0) }
    })
  const lastActive = life.active.findLast(({ from }) => from < until)
  const record = {
    autosuspendDelay: now,
    sizing: { fixed: cu(1) },
    lastActive: lastActive && instantOf(Math.min(lastActive.to, until)),
    createdAt: instantOf(0),
  }
  const advice = adviseDelay(
    adviseInput({
      entry: adviseEntry({ observedAt: instantOf(until) }, record),
      policy: DEFAULT_ADVICE_POLICY,
      gaps,
      settings: [{ ref: adviseRef, since: instantOf(0), delay: now, sizing: { fixed: cu(1) } }],
      now: instantOf(until),
    }),
  )
  return 'ref' in advice ? (advice.to.delay ?? now) : now
}

const instantOf = (at: number) => instant(START + 1000 * at)

export type JudgedDelays = Readonly<{
  open: number
  /** Cost over that of the rule on the true gaps, by recommendation: 0 is equal. */
  dearer: readonly number[]
  /** Cost saved by what is recommended, and by the best delay in hindsight, seconds with wakes priced, by the delay at the start. */
  saved: Readonly<Record<'default' | 'never', Readonly<{ recommended: number; best: number }>>>
}>

/**
 * @param until seconds from the start: the recommendations were read then
 * @param end of the lives, seconds from the start: hindsight looks back from there
 */
export function judgeDelays(
  lives: readonly LifeOfCompute[],
  open: OpenDelays,
  { until, end }: { until: number; end: number },
): JudgedDelays {
  const dearer = [...open].flatMap(([at, recommendation]) => {
    const life = lives[at]
    if (!life) return []
    const costOf = (delay: AutosuspendDelay) => trueCost(life, delay, { until, wakeCost })
    const evaluated = (Date.parse(recommendation.confirmed_at) - START) / 1000
    const best = costOf(ruleOnTruth(life, evaluated))
    // without any use both cost nothing
    return [best > 0 ? costOf(delayOf(recommendation)) / best - 1 : 0]
  })
  const savedOf = (isNever: boolean) => {
    const some = lives.flatMap((life, at) => (life.delay < 0 === isNever ? [{ life, at }] : []))
    return {
      recommended: sumOf(some, ({ life, at }) => {
        const recommendation = open.get(at)
        return recommendation ? gain(life, delayOf(recommendation), end) : 0
      }),
      best: sumOf(some, ({ life }) => Math.max(0, ...CANDIDATES.map((delay) => gain(life, delay, end)))),
    }
  }
  return { open: open.size, dearer, saved: { default: savedOf(false), never: savedOf(true) } }
}

const gain = (life: LifeOfCompute, delay: AutosuspendDelay, until: number): number =>
  trueCost(life, delayAtStart(life), { until, wakeCost }) - trueCost(life, delay, { until, wakeCost })

export type Realised = Readonly<{
  implemented: number
  /** Whose realised saving is inside of its interval. */
  inside: number
  /** Money in 30 days, micros. */
  realised: number
  likely: number
  /** Awake time and priced wakes, seconds, with the settings before and with the implemented ones. */
  cost: Readonly<{ before: number; after: number }>
  /** Whose cost is not more than with the setting before. */
  notDearer: number
}>

const SAVING_DAYS = 30

/** @param within from the implementation until the end */
export function judgeRealised(
  lives: readonly LifeOfCompute[],
  implemented: OpenDelays,
  within: Span,
): Realised {
  const judged = [...implemented].flatMap(([at, recommendation]) => {
    const life = lives[at]
    if (!life) return []
    const { grounds, saving_micros_per_30_days: stated } = recommendation
    const saved = trueSaving(life, { from: delayAtStart(life), to: delayOf(recommendation) }, within)
    const perSecond = (grounds.cu.likely * grounds.price_micros_per_cu_hour) / 3600
    const realised = (saved * perSecond * SAVING_DAYS * DAY) / lengthOf(within)
    const costOf = (delay: AutosuspendDelay) =>
      trueCost(life, delay, { until: within.to, wakeCost }) -
      trueCost(life, delay, { until: within.from, wakeCost })
    const cost = { before: costOf(delayAtStart(life)), after: costOf(delayOf(recommendation)) }
    return [{ ...stated, realised, cost }]
  })
  return {
    implemented: judged.length,
    inside: judged.filter(({ low, high, realised }) => realised >= low && realised <= high).length,
    realised: sumOf(judged, ({ realised }) => realised),
    likely: sumOf(judged, ({ likely }) => likely),
    cost: {
      before: sumOf(judged, ({ cost }) => cost.before),
      after: sumOf(judged, ({ cost }) => cost.after),
    },
    notDearer: judged.filter(({ cost }) => cost.after <= cost.before).length,
  }
}
