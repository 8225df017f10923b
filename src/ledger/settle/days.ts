// Day rows from slices and postings: settled parts are stored, provisional parts are added anew at every application.
import type { Zone } from '../../calendar/zone.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { DayRow } from '../../model/ledger/day.ts'
import type { OpenDay } from '../../model/ledger/ledger.ts'
import type { AwakeSlice } from '../../model/ledger/slice.ts'
import type { Interval } from '../../model/time.ts'
import { earliest, millis, type Instant, type Millis } from '../../model/units.ts'
import { addCuTime, awakeBounds, cuTimeOf, NO_TIME } from './cu-time.ts'
import { addBounds } from '../../model/ledger/quantities.ts'
import type { DayPosting } from './day-postings.ts'
import { duration, intersect } from '../interval-math.ts'

export type DayInput = { readonly slices: readonly AwakeSlice[]; readonly postings: readonly DayPosting[] }

export type DaysContext = {
  readonly ref: ComputeRef
  readonly dayOf: Zone['dayOf']
  readonly settledUntil: Instant
  readonly now: Instant
}

export type DayUpdate = {
  /** Days that may still change. */
  readonly open: readonly OpenDay[]
  /** Rows that are new or differ from the published ones, in order. */
  readonly restated: readonly DayRow[]
}

export function updateDays(
  before: readonly OpenDay[],
  { settled, provisional }: { readonly settled: DayInput; readonly provisional: DayInput },
  context: DaysContext,
): DayUpdate {
  const publishedBefore = new Map(before.map((day) => [day.settled.date, day.lastRestated]))
  const settledRows = rowsWith(
    new Map(before.map((day) => [day.settled.date, day.settled])),
    settled,
    context,
  )
  const allRows = rowsWith(settledRows, provisional, context)
  const days = [...allRows.values()]
    .toSorted((a, b) => a.from - b.from)
    .map((row) => {
      const published = publishedBefore.get(row.date)
      return {
        row: nextDayVersion(row, published, context.now),
        published,
        settled: settledRows.get(row.date) ?? emptyRow(dayOfRow(row)),
      }
    })
  return {
    open: days
      .filter(({ row }) => row.to > context.settledUntil)
      .map(({ row, settled: part, published }) => ({
        settled: part,
        lastRestated: isEmpty(row) ? published : row,
      })),
    restated: days
      .filter(({ row, published }) => row !== published && !(published === undefined && isEmpty(row)))
      .map(({ row }) => row),
  }
}

/** The next version of a row; the published row itself when the content is the same. */
export function nextDayVersion(row: DayRow, published: DayRow | undefined, now: Instant): DayRow {
  const version = now < row.to ? 0 : Math.max(1, published?.version ?? 0)
  if (!published || published.version < version) return { ...row, version }
  return isSameContent(row, published) ? published : { ...row, version: version === 0 ? 0 : version + 1 }
}

const isSameContent = (a: DayRow, b: DayRow): boolean => textOf(a) === textOf(b)

const textOf = ({ awake, cuTime, idleTail, observerOverhead, wakes }: DayRow): string =>
  JSON.stringify([
    awake,
    Object.entries(cuTime).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    idleTail,
    observerOverhead,
    wakes,
  ])

const isEmpty = ({ awake, idleTail, observerOverhead, wakes }: DayRow): boolean =>
  awake.high === 0 && idleTail === 0 && observerOverhead === 0 && wakes === 0

type Rows = ReadonlyMap<string, DayRow>

function rowsWith(rows: Rows, { slices, postings }: DayInput, context: DaysContext): Rows {
  const after = new Map(rows)
  const add = (at: Instant, part: Partial<DayRow>): void => {
    const { date, from, to } = context.dayOf(at)
    after.set(date, plusRow(after.get(date) ?? emptyRow({ ref: context.ref, date, from, to }), part))
  }
  for (const slice of slices.flatMap((whole) => byDay(whole, context.dayOf)))
    add(slice.high.from, { awake: awakeBounds([slice]), cuTime: cuTimeOf([slice]) })
  for (const posting of postings) addPosting(posting, add, context.dayOf)
  return after
}

function addPosting(
  posting: DayPosting,
  add: (at: Instant, part: Partial<DayRow>) => void,
  dayOf: Zone['dayOf'],
): void {
  switch (posting.kind) {
    case 'wake':
      return add(posting.at, { wakes: 1 })
    case 'extension':
      return add(posting.at, { observerOverhead: posting.added })
    case 'tail': {
      if (posting.before > 0) add(posting.span.from, { idleTail: posting.before })
      for (const part of daysIn(posting.span, dayOf)) add(part.from, { idleTail: millis(duration(part)) })
    }
  }
}

/** The span, cut at day boundaries. */
function daysIn({ from, to }: Interval, dayOf: Zone['dayOf']): readonly Interval[] {
  const parts: Interval[] = []
  let at = from
  while (at < to) {
    const part = { from: at, to: earliest(to, dayOf(at).to) }
    parts.push(part)
    at = part.to
  }
  return parts
}

const byDay = (slice: AwakeSlice, dayOf: Zone['dayOf']): readonly AwakeSlice[] =>
  daysIn(slice.high, dayOf).map((high) => ({
    ...slice,
    high,
    low: intersect(slice.low, high),
    likely: intersect(slice.likely, high),
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
