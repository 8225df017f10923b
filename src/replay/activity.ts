// Activity series from the text of a trace: rows `series,minute,count` and a second file with a line for each series.
//
// Series are put in an order that their names and the order of the rows do not change: by their minutes, then by their class.
import { failed, ok, type Result } from '../std/result.ts'
import { numberIn, problemAt, quoted, traceRows, type TraceProblem, type TraceText } from './trace-rows.ts'

const COLUMNS = ['series', 'minute', 'count'] as const
const META_COLUMNS = [
  'series',
  'class',
  'start_dow',
  'duration_minutes',
  'resolution_minutes',
  'active_minutes',
  'total_count',
] as const

export type ActivitySeries = Readonly<{
  /** '' where the file has none. */
  class: string
  /** Minutes. */
  duration: number
  /** Minutes with activity, ascending, at least one. */
  active: Int32Array
}>

/** `leftOut`: series without activity. `rowsRefused`: repetitions of a row. */
export type ActivityTraces = Readonly<{
  series: readonly ActivitySeries[]
  leftOut: number
  rowsRefused: number
}>

/** Minutes of a series, ten years: a duration in other units than minutes is not taken for a long series. */
const MAX_DURATION = 10 * 366 * 1440

type Meta = Readonly<{
  class: string
  duration: number
  counts: Map<number, Readonly<{ count: number; line: number }>>
}>

export function activityIn(data: TraceText, meta: TraceText): Result<ActivityTraces, TraceProblem> {
  const metas = metasIn(meta)
  if (!metas.ok) return metas
  const rows = traceRows(data, COLUMNS)
  if (!rows.ok) return rows
  let rowsRefused = 0
  for (const { line, cells } of rows.value) {
    const about = metas.value.get(cells.series)
    const point = pointOf(cells, about)
    if (typeof point === 'string') return failed(problemAt(data.file, line, point))
    const before = about?.counts.get(point.minute)
    if (before && before.count !== point.count)
      return failed(problemAt(data.file, line, `another count for the minute of line ${before.line}`))
    if (before) rowsRefused += 1
    else about?.counts.set(point.minute, { count: point.count, line })
  }
  const series = [...metas.value.values()].map(seriesOf).filter(({ active }) => active.length > 0)
  return ok({ series: series.toSorted(byContent), leftOut: metas.value.size - series.length, rowsRefused })
}

/** Series → its line. */
function metasIn(meta: TraceText): Result<ReadonlyMap<string, Meta>, TraceProblem> {
  const rows = traceRows(meta, META_COLUMNS)
  if (!rows.ok) return rows
  const metas = new Map<string, Meta>()
  for (const { line, cells } of rows.value) {
    const problem = (what: string) => failed(problemAt(meta.file, line, what))
    const duration = numberIn(cells.duration_minutes) ?? 0
    if (metas.has(cells.series)) return problem(`the series ${quoted(cells.series)} has two lines`)
    if (!Number.isInteger(duration) || duration < 1 || duration > MAX_DURATION)
      return problem(
        `duration_minutes: expected whole minutes, 1 to ${MAX_DURATION}, got ${quoted(cells.duration_minutes)}`,
      )
    if (cells.resolution_minutes !== '1')
      return problem(`resolution_minutes: expected 1, got ${quoted(cells.resolution_minutes)}`)
    metas.set(cells.series, { class: cells.class, duration, counts: new Map() })
  }
  return ok(metas)
}

type Cells = Readonly<Record<(typeof COLUMNS)[number], string>>

/** Text: what is wrong. */
function pointOf({ series, minute, count }: Cells, meta: Meta | undefined) {
  if (!meta) return `series: ${quoted(series)} is not in the file of the series`
  const [at, amount] = [numberIn(minute) ?? -1, numberIn(count) ?? -1]
  if (!Number.isInteger(at) || at < 0 || at >= meta.duration)
    return `minute: expected a whole number from 0 to ${meta.duration - 1}, got ${quoted(minute)}`
  if (amount < 0) return `count: expected a number from 0 on, got ${quoted(count)}`
  return { minute: at, count: amount }
}

function seriesOf({ class: name, duration, counts }: Meta): ActivitySeries {
  const minutes = [...counts].flatMap(([minute, { count }]) => (count > 0 ? [minute] : []))
  return { class: name, duration, active: Int32Array.from(minutes).toSorted() }
}

/** A series that another one begins with comes before it. */
function byContent(a: ActivitySeries, b: ActivitySeries): number {
  const first = a.active.findIndex((minute, at) => minute !== b.active[at])
  const [one, other] = [a.active[first], b.active[first]]
  const difference = one === undefined || other === undefined ? 0 : one - other
  return (
    difference ||
    a.active.length - b.active.length ||
    a.duration - b.duration ||
    Number(a.class > b.class) - Number(a.class < b.class)
  )
}
