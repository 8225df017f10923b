// Day rows out of slices and entries: what is settled of a day is kept, what is not is added anew at every fold.
import type { Zone } from '../../calendar/zone.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { OpenDay } from '../../model/ledger/ledger.ts'
import type { AwakeSlice, Span } from '../../model/ledger/slice.ts'
import { millis, type Instant, type Millis } from '../../model/units.ts'
import { addCuTime, awakeBounds, cuTimeOf, NO_TIME } from './cu-time.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import type { DayPosting } from './day-postings.ts'
import { intersectSpans, spanLength } from '../interval-math.ts'

/** What is to be counted by day. */
export type DayInput = { readonly slices: readonly AwakeSlice[]; readonly entries: readonly DayPosting[] }

export type DaysContext = {
  readonly ref: ComputeRef
  readonly dayOf: Zone['dayOf']
  readonly settledUntil: Instant
  readonly now: Instant
}

export type DayUpdate = {
  /** The days that may still change. */
  readonly open: readonly OpenDay[]
  /** Rows that are new or another than they were told before, in order. */
  readonly told: readonly DayRow[]
}

export function updateDays(
  before: readonly OpenDay[],
  { settled, unsettled }: { readonly settled: DayInput; readonly unsettled: DayInput },
  context: DaysContext,
): DayUpdate {
  const toldBefore = new Map(before.map((day) => [day.settled.date, day.lastRestated]))
  const kept = rowsWith(new Map(before.map((day) => [day.settled.date, day.settled])), settled, context)
  const whole = rowsWith(kept, unsettled, context)
  const days = [...whole.values()]
    .toSorted((a, b) => a.from - b.from)
    .map((row) => {
      const told = toldBefore.get(row.date)
      return {
        row: nextDayVersion(row, told, context.now),
        told,
        settled: kept.get(row.date) ?? emptyRow(dayOfRow(row)),
      }
    })
  return {
    open: days
      .filter(({ row }) => row.to > context.settledUntil)
      .map(({ row, settled: part, told }) => ({ settled: part, lastRestated: isNothing(row) ? told : row })),
    told: days
      .filter(({ row, told }) => row !== told && !(told === undefined && isNothing(row)))
      .map(({ row }) => row),
  }
}

/** The row as it is told now; `told` itself when that says the same. */
export function nextDayVersion(row: DayRow, told: DayRow | undefined, now: Instant): DayRow {
  const version = now < row.to ? 0 : Math.max(1, told?.version ?? 0)
  if (!told || told.version < version) return { ...row, version }
  return saysTheSame(row, told) ? told : { ...row, version: version === 0 ? 0 : version + 1 }
}

const saysTheSame = (a: DayRow, b: DayRow): boolean => textOf(a) === textOf(b)

const textOf = ({ awake, cuTime, idleTail, observerOverhead, wakes }: DayRow): string =>
  JSON.stringify([
    awake,
    Object.entries(cuTime).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    idleTail,
    observerOverhead,
    wakes,
  ])

const isNothing = ({ awake, idleTail, observerOverhead, wakes }: DayRow): boolean =>
  awake.high === 0 && idleTail === 0 && observerOverhead === 0 && wakes === 0

type Rows = ReadonlyMap<string, DayRow>

function rowsWith(rows: Rows, { slices, entries }: DayInput, context: DaysContext): Rows {
  const after = new Map(rows)
  const add = (at: Instant, part: Partial<DayRow>): void => {
    const { date, from, to } = context.dayOf(at)
    after.set(date, plusRow(after.get(date) ?? emptyRow({ ref: context.ref, date, from, to }), part))
  }
  for (const slice of slices.flatMap((one) => byDay(one, context.dayOf)))
    add(slice.high[0], { awake: awakeBounds([slice]), cuTime: cuTimeOf([slice]) })
  for (const entry of entries) addEntry(entry, add, context.dayOf)
  return after
}

function addEntry(
  entry: DayPosting,
  add: (at: Instant, part: Partial<DayRow>) => void,
  dayOf: Zone['dayOf'],
): void {
  switch (entry.kind) {
    case 'wake':
      return add(entry.at, { wakes: 1 })
    case 'extension':
      return add(entry.at, { observerOverhead: entry.added })
    case 'tail': {
      if (entry.before > 0) add(entry.span[0], { idleTail: entry.before })
      for (const part of daysIn(entry.span, dayOf)) add(part[0], { idleTail: millis(spanLength(part)) })
    }
  }
}

/** A span cut at the edges of days. */
function daysIn([from, to]: Span, dayOf: Zone['dayOf']): readonly Span[] {
  const parts: Span[] = []
  let at = from
  while (at < to) {
    const part = intersectSpans([at, to], [at, dayOf(at).to])
    parts.push(part)
    at = part[1]
  }
  return parts
}

const byDay = (slice: AwakeSlice, dayOf: Zone['dayOf']): readonly AwakeSlice[] =>
  daysIn(slice.high, dayOf).map((high) => ({
    ...slice,
    high,
    low: intersectSpans(slice.low, high),
    likely: intersectSpans(slice.likely, high),
  }))

const dayOfRow = ({ ref, date, from, to }: DayRow): Pick<DayRow, 'ref' | 'date' | 'from' | 'to'> => ({
  ref,
  date,
  from,
  to,
})

const emptyRow = (day: Pick<DayRow, 'ref' | 'date' | 'from' | 'to'>): DayRow => ({
  ...day,
  awake: NO_TIME,
  cuTime: {},
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 0,
  version: 0,
})

const plusRow = (row: DayRow, part: Partial<DayRow>): DayRow => ({
  ...row,
  awake: addBounds<Millis>(row.awake, part.awake ?? NO_TIME, millis),
  cuTime: addCuTime(row.cuTime, part.cuTime ?? {}),
  idleTail: millis(row.idleTail + (part.idleTail ?? 0)),
  observerOverhead: millis(row.observerOverhead + (part.observerOverhead ?? 0)),
  wakes: row.wakes + (part.wakes ?? 0),
})
