// Day rows from slices and postings: settled parts are stored, provisional ones added anew at every application.
import type { Zone } from '../../calendar/zone.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { AwakeInterval } from '../../model/ledger/evidence.ts'
import type { OpenDay, Totals } from '../../model/ledger/ledger.ts'
import {
  earliest,
  instant,
  latest,
  millis,
  type Instant,
  type Millis,
  type Interval,
} from '../../model/units.ts'
import { addCuTime, awakeBounds, cuTimeOf, NO_TIME } from './cu-time.ts'
import { addBounds, type DayRow, type AwakeSlice } from '../../model/ledger/quantities.ts'
import { duration } from '../interval-math.ts'
import { clipSlice } from './slices.ts'

/** What belongs to a day beside awake time. */
type DayPosting = Readonly<
  | { kind: 'wake'; at: Instant }
  | { kind: 'extension'; at: Instant; added: Millis }
  /** `before`: part of the tail in settled days; counted on the first day of `span`. */
  | { kind: 'tail'; span: Interval; before: Millis }
>

export const startPostings = ({ from, restart }: AwakeInterval): readonly DayPosting[] =>
  restart ? [] : [{ kind: 'wake', at: from.likely }]

export const overheadPostings = (added: Millis, at: Instant): readonly DayPosting[] =>
  added === 0 ? [] : [{ kind: 'extension', at, added }]

/** `totals`: those of its end. */
type EndedInterval = Readonly<{
  interval: AwakeInterval
  totals: Pick<Totals, 'idleTail' | 'observerOverhead'>
}>

/** @param notBefore days before it are settled */
export function endPostings(
  { interval, totals: { idleTail, observerOverhead } }: EndedInterval,
  notBefore: Instant,
): readonly DayPosting[] {
  const to = latest(interval.to?.likely ?? interval.knownUntil, notBefore)
  const from = latest(instant(to - idleTail), notBefore)
  const tail = { kind: 'tail', span: { from, to }, before: millis(idleTail - (to - from)) } as const
  return [...(idleTail > 0 ? [tail] : []), ...overheadPostings(observerOverhead, to)]
}

/** To be summed up by day. */
export type DayInput = Readonly<{ slices: readonly AwakeSlice[]; postings: readonly DayPosting[] }>

type DaysContext = Readonly<{ ref: ComputeRef; dayOf: Zone['dayOf']; settledUntil: Instant; now: Instant }>

type DayUpdate = Readonly<{
  /** Days that may still change. */
  open: readonly OpenDay[]
  /** New or different from the published ones, in order. */
  restated: readonly DayRow[]
}>

export function updateDays(
  before: readonly OpenDay[],
  { final, provisional }: { final: DayInput; provisional: DayInput },
  context: DaysContext,
): DayUpdate {
  const publishedBefore = publishedDays(before)
  const settledRows = rowsWith(new Map(before.map(({ settled }) => [settled.date, settled])), final, context)
  const allRows = rowsWith(settledRows, provisional, context)
  const days = [...allRows.values()]
    .toSorted((a, b) => a.from - b.from)
    .map((one) => {
      const published = publishedBefore.get(one.date)
      const row = nextDayVersion(one, published, context.now)
      const settled = settledRows.get(row.date) ?? { ...row, ...EMPTY_DAY }
      return { row, published, open: { settled, lastRestated: isEmpty(row) ? published : row } }
    })
  return {
    open: days.filter(({ row }) => row.to > context.settledUntil).map(({ open }) => open),
    restated: days
      .filter(({ row, published }) => row !== published && !(published === undefined && isEmpty(row)))
      .map(({ row }) => row),
  }
}

/** Date → row as last published. */
export const publishedDays = (days: readonly OpenDay[]): ReadonlyMap<string, DayRow | undefined> =>
  new Map(days.map(({ settled, lastRestated }) => [settled.date, lastRestated]))

/** The published row itself when the content is the same. */
export function nextDayVersion(row: DayRow, published: DayRow | undefined, now: Instant): DayRow {
  const version = now < row.to ? 0 : Math.max(1, published?.version ?? 0)
  if (!published || published.version < version) return { ...row, version }
  return isSameContent(row, published) ? published : { ...row, version: version === 0 ? 0 : version + 1 }
}

const isSameContent = (a: DayRow, b: DayRow) => textOf(a) === textOf(b)

function textOf({ awake, cuTime, idleTail, observerOverhead, wakes }: DayRow): string {
  const byPrice = Object.entries(cuTime).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([awake, byPrice, idleTail, observerOverhead, wakes])
}

const isEmpty = ({ awake, idleTail, observerOverhead, wakes }: DayRow) =>
  awake.high === 0 && idleTail === 0 && observerOverhead === 0 && wakes === 0

type Rows = ReadonlyMap<string, DayRow>

function rowsWith(rows: Rows, { slices, postings }: DayInput, context: DaysContext): Rows {
  const after = new Map(rows)
  const add: AddPart = (at, part) => {
    const { date, from, to } = context.dayOf(at)
    after.set(date, plusRow(after.get(date) ?? { ref: context.ref, date, from, to, ...EMPTY_DAY }, part))
  }
  for (const slice of slices.flatMap((whole) => clipSlice(whole, daysIn(whole.high, context.dayOf))))
    add(slice.high.from, { awake: awakeBounds([slice]), cuTime: cuTimeOf([slice]) })
  for (const posting of postings) addPosting(posting, add, context.dayOf)
  return after
}

type AddPart = (at: Instant, part: Partial<DayRow>) => void

function addPosting(posting: DayPosting, add: AddPart, dayOf: Zone['dayOf']) {
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

const EMPTY_DAY = {
  awake: NO_TIME,
  cuTime: {},
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 0,
  version: 0,
}

const plusRow = (row: DayRow, part: Partial<DayRow>): DayRow => ({
  ...row,
  awake: addBounds<Millis>(row.awake, part.awake ?? NO_TIME, millis),
  cuTime: addCuTime(row.cuTime, part.cuTime ?? {}),
  idleTail: millis(row.idleTail + (part.idleTail ?? 0)),
  observerOverhead: millis(row.observerOverhead + (part.observerOverhead ?? 0)),
  wakes: row.wakes + (part.wakes ?? 0),
})
