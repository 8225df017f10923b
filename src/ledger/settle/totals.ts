// Totals of awake intervals and slices, and the published counters raised by them.
import type { AwakeInterval, Evidence } from '../../model/ledger/evidence.ts'
import { addBounds, type AwakeSlice } from '../../model/ledger/quantities.ts'
import type { PublishedCounters, Totals } from '../../model/ledger/ledger.ts'
import {
  type Unproductive,
  type UnproductiveCause,
  UNPRODUCTIVE_CAUSES,
} from '../../model/ledger/counters.ts'
import { cuMillis, HOUR, micros, millis, type Micros } from '../../model/units.ts'
import { delayBeforeLooks, type Delays } from '../evidence/past-delay.ts'
import { observerOverhead, idleTailOf, isWokenDuring, isWokenByObserver } from '../evidence/activity.ts'
import { addCuTime, awakeBounds, cuTimeOf, cuTimeSum, NO_TIME, spendOf } from './cu-time.ts'
import { attributionIn, addAttribution } from '../attribution/attribution.ts'
import { parseCulpritKey } from '../attribution/causes.ts'

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

export type TotalsContext = Delays & Readonly<{ evidence: Evidence }>

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

export function startTotals(interval: AwakeInterval, { evidence }: TotalsContext): Totals {
  if (interval.restart) return { ...NO_TOTALS, restarts: 1 }
  const byReading = isWokenByObserver(interval, evidence.ownSessions)
  const byChange = !byReading && isWokenDuring(interval, evidence.changes)
  const byWarmUp = !byReading && !byChange && isWokenDuring(interval, evidence.warmUps)
  return {
    ...NO_TOTALS,
    wakes: 1,
    wakesCaused: byReading ? 1 : 0,
    ...(byChange && { wakesByChange: 1 }),
    ...(byWarmUp && { wakesByWarmUp: 1 }),
  }
}

/** Totals of the end, or what an interval in progress has so far. */
export function endTotals(interval: AwakeInterval, context: TotalsContext): Totals {
  const { evidence, delay } = context
  const delayThen = interval.to ? delayBeforeLooks(interval.to, evidence, context) : delay
  return {
    ...NO_TOTALS,
    idleTail: idleTailOf(interval, evidence, delayThen),
    observerOverhead: observerOverhead(interval, evidence, delay),
    attribution: attributionIn(interval, evidence, delayThen),
    suspends: interval.to ? 1 : 0,
  }
}

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
    ...wakesByDormouse(a, b, (x, y) => x + y),
  }
}

type WakesByDormouse = Pick<Totals, 'wakesByChange' | 'wakesByWarmUp'>

/** Absent where neither has any. */
function wakesByDormouse(
  a: WakesByDormouse,
  b: WakesByDormouse,
  join: (x: number, y: number) => number,
): WakesByDormouse {
  const joined = (name: keyof WakesByDormouse) =>
    (a[name] ?? b[name]) === undefined ? {} : { [name]: join(a[name] ?? 0, b[name] ?? 0) }
  return { ...joined('wakesByChange'), ...joined('wakesByWarmUp') }
}

/** Published counters, which never fall. Observer overhead costs the mean size of the compute at the present price. */
export function raiseCounters(before: PublishedCounters, totals: Totals, price: Micros): PublishedCounters {
  const overhead = millis(Math.max(before.observerOverhead, totals.observerOverhead))
  const cuTime = cuMillis(Math.max(before.cuTime, cuTimeSum(totals.cuTime).likely))
  const awake = millis(Math.max(before.awake, totals.awake.likely))
  const added = overhead - before.observerOverhead
  const size = awake === 0 ? 0 : cuTime / awake
  const spend = micros(Math.max(before.spend, spendOf(totals.cuTime).likely))
  return {
    awake,
    cuTime,
    spend,
    idleTail: millis(Math.max(before.idleTail, totals.idleTail)),
    observerOverhead: overhead,
    observerSpend: micros(before.observerSpend + (added * size * price) / HOUR),
    wakes: Math.max(before.wakes, totals.wakes),
    suspends: Math.max(before.suspends, totals.suspends),
    restarts: Math.max(before.restarts, totals.restarts),
    wakesCaused: Math.max(before.wakesCaused, totals.wakesCaused),
    ...wakesByDormouse(before, totals, Math.max),
    unproductive: updateUnproductive(before.unproductive ?? {}, totals, spend),
  }
}

/** No cause falls, also when time moves to another; together they never exceed `spend`, the published total. */
function updateUnproductive(before: Unproductive, totals: Totals, spend: Micros): Unproductive {
  const now = unproductiveOf(totals)
  let room = spend - sumUnproductive(before)
  const after: { [cause in UnproductiveCause]?: Micros } = { ...before }
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const published = before[cause] ?? 0
    const more = Math.min(room, (now[cause] ?? 0) - published)
    if (more <= 0) continue
    after[cause] = micros(published + more)
    room -= more
  }
  return after
}

export const sumUnproductive = (unproductive: Unproductive): Micros =>
  micros(Object.values(unproductive).reduce((all, one) => all + one, 0))

/** At the mean price of awake time. Causes from readings may overlap the idle tail: the sum is capped at the time awake. */
function unproductiveOf(totals: Totals): Unproductive {
  const awake = totals.awake.likely
  const spend = spendOf(totals.cuTime).likely
  const times = timesOf(totals)
  let room: number = awake
  const spendByCause: { [cause in UnproductiveCause]?: Micros } = {}
  for (const cause of UNPRODUCTIVE_CAUSES) {
    const time = Math.min(room, times[cause] ?? 0)
    if (time <= 0) continue
    room -= time
    spendByCause[cause] = micros((spend * time) / awake)
  }
  return spendByCause
}

type Times = { [cause in UnproductiveCause]?: number }

function timesOf(totals: Totals): Times {
  const times: Times = { idle_tail: totals.idleTail, dormouse: totals.observerOverhead }
  for (const [key, time] of Object.entries(totals.attribution)) {
    const cause = parseCulpritKey(key).cause.replaceAll('-', '_')
    if (isUnproductive(cause)) times[cause] = (times[cause] ?? 0) + time
  }
  return times
}

const isUnproductive = (cause: string): cause is UnproductiveCause =>
  (UNPRODUCTIVE_CAUSES as readonly string[]).includes(cause)
