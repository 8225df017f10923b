// Sums over awake time, and the money they come to.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import { addBounds, type Bounds, type CuTimeByPrice } from '../../model/ledger/quantities.ts'
import type { PublishedCounters, Totals } from '../../model/ledger/ledger.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import { cuMillis, micros, millis, type CuMillis, type Micros } from '../../model/units.ts'
import { observerOverhead, idleTailOf, isWokenByObserver } from '../evidence/activity.ts'
import { addCuTime, awakeBounds, cuTimeOf, NO_CU_TIME, NO_TIME } from './cu-time.ts'
import { attributionIn, addAttribution } from '../attribution/attribution.ts'

export const NO_TOTALS: Totals = {
  awake: NO_TIME,
  cuTime: {},
  idleTail: millis(0),
  observerOverhead: millis(0),
  attribution: {},
  wakes: 0,
  suspends: 0,
  restarts: 0,
  wakesCaused: 0,
}

export const NO_PUBLISHED_COUNTERS: PublishedCounters = {
  awake: millis(0),
  cuTime: cuMillis(0),
  spend: micros(0),
  observerSpend: micros(0),
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 0,
  suspends: 0,
  restarts: 0,
  wakesCaused: 0,
  unproductive: {},
}

/** What totals of one interval depend on beside it. */
export type TotalsContext = { readonly evidence: Evidence; readonly delay: AutosuspendDelay }

export const timeTotals = (slices: readonly AwakeSlice[]): Totals => ({
  ...NO_TOTALS,
  awake: awakeBounds(slices),
  cuTime: cuTimeOf(slices),
  ...assumedOf(slices),
})

function assumedOf(slices: readonly AwakeSlice[]): Pick<Totals, 'assumed'> {
  const assumed = slices.filter((slice) => slice.assumed)
  return assumed.length === 0 ? {} : { assumed: cuTimeSum(cuTimeOf(assumed)).likely }
}

/** What the start of an interval counts for. */
export const startTotals = (interval: AwakeInterval, { evidence }: TotalsContext): Totals => ({
  ...NO_TOTALS,
  wakes: interval.restart ? 0 : 1,
  restarts: interval.restart ? 1 : 0,
  wakesCaused: !interval.restart && isWokenByObserver(interval, evidence.ownSessions) ? 1 : 0,
})

/** What the end of an interval counts for, and what was added to it so far. */
export const endTotals = (interval: AwakeInterval, { evidence, delay }: TotalsContext): Totals => ({
  ...NO_TOTALS,
  idleTail: idleTailOf(interval, evidence, delay),
  observerOverhead: observerOverhead(interval, evidence, delay),
  attribution: attributionIn(interval, evidence, delay),
  suspends: interval.to ? 1 : 0,
})

export function addTotals(a: Totals, b: Totals): Totals {
  return {
    awake: addBounds(a.awake, b.awake, millis),
    cuTime: addCuTime(a.cuTime, b.cuTime),
    ...((a.assumed ?? b.assumed) !== undefined && { assumed: cuMillis((a.assumed ?? 0) + (b.assumed ?? 0)) }),
    idleTail: millis(a.idleTail + b.idleTail),
    observerOverhead: millis(a.observerOverhead + b.observerOverhead),
    attribution: addAttribution(a.attribution, b.attribution),
    wakes: a.wakes + b.wakes,
    suspends: a.suspends + b.suspends,
    restarts: a.restarts + b.restarts,
    wakesCaused: a.wakesCaused + b.wakesCaused,
  }
}

export const cuTimeSum = (cuTime: CuTimeByPrice): Bounds<CuMillis> =>
  Object.values(cuTime).reduce((sum, time) => addBounds(sum, time, cuMillis), NO_CU_TIME)

/** The money, computed once from whole CU·ms, so that no rounding adds up. */
export function spendOf(cuTime: CuTimeByPrice): Bounds<Micros> {
  const cost = (pick: keyof Bounds<CuMillis>): Micros =>
    micros(priced(Object.entries(cuTime).map(([price, time]) => [price, time[pick]])))
  return { low: cost('low'), likely: cost('likely'), high: cost('high') }
}

const HOUR = 3_600_000

const priced = (times: readonly (readonly [price: string, time: CuMillis])[]): number =>
  times.reduce((sum, [price, time]) => sum + (time * Number(price)) / HOUR, 0)
