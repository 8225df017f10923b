// When a compute is awake in a gap: for the delay after the last activity, and for warm-ups ahead of predicted activity.
//
// Step i of a gap is the idle time from i to i + 1 steps. The client that ends a gap of `length` steps finds the compute awake if it was awake
// in step `length - 1`: a warm-up that a client uses costs at least one step and the start.

/** A start after `from` idle steps; the compute then stays awake for `length` steps, unless a client comes. */
export type WarmUp = Readonly<{ from: number; length: number }>

/** Steps. `warmUps` in order of time, none before the delay is over, without overlaps; may be empty. */
export type GapPlan = Readonly<{ delay: number; warmUps: readonly WarmUp[] }>

/** Prices in steps awake. */
export type GapPrices = Readonly<{
  wakeCost: number
  /** Price of a start ahead of a client, beside the time awake after it. */
  startCost: number
}>

/** `awake` in steps. `warmUps`: those that began. `used`: of these, those that a client came in, 0 or 1. */
export type PlannedGap = Readonly<{ awake: number; warmUps: number; used: number; isWoken: boolean }>

export function playPlan(length: number, { delay, warmUps }: GapPlan): PlannedGap {
  let [awake, begun, isWoken] = [Math.min(length, delay), 0, length > delay]
  for (const warmUp of warmUps) {
    if (warmUp.from >= length) break
    awake += Math.min(length - warmUp.from, warmUp.length)
    begun += 1
    isWoken = length > warmUp.from + warmUp.length
  }
  return { awake, warmUps: begun, used: begun > 0 && !isWoken ? 1 : 0, isWoken }
}

/** Cost of a gap that a client ended. */
export function planCost(length: number, plan: GapPlan, { wakeCost, startCost }: GapPrices): number {
  const { awake, warmUps, isWoken } = playPlan(length, plan)
  return awake + warmUps * startCost + (isWoken ? wakeCost : 0)
}
