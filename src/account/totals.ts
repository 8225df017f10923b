// Sums over awake intervals, and the counters that are published of them.
import type { AutosuspendDelay } from '../model/compute.ts'
import type { AwakeInterval, Bounds, Counters, CuTimeByPrice, Evidence, Totals } from '../model/ledger.ts'
import type { Prices } from '../model/price.ts'
import {
  cuMillis,
  micros,
  millis,
  type CuMillis,
  type Instant,
  type Micros,
  type Millis,
} from '../model/units.ts'
import { extensionOf, idleTailOf, isCausedByUs } from './activity.ts'
import { heldIn, plusHeld } from './held.ts'
import { cuTimeOf, NOTHING, spansOf } from './cu-time.ts'

const NO_TIME: Bounds<Millis> = { low: millis(0), likely: millis(0), high: millis(0) }

export const NO_TOTALS: Totals = {
  awake: NO_TIME,
  cuTime: {},
  idleTail: millis(0),
  extension: millis(0),
  held: {},
  wakes: 0,
  suspends: 0,
  restarts: 0,
  wakesCaused: 0,
}

export const NO_COUNTERS: Counters = {
  awake: millis(0),
  cuTime: cuMillis(0),
  spend: micros(0),
  observerSpend: micros(0),
  idleTail: millis(0),
  extension: millis(0),
  wakes: 0,
  suspends: 0,
  restarts: 0,
  wakesCaused: 0,
}

/** What totals of one interval depend on beside it. */
export type TotalsContext = {
  readonly evidence: Evidence
  readonly delay: AutosuspendDelay
  readonly prices: Prices
  readonly now: Instant
}

export function totalsOf(interval: AwakeInterval, context: TotalsContext): Totals {
  const { evidence, delay, now } = context
  const { low, likely, high } = spansOf(interval, now)
  return {
    awake: {
      low: millis(low[1] - low[0]),
      likely: millis(likely[1] - likely[0]),
      high: millis(high[1] - high[0]),
    },
    cuTime: cuTimeOf(interval, evidence.sizes, context),
    idleTail: idleTailOf(interval, evidence, delay),
    extension: extensionOf(interval, evidence, delay),
    held: heldIn(interval, evidence, delay),
    wakes: interval.restart ? 0 : 1,
    suspends: interval.to ? 1 : 0,
    restarts: interval.restart ? 1 : 0,
    wakesCaused: !interval.restart && isCausedByUs(interval, evidence.footprints) ? 1 : 0,
  }
}

export function plus(a: Totals, b: Totals): Totals {
  return {
    awake: addBounds(a.awake, b.awake, millis),
    cuTime: addCuTime(a.cuTime, b.cuTime),
    idleTail: millis(a.idleTail + b.idleTail),
    extension: millis(a.extension + b.extension),
    held: plusHeld(a.held, b.held),
    wakes: a.wakes + b.wakes,
    suspends: a.suspends + b.suspends,
    restarts: a.restarts + b.restarts,
    wakesCaused: a.wakesCaused + b.wakesCaused,
  }
}

export function addBounds<Value extends number>(
  a: Bounds<Value>,
  b: Bounds<Value>,
  unit: (value: number) => Value,
): Bounds<Value> {
  return { low: unit(a.low + b.low), likely: unit(a.likely + b.likely), high: unit(a.high + b.high) }
}

function addCuTime(a: CuTimeByPrice, b: CuTimeByPrice): CuTimeByPrice {
  const sum: Record<string, Bounds<CuMillis>> = { ...a }
  for (const [price, time] of Object.entries(b)) sum[price] = addBounds(sum[price] ?? NOTHING, time, cuMillis)
  return sum
}

export const cuTimeSum = (cuTime: CuTimeByPrice): Bounds<CuMillis> =>
  Object.values(cuTime).reduce((sum, time) => addBounds(sum, time, cuMillis), NOTHING)

/** The money, computed once from whole CU·ms, so that no rounding adds up. */
export function spendOf(cuTime: CuTimeByPrice): Bounds<Micros> {
  const cost = (pick: keyof Bounds<CuMillis>): Micros =>
    micros(priced(Object.entries(cuTime).map(([price, time]) => [price, time[pick]])))
  return { low: cost('low'), likely: cost('likely'), high: cost('high') }
}

const HOUR = 3_600_000

const priced = (times: readonly (readonly [price: string, time: CuMillis])[]): number =>
  times.reduce((sum, [price, time]) => sum + (time * Number(price)) / HOUR, 0)
