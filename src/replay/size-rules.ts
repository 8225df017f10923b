// Rules for sizes: ours, two that never change their mind, and three that people use.
import { scaleStep } from '../advise/sizing/autoscaler.ts'
import { percentile } from '../advise/sizing/fixed.ts'
import { decideRange, rangeTo, type SizeLimits } from '../advise/sizing/range.ts'
import { isSaturatedStep, SATURATION_PERIOD, UP_COOLDOWN } from '../advise/sizing/up.ts'
import { largestCu, type Sizing } from '../model/service/compute.ts'
import { FINE_STEP } from '../model/ledger/rollup.ts'
import { sizeAtLeast } from '../model/service/sizes.ts'
import { DAY } from '../model/units.ts'
import type { RunningSizeRule, SizeRule } from './load.ts'

const STEP = FINE_STEP * 1000

const KEEP: SizeRule = { name: 'keep', start: (sizing) => () => sizing }

/** From the smallest allowed size up to today's, at once. */
const RANGE: SizeRule = {
  name: 'range',
  start: (sizing, limits) => {
    const range = rangeTo(largestCu(sizing), limits)
    return () => range
  },
}

/** What is recommended. */
const RECOMMENDED: SizeRule = { name: 'recommended', start: startRecommended }

function startRecommended(first: Sizing, limits: SizeLimits): RunningSizeRule {
  const recent = recentSteps(SATURATION_PERIOD / STEP)
  let sizing = first
  let sinceChange = startSums(sizing, limits)
  let at = -1
  let changedAt = -Infinity
  return (load) => {
    at += 1
    recent.add(at, load)
    if (load === undefined) return sizing
    sinceChange.add(load)
    const isCoolingDown = (at - changedAt) * STEP < UP_COOLDOWN
    const saturation = isCoolingDown ? { seen: 0, saturated: 0 } : recent.saturation(largestCu(sizing))
    const decision = decideRange({ sizing, limits, saturation, costShare: sinceChange.costShare() })
    if (!decision) return sizing
    sizing = decision.to
    sinceChange = startSums(sizing, limits)
    changedAt = at
    return sizing
  }
}

/** Loads of the last `count` steps. */
function recentSteps(count: number) {
  const loads: { at: number; load: number }[] = []
  return {
    add: (at: number, load: number | undefined) => {
      if (load !== undefined) loads.push({ at, load })
      while ((loads[0]?.at ?? at) <= at - count) loads.shift()
    },
    saturation: (max: ReturnType<typeof largestCu>) => ({
      seen: loads.length,
      saturated: loads.reduce((sum, { load }) => sum + Number(isSaturatedStep(load, max)), 0),
    }),
  }
}

/** What the least range would have cost beside one sizing. */
function startSums(sizing: Sizing, limits: SizeLimits) {
  const { sizes } = limits
  const range = rangeTo(largestCu(sizing), limits)
  let [cost, rangeCost] = [0, 0]
  let now: ReturnType<typeof scaleStep> | undefined
  let then: ReturnType<typeof scaleStep> | undefined
  return {
    add: (load: number) => {
      now = scaleStep(load, { sizing, sizes }, now)
      then = scaleStep(load, { sizing: range, sizes }, then)
      cost += now.cu
      rangeCost += then.cu
    },
    costShare: () => rangeCost / cost,
  }
}

/** Once a day, from the loads of the last `days`: a fixed size that holds what `needed` of them says. */
function daily(name: string, days: number, needed: (loads: Float64Array) => number): SizeRule {
  const stepsOfDay = DAY / STEP
  return {
    name,
    start: (first, { sizes, least }) => {
      const loads: number[] = []
      let sizing = first
      return (load) => {
        loads.push(load ?? Number.NaN)
        if (loads.length % stepsOfDay > 0) return sizing
        const seen = loads.slice(-days * stepsOfDay).filter((one) => !Number.isNaN(one))
        if (seen.length > 0)
          sizing = { fixed: sizeAtLeast(sizes, Math.max(least, needed(Float64Array.from(seen)))) }
        return sizing
      }
    },
  }
}

/** Robusta KRR, strategy `simple`: CPU percentile 95 of 14 days; buffer of 15 %. */
const P95 = daily('p95-15', 14, (loads) => 1.15 * percentile(loads, 0.95))

/** Kubernetes Vertical Pod Autoscaler: target percentile 90 of a histogram with a half-life of 24 h over 8 days, margin of 15 %. */
const DECAYED_P90 = daily('decayed-p90-15', 8, (loads) => 1.15 * decayedPercentile(loads, 0.9))

/** AWS Compute Optimizer: CPU threshold P99.5 of 14 days, headroom of 20 %. */
const P995 = daily('p99.5-20', 14, (loads) => 1.2 * percentile(loads, 0.995))

/** Least value that holds `share` of the weights, which halve with each day of age. */
function decayedPercentile(loads: Float64Array, share: number): number {
  const weight = (index: number) => 2 ** (((index - loads.length) * STEP) / DAY)
  const order = [...loads.keys()].toSorted((a, b) => (loads[a] ?? 0) - (loads[b] ?? 0))
  let left = share * order.reduce((sum, index) => sum + weight(index), 0)
  for (const index of order) {
    left -= weight(index)
    if (left <= 0) return loads[index] ?? 0
  }
  return 0
}

export const SIZE_RULES: readonly SizeRule[] = [RECOMMENDED, KEEP, RANGE, P95, DECAYED_P90, P995]
