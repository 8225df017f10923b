// Default range of a project with the least cost over the lives of its computes that existed for hours, or the reason why there is none. The
// rules are those of one compute (sizing/range.ts), for the computes that had the default size:
//
// 1. Its maximum is the largest size of now, and its minimum the least that keeps the connection limit, or that peaks of connections allow
//    which cover the time that they have to. At any demand it costs at most what is paid now.
// 2. Evidence: lives on as many days as recommendations of one compute need, and load that readings show.
// 3. The saving is that of the awake time of these lives, under the delay that is recommended with it. It is at least a tenth of what they cost.
import { duration, overlap } from '../../ledger/interval-math.ts'
import { priceAt } from '../../ledger/settle/slices.ts'
import { eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import type { Withheld } from '../../model/policy/recommendation.ts'
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { DAY, instant, ratio, SECOND, type Interval, type Ratio } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { savedTime, savedTimeIn, type DelayChange } from '../backtest.ts'
import { blockWindows, savedTimeInterval, statedWidening } from '../interval.ts'
import { withhold } from '../propose.ts'
import { cacheIn } from '../sizing/cache.ts'
import { peakOf, type ConnectionsSeen } from '../sizing/connections.ts'
import { sizeLimits } from '../sizing/limits.ts'
import { coverageOf, loadsOf, replayedSize, type SeenStep } from '../sizing/load-seen.ts'
import { sizingSaving, sizingSpend, type PricedLoad } from '../sizing/pricing.ts'
import { decideRange, MIN_SAVING, rangeTo } from '../sizing/range.ts'
import type { DefaultsInput } from './input.ts'
import { countedInterval, missingDays } from './life-days.ts'
import { hadSize, judgedSince, livesSince, type ShortLife } from './lives.ts'

export type DefaultRange = Readonly<{
  to: Sizing
  priced: PricedLoad
  lives: readonly ShortLife[]
  /** From the first end of a life. */
  interval: Interval
  /** Share of the awake time that readings cover. */
  covered: Ratio
}>

export function adviseDefaultRange(input: DefaultsInput, plan: PlanLimits): DefaultRange | Withheld {
  const { defaultSizing: sizing } = input.project
  if (!sizing) return withhold('defaults', 'not-listed')
  const lives = livesSince(input, judgedSince(input)).filter((life) => hadSize(life, sizing))
  const missing = missingDays(lives, input)
  if (missing) return missing
  const steps = lives.flatMap((life) => life.steps)
  const priced = pricedLoad(input, { plan, sizing, steps })
  if (priced.loads.length === 0) return withhold('defaults', 'no-readings')
  const { loads, limits } = priced
  const [today, range] = [sizing, rangeTo(largestCu(sizing), limits)].map(
    (one) => replayedSize(loads, one, limits.sizes).cu,
  )
  const saturation = { seen: 0, saturated: 0 }
  const costShare = (range ?? 0) / (today ?? 1)
  const decision = isFixedPlan(priced) ? undefined : decideRange({ sizing, limits, saturation, costShare })
  if (!decision) return whyNot(input, priced)
  const { covered, awake } = coverageOf(steps)
  const found: DefaultRange = {
    to: decision.to,
    priced,
    lives,
    interval: countedInterval(lives, input),
    covered: ratio(awake === 0 ? 0 : Math.min(1, covered / awake)),
  }
  const now = awakeUnder(found, input, undefined)
  const [spend, saving] = [sizingSpend(priced, now), sizingSaving(priced, found.to, now)]
  const needs = MIN_SAVING * spend.likely
  return saving.likely >= needs ? found : withhold('defaults', 'saving-small', { have: saving.likely, needs })
}

/** No range may have this maximum. */
const isFixedPlan = ({ sizing, limits }: PricedLoad): boolean =>
  limits.widest === undefined || largestCu(sizing) > limits.largest

type LoadOptions = Readonly<{ plan: PlanLimits; sizing: Sizing; steps: readonly SeenStep[] }>

function pricedLoad(input: DefaultsInput, { plan, sizing, steps }: LoadOptions): PricedLoad {
  const { preset, utilisation, prices, now } = input
  const connections = connectionsIn(input, sizing, steps)
  return {
    sizing,
    loads: loadsOf(steps, sizing).map(({ load }) => load),
    connections,
    cache: cacheIn(steps, { ...input, sizing }),
    limits: sizeLimits({ ...input, plan, sizing }, { connections, maximum: largestCu(sizing) }),
    preset,
    utilisation,
    perCuHour: priceAt(prices, now),
  }
}

/** `days`: those on which readings counted the connections of any life. */
function connectionsIn(
  { preset }: Pick<DefaultsInput, 'preset'>,
  sizing: Sizing,
  steps: readonly SeenStep[],
): ConnectionsSeen {
  const counted = steps.filter(({ connections }) => connections !== undefined)
  const limit = preset.maxConnections(sizing)
  const forClients = Math.min(limit, ...counted.flatMap(({ connectionLimit }) => connectionLimit ?? []))
  const times = counted.map(({ from }) => from)
  return {
    peak: counted.length === 0 ? undefined : Math.max(...counted.map(peakOf)),
    since: counted.length === 0 ? undefined : instant(Math.min(...times)),
    days: new Set(times.map((from) => Math.floor(from / DAY))).size,
    limit,
    reserved: limit - forClients,
  }
}

/**
 * The first that holds:
 * 1. `policy` or `plan-fixed`: no range may have this maximum;
 * 2. `fits`: the minimum is the smallest size;
 * 3. `policy`: it keeps the minimum up;
 * 4. `history-short`: more peaks of connections may allow less;
 * 5. `fits`.
 */
function whyNot({ policy, needs, now }: DefaultsInput, priced: PricedLoad): Withheld {
  const { sizing, limits, connections } = priced
  const { min = 0, max, neverDown } = policy.sizing
  if (isFixedPlan(priced)) return withhold('defaults', max === limits.largest ? 'policy' : 'plan-fixed')
  const smallest = smallestCu(sizing)
  if (smallest === limits.sizes[0]) return withhold('defaults', 'fits')
  if (neverDown || min >= smallest) return withhold('defaults', 'policy')
  const needed = (needs.minPeaks * SECOND) / DAY
  const { days: have } = connections
  if (have >= needed || limits.least < smallest) return withhold('defaults', 'fits')
  const until = instant(now + (needed - have) * DAY)
  return withhold('defaults', 'history-short', { have, needs: needed, until })
}

/** Awake seconds in 30 days of computes with the default size. @param delay what is recommended with it; undefined: the delay stays */
export function awakeUnder(
  { lives, interval }: DefaultRange,
  { needs, finished }: DefaultsInput,
  delay: DelayChange | undefined,
): Bounds<number> {
  const awake = lives.flatMap((life) => life.awake)
  const gaps = delay ? lives.filter(({ restsOnDelay }) => restsOnDelay).flatMap((life) => life.gaps) : []
  const savedIn = (within: Interval) =>
    delay === undefined ? 0 : sumOf(gaps, (gap) => savedTimeIn(gap, delay, within))
  const blocks = blockWindows(interval, needs).map((within) => ({
    saved: sumOf(awake, (one) => overlap(one, within)) / SECOND - savedIn(within),
    observed: duration(within),
  }))
  const time = sumOf(awake, duration) / SECOND
  const saved = delay ? savedTime(gaps, delay) : NOTHING
  const left = { low: time - saved.high, likely: time - saved.likely, high: time - saved.low }
  const inMonth = savedTimeInterval(blocks, left, statedWidening(finished?.get('defaults'))) ?? NOTHING
  return mapBounds(inMonth, (seconds) => Math.max(0, seconds))
}

const NOTHING: Bounds<number> = eachBound(() => 0)
