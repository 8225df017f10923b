// Rows are read one compute after the other: one entry per compute stays in memory.
import { createShownRows } from '../../ledger/metering/shown-amount.ts'
import { cuTimeSum, spendOf } from '../../ledger/settle/cu-time.ts'
import { parseCulpritKey } from '../../ledger/attribution/causes.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { CountedPast } from '../../model/ledger/counted-past.ts'
import type { Culprit, AwakeCause } from '../../model/ledger/evidence.ts'
import { addBounds, mapBounds, type Bounds, type Spend, type DayRow } from '../../model/ledger/quantities.ts'
import type { Rollup } from '../../model/ledger/rollup.ts'
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
  type Interval,
} from '../../model/units.ts'

/** A day belongs to the interval that contains its middle. */
export type ReportSpans = Readonly<{
  week: Interval
  days: readonly (Interval & { readonly date: string })[]
  /** Whole weeks before, newest first; at least one. */
  earlier: readonly Interval[]
  /** From the first of the month of the week's last day to the end of the week. */
  month: Interval
}>

/** Summed by compute and day in whole micros, as the export shows spend, so that all sums agree. */
export type WeekSums = Readonly<{
  awake: Bounds<Millis>
  cuTime: CuMillis
  spend: Spend
  idleTail: Millis
  observerOverhead: Millis
  wakes: number
}>

/** How long a client, or a cause without client, kept the compute awake, as far as readings show. */
type CulpritTime = Culprit & { readonly time: Millis }

export type AggregatedCompute = Readonly<{
  ref: ComputeRef
  week: WeekSums
  before: WeekSums
  readings: number
  /** Longest first, at most five. */
  culprits: readonly CulpritTime[]
  timeByCause: Readonly<Partial<Record<AwakeCause, Millis>>>
}>

export type AggregatedHistory = Readonly<{
  /** In the order of the rows. */
  computes: readonly AggregatedCompute[]
  days: readonly Readonly<{ micros: Micros; awake: Millis }>[]
  /** In the order of `ReportSpans.earlier`. */
  earlier: readonly Micros[]
  month: Micros
  /** Undefined without rows. */
  firstDay: Instant | undefined
}>

export type HistoryAggregator = ReturnType<typeof createHistoryAggregator>

const MAX_CULPRITS = 5
const ZERO = { low: 0, likely: 0, high: 0 }
const NO_SUMS: WeekSums = {
  awake: mapBounds(ZERO, millis),
  cuTime: cuMillis(0),
  spend: mapBounds(ZERO, micros),
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 0,
}

type RollupSums = { readonly ref: ComputeRef; readings: number; readonly timeByCulprit: Map<string, number> }

/** @param past narrows likely amounts */
export function createHistoryAggregator({ week, days, earlier, month }: ReportSpans, past?: CountedPast) {
  const shownRow = createShownRows(past)
  const computes = new Map<string, AggregatedCompute>()
  const daySums = days.map(() => ({ micros: micros(0), awake: millis(0) }))
  const earlierSums = earlier.map(() => micros(0))
  let monthSum = micros(0)
  let firstDay: Instant | undefined
  let rollups: RollupSums | undefined

  const entryOf = (ref: ComputeRef) =>
    computes.get(keyOf(ref)) ?? {
      ref,
      week: NO_SUMS,
      before: NO_SUMS,
      readings: 0,
      culprits: [],
      timeByCause: {},
    }
  const closeRollups = () => {
    if (rollups) computes.set(keyOf(rollups.ref), { ...entryOf(rollups.ref), ...attributionOf(rollups) })
    rollups = undefined
  }
  return {
    /** Rows of one compute must follow each other. */
    addDay(ledgerRow: DayRow) {
      const row = shownRow(ledgerRow)
      const middle = instant((row.from + row.to) / 2)
      const spend = spendOf(row.cuTime)
      firstDay = earliest(row.from, firstDay ?? row.from)
      if (contains(month, middle)) monthSum = micros(monthSum + spend.likely)
      const weeksAgo = earlier.findIndex((interval) => contains(interval, middle))
      if (weeksAgo >= 0) earlierSums[weeksAgo] = micros((earlierSums[weeksAgo] ?? 0) + spend.likely)
      const sums = daySums[days.findIndex((interval) => contains(interval, middle))]
      if (sums) {
        sums.micros = micros(sums.micros + spend.likely)
        sums.awake = millis(sums.awake + row.awake.likely)
      }
      const part = contains(week, middle) ? 'week' : weeksAgo === 0 ? 'before' : undefined
      if (!part) return
      const entry = entryOf(row.ref)
      computes.set(keyOf(row.ref), { ...entry, [part]: plusDay(entry[part], row, spend) })
    },
    /** Hourly rollups of the week. Rollups of one compute must follow each other. */
    addRollup({ ref, readings, culprits, time }: Rollup) {
      if (rollups?.ref !== ref && (!rollups || keyOf(rollups.ref) !== keyOf(ref))) closeRollups()
      rollups ??= { ref, readings: 0, timeByCulprit: new Map() }
      rollups.readings += readings
      const { timeByCulprit } = rollups
      for (const { culprit, share } of culprits)
        timeByCulprit.set(culprit, (timeByCulprit.get(culprit) ?? 0) + time.active * share)
    },
    done(): AggregatedHistory {
      closeRollups()
      return {
        computes: [...computes.values()],
        days: daySums,
        earlier: earlierSums,
        month: monthSum,
        firstDay,
      }
    },
  }
}

const keyOf = ({ projectId, endpointId }: ComputeRef) => `${projectId}/${endpointId}`
const contains = ({ from, to }: Interval, at: Instant) => at >= from && at < to

const plusDay = (sums: WeekSums, row: DayRow, spend: Spend): WeekSums => ({
  awake: addBounds(sums.awake, row.awake, millis),
  cuTime: cuMillis(sums.cuTime + cuTimeSum(row.cuTime).likely),
  spend: addBounds(sums.spend, spend, micros),
  idleTail: millis(sums.idleTail + row.idleTail),
  observerOverhead: millis(sums.observerOverhead + row.observerOverhead),
  wakes: sums.wakes + row.wakes,
})

function attributionOf({ readings, timeByCulprit }: RollupSums) {
  const culprits = [...timeByCulprit].map(([key, time]) => ({ ...parseCulpritKey(key), time: millis(time) }))
  const timeByCause: Partial<Record<AwakeCause, Millis>> = {}
  for (const { cause, time } of culprits) timeByCause[cause] = millis((timeByCause[cause] ?? 0) + time)
  const longest = culprits.toSorted((a, b) => b.time - a.time).slice(0, MAX_CULPRITS)
  return { readings, culprits: longest, timeByCause }
}
