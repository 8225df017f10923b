// Sums over the rows of a history as they are read, a compute after the other: what is kept is one entry per compute.
import { cuTimeSum, spendOf } from '../../ledger/settle/totals.ts'
import { parseCulpritKey } from '../../ledger/attribution/causes.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { Culprit, AwakeCause } from '../../model/ledger/evidence.ts'
import type { Bounds, Spend } from '../../model/ledger/ledger.ts'
import type { Rollup } from '../../model/ledger/rollup.ts'
import type { Interval } from '../../model/time.ts'
import {
  cuMillis,
  earliest,
  instant,
  micros,
  millis,
  type CuMillis,
  type Instant,
  type Micros,
  type Millis,
} from '../../model/units.ts'

/** Stretches of time that days are counted in; a day is in the one that holds its middle. */
export type ReportSpans = {
  readonly week: Interval
  /** Of the week. */
  readonly days: readonly (Interval & { readonly date: string })[]
  /** Whole weeks before it, the newest first; at least one. */
  readonly earlier: readonly Interval[]
  /** From the first of the month of the week's last day to the week's end. */
  readonly month: Interval
}

/** Money is the sum of each compute's on each day in whole micros, as an export shows them, so that all sums of it agree. */
export type WeekSums = {
  readonly awake: Bounds<Millis>
  readonly cuTime: CuMillis
  readonly spend: Spend
  readonly idleTail: Millis
  readonly extension: Millis
  readonly wakes: number
}

/** A client, or a cause without one, and for how long it held the compute awake, as far as readings saw. */
export type CulpritTime = Culprit & { readonly time: Millis }

export type AggregatedCompute = {
  readonly ref: ComputeRef
  readonly week: WeekSums
  readonly before: WeekSums
  /** Of the week. */
  readonly readings: number
  /** The longest first, at most five. */
  readonly culprits: readonly CulpritTime[]
  readonly timeByCause: Readonly<Partial<Record<AwakeCause, Millis>>>
}

export type AggregatedHistory = {
  /** In the order they came. */
  readonly computes: readonly AggregatedCompute[]
  readonly days: readonly { readonly micros: Micros; readonly awake: Millis }[]
  /** As `Stretches.earlier`. */
  readonly earlier: readonly Micros[]
  readonly month: Micros
  /** When the first day begins that is told of at all; undefined when none is. */
  readonly firstDay: Instant | undefined
}

export type HistoryAggregator = {
  /** All rows of one compute come in one stretch. */
  readonly addDay: (row: DayRow) => void
  /** Hours of the week, likewise. */
  readonly addRollup: (rollup: Rollup) => void
  readonly done: () => AggregatedHistory
}

const SHOWN_CLIENTS = 5

const NO_SUMS: WeekSums = {
  awake: { low: millis(0), likely: millis(0), high: millis(0) },
  cuTime: cuMillis(0),
  spend: { low: micros(0), likely: micros(0), high: micros(0) },
  idleTail: millis(0),
  extension: millis(0),
  wakes: 0,
}

type Seen = { readonly readings: number; readonly held: Map<string, number> }
const unseen = (): Seen => ({ readings: 0, held: new Map() })

export function createHistoryAggregator({ week, days, earlier, month }: ReportSpans): HistoryAggregator {
  const computes = new Map<string, AggregatedCompute>()
  const ofDays = days.map(() => ({ micros: micros(0), awake: millis(0) }))
  const ofEarlier = earlier.map(() => micros(0))
  let ofMonth = micros(0)
  let firstDay: Instant | undefined
  let seen: (Seen & { readonly ref: ComputeRef }) | undefined

  const entryOf = (ref: ComputeRef): AggregatedCompute => computes.get(keyOf(ref)) ?? quiet(ref)
  const closeSeen = (): void => {
    if (seen) computes.set(keyOf(seen.ref), { ...entryOf(seen.ref), ...seenOf(seen) })
    seen = undefined
  }
  return {
    addDay(row) {
      const middle = instant((row.from + row.to) / 2)
      const spend = spendOf(row.cuTime)
      firstDay = earliest(row.from, firstDay ?? row.from)
      if (holds(month, middle)) ofMonth = micros(ofMonth + spend.likely)
      const past = earlier.findIndex((one) => holds(one, middle))
      if (past >= 0) ofEarlier[past] = micros((ofEarlier[past] ?? 0) + spend.likely)
      const day = days.findIndex((one) => holds(one, middle))
      const sums = ofDays[day]
      if (sums)
        ofDays[day] = {
          micros: micros(sums.micros + spend.likely),
          awake: millis(sums.awake + row.awake.likely),
        }
      const place = holds(week, middle) ? 'week' : past === 0 ? 'before' : undefined
      if (!place) return
      const entry = entryOf(row.ref)
      computes.set(keyOf(row.ref), { ...entry, [place]: plusDay(entry[place], row, spend) })
    },
    addRollup(rollup) {
      if (seen?.ref !== rollup.ref && (!seen || keyOf(seen.ref) !== keyOf(rollup.ref))) closeSeen()
      const { held, readings } = seen ?? unseen()
      for (const { culprit, share } of rollup.culprits)
        held.set(culprit, (held.get(culprit) ?? 0) + rollup.time.active * share)
      seen = { ref: rollup.ref, held, readings: readings + rollup.readings }
    },
    done() {
      closeSeen()
      return { computes: [...computes.values()], days: ofDays, earlier: ofEarlier, month: ofMonth, firstDay }
    },
  }
}

const keyOf = ({ projectId, endpointId }: ComputeRef): string => `${projectId}/${endpointId}`

const holds = ({ from, to }: Interval, at: Instant): boolean => at >= from && at < to

const quiet = (ref: ComputeRef): AggregatedCompute => ({
  ref,
  week: NO_SUMS,
  before: NO_SUMS,
  readings: 0,
  culprits: [],
  timeByCause: {},
})

const plusDay = (sums: WeekSums, row: DayRow, spend: Spend): WeekSums => ({
  awake: plus(sums.awake, row.awake, millis),
  cuTime: cuMillis(sums.cuTime + cuTimeSum(row.cuTime).likely),
  spend: plus(sums.spend, spend, micros),
  idleTail: millis(sums.idleTail + row.idleTail),
  extension: millis(sums.extension + row.extension),
  wakes: sums.wakes + row.wakes,
})

const plus = <Value extends number>(
  a: Bounds<Value>,
  b: Bounds<Value>,
  unit: (value: number) => Value,
): Bounds<Value> => ({
  low: unit(a.low + b.low),
  likely: unit(a.likely + b.likely),
  high: unit(a.high + b.high),
})

function seenOf({ readings, held }: Seen): Pick<AggregatedCompute, 'readings' | 'culprits' | 'timeByCause'> {
  const all = [...held].map(([key, time]) => ({ ...parseCulpritKey(key), time: millis(time) }))
  const byCause: Partial<Record<AwakeCause, Millis>> = {}
  for (const { cause, time } of all) byCause[cause] = millis((byCause[cause] ?? 0) + time)
  return {
    readings,
    culprits: all.toSorted((a, b) => b.time - a.time).slice(0, SHOWN_CLIENTS),
    timeByCause: byCause,
  }
}
