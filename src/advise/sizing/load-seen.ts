// Load of a compute as readings show it, in steps of five minutes, under the sizing of now. Each value is an upper bound of the demand:
// the average number of active sessions, which use at most one CPU each, and the size that the service gave it.
import type { Rollup, RollupSums } from '../../model/ledger/rollup.ts'
import { largestCu, type Sizing } from '../../model/service/compute.ts'
import { DAY, instant, type Cu, type Instant, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { sizingKey } from '../hysteresis.ts'
import type { AdviseInput } from '../input.ts'
import { scaleStep } from './autoscaler.ts'
import { isSaturatedStep, SATURATION_PERIOD, UP_COOLDOWN, type Saturation } from './up.ts'

export type LoadSeen = Interval &
  Readonly<{
    /** In order of time, CU. */
    loads: readonly number[]
    /** Nothing within the cooldown after a change of the sizing. */
    saturation: Saturation
    /** Days with values. */
    days: number
    /** Part of the awake time that the values cover, ms, and all of it. */
    covered: number
    awake: number
  }>

/** Undefined without a value. Load under another sizing is left out: a smaller maximum would have hidden the demand. */
export function loadSeen(input: AdviseInput): LoadSeen | undefined {
  const { entry, settings, now } = input
  const { sizing } = entry.compute
  const changedAt = sizedSince(settings, sizing)
  const current = bucketsOfSizing(input)
  const values = loadsOf(current, sizing)
  const [first] = values
  if (!first) return undefined
  const isCoolingDown = changedAt !== undefined && now - changedAt < UP_COOLDOWN
  const recent = isCoolingDown ? [] : values.filter(({ from }) => from >= now - SATURATION_PERIOD)
  return {
    from: first.from,
    to: now,
    loads: values.map(({ load }) => load),
    saturation: {
      seen: recent.length,
      saturated: recent.filter(({ load }) => isSaturatedStep(load, largestCu(sizing))).length,
    },
    days: new Set(values.map(({ from }) => Math.floor(from / DAY))).size,
    ...coverageOf(current),
  }
}

/** Steps of five minutes since the compute has its sizing, the one in progress included. */
export function bucketsOfSizing({ entry, steps, settings }: AdviseInput): readonly RollupSums[] {
  const changedAt = sizedSince(settings, entry.compute.sizing)
  const open = entry.rollups.fine
  return [...steps, ...(open ? [open] : [])].filter(
    (bucket) => changedAt === undefined || bucket.from >= changedAt,
  )
}

/** Undefined where the sizing did not change in the time that is known. */
function sizedSince(settings: AdviseInput['settings'], sizing: Sizing): Instant | undefined {
  const last = settings.findLastIndex((setting) => sizingKey(setting.sizing) !== sizingKey(sizing))
  return last < 0 ? undefined : (settings[last + 1]?.since ?? instant(Infinity))
}

/** What a bucket tells of load, connections and cache. */
export type SeenStep = Pick<
  RollupSums,
  'from' | 'time' | 'use' | 'size' | 'connections' | 'connectionLimit' | 'cache' | 'cacheUsed' | 'cacheLimit'
>

/** Without what is not needed: many are in memory at a time. */
export const seenStep = (bucket: RollupSums): SeenStep => {
  const { from, time, use, size, connections, connectionLimit, cache, cacheUsed, cacheLimit } = bucket
  return { from, time, use, size, connections, connectionLimit, cache, cacheUsed, cacheLimit }
}

/** Without steps that no reading tells of. */
export const loadsOf = (
  steps: readonly SeenStep[],
  sizing: Sizing,
): readonly Readonly<{ from: Instant; load: number }>[] =>
  steps.flatMap((step) => {
    const load = loadOf(step, sizing)
    return load === undefined ? [] : [{ from: step.from, load }]
  })

/** Part of the awake time that the values cover, ms, and all of it. */
export const coverageOf = (steps: readonly SeenStep[]): Pick<LoadSeen, 'covered' | 'awake'> => ({
  covered: sumOf(steps, (step) => Math.min(step.time.active, step.use?.over ?? 0)),
  awake: sumOf(steps, (step) => step.time.active),
})

function loadOf({ use, size }: Pick<Rollup, 'use' | 'size'>, sizing: Sizing): number | undefined {
  const sessions = use && use.over > 0 ? use.activeTime / use.over : undefined
  const given = size?.source === 'estimated' ? size.sum / size.count : undefined
  if (sessions === undefined && given === undefined) return undefined
  return Math.min(sessions ?? Infinity, given ?? Infinity, largestCu(sizing))
}

/** Whether the load of a step filled the maximum. */
export function isSaturatedBucket(bucket: Pick<Rollup, 'use' | 'size'>, sizing: Sizing): boolean {
  const load = loadOf(bucket, sizing)
  return load !== undefined && isSaturatedStep(load, largestCu(sizing))
}

/** Mean size that the autoscaler gives, and the share of throttled time. @param loads CU, not empty */
export function replayedSize(
  loads: readonly number[],
  sizing: Sizing,
  sizes: readonly Cu[],
): Readonly<{ cu: number; throttled: number }> {
  let [total, throttled] = [0, 0]
  let before: ReturnType<typeof scaleStep> | undefined
  for (const load of loads) {
    before = scaleStep(load, { sizing, sizes }, before)
    total += before.cu
    throttled += before.throttled
  }
  return { cu: total / loads.length, throttled: throttled / loads.length }
}
