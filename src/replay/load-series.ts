// Load series from the text of a trace: rows `series,ts,value,metric` and a second file with a line for each series.
//
// 1. CPU metrics only: other series are left out. A series without rows is left out.
// 2. A row stands for the five-minute step nearest to its time, counted from the first row; of two rows in one step the later one.
// 3. `vm_cpu_mhz` has no rows in which the value did not change: a row is the end of a run, and its value also that of the steps before,
//    up to 12 hours. Other gaps have no value.
import { FINE_STEP } from '../model/ledger/rollup.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { LoadSeries } from './load.ts'
import { numberIn, problemAt, quoted, traceRows, type TraceProblem, type TraceText } from './trace-rows.ts'

const COLUMNS = ['series', 'ts', 'value', 'metric'] as const
const META_COLUMNS = ['series', 'metric', 'first_ts', 'last_ts', 'step_seconds', 'points', 'note'] as const

/** `leftOut`: series of other metrics, and without rows. `rowsRefused`: repetitions. */
export type LoadTraces = Readonly<{ series: readonly LoadSeries[]; leftOut: number; rowsRefused: number }>

/** Steps of a series, ten years: a time in other units than seconds is not taken for a long series. */
const MAX_STEPS = (10 * 366 * 86_400) / FINE_STEP
/** Steps that one row of merged runs may stand for, 12 h: a longer gap means that there was no value. */
const MAX_RUN = (12 * 3600) / FINE_STEP

/** A line of the second file. */
type Meta = Readonly<{ metric: string; firstTs: number; lastTs: number; capacity: number }>
/** Series of another metric than CPU. */
type Other = Readonly<{ metric: string; capacity?: undefined }>
type Point = Readonly<{ line: number; ts: number; value: number }>

export function loadSeriesIn(data: TraceText, meta: TraceText): Result<LoadTraces, TraceProblem> {
  const metas = metasIn(meta)
  if (!metas.ok) return metas
  const points = pointsIn(data, metas.value)
  if (!points.ok) return points
  const series: LoadSeries[] = []
  let rowsRefused = 0
  for (const [name, found] of points.value) {
    const about = metas.value.get(name)
    if (about?.capacity === undefined) continue
    const distinct = withoutRepetitions(data.file, found)
    if (!distinct.ok) return distinct
    rowsRefused += found.length - distinct.value.length
    const used = gridOf(distinct.value, about.capacity)
    series.push({ name, used: about.metric === 'vm_cpu_mhz' ? fillRuns(used) : used })
  }
  return ok({ series, leftOut: metas.value.size - series.length, rowsRefused })
}

/** Series → its line. */
function metasIn({ file, text }: TraceText): Result<ReadonlyMap<string, Meta | Other>, TraceProblem> {
  const rows = traceRows({ file, text }, META_COLUMNS)
  if (!rows.ok) return rows
  const metas = new Map<string, Meta | Other>()
  for (const { line, cells } of rows.value) {
    const { series: name, metric } = cells
    const capacityOf = CAPACITIES[metric]
    const meta = capacityOf ? metaOf(cells, capacityOf) : { metric }
    const problem = metas.has(name) ? `the series ${quoted(name)} has two lines` : meta
    if (typeof problem === 'string') return failed(problemAt(file, line, problem))
    metas.set(name, problem)
  }
  return ok(metas)
}

/** Text: what is wrong. */
function metaOf(cells: Cells<typeof META_COLUMNS>, capacityOf: (note: string) => number | undefined) {
  const { metric, first_ts: first, last_ts: last, step_seconds: step, note } = cells
  const [firstTs, lastTs] = [numberIn(first) ?? Number.NaN, numberIn(last) ?? Number.NaN]
  const isLengthKnown = lastTs >= firstTs && lastTs - firstTs <= MAX_STEPS * FINE_STEP
  if (!isLengthKnown)
    return `first_ts and last_ts: expected seconds in order, at most ten years, got ${quoted(first)} and ${quoted(last)}`
  if (numberIn(step) !== FINE_STEP) return `step_seconds: expected ${FINE_STEP}, got ${quoted(step)}`
  const capacity = capacityOf(note)
  if (capacity === undefined) return `note: expected capacity_mhz=NUMBER above 0, got ${quoted(note)}`
  return { metric, firstTs, lastTs, capacity }
}

type Cells<Columns extends readonly string[]> = Readonly<Record<Columns[number], string>>

/** Metric → capacity of its series. */
const CAPACITIES: Readonly<Record<string, (note: string) => number | undefined>> = {
  vm_cpu_mhz: (note) => {
    const capacity = numberIn(/(?:^|;)capacity_mhz=([^;]*)/.exec(note)?.[1] ?? '')
    return capacity !== undefined && capacity > 0 ? capacity : undefined
  },
  vm_cpu_pct: () => 100,
  db_cpu_pct: () => 100,
}

/** Rows of CPU series by series, in order of time. */
function pointsIn(
  { file, text }: TraceText,
  metas: ReadonlyMap<string, Meta | Other>,
): Result<ReadonlyMap<string, readonly Point[]>, TraceProblem> {
  const rows = traceRows({ file, text }, COLUMNS)
  if (!rows.ok) return rows
  const points = new Map<string, Point[]>()
  for (const { line, cells } of rows.value) {
    const { series: name } = cells
    const point = pointOf(cells, metas.get(name))
    if (typeof point === 'string') return failed(problemAt(file, line, point))
    if (!point) continue
    const found = points.get(name)
    if (found) found.push({ ...point, line })
    else points.set(name, [{ ...point, line }])
  }
  for (const found of points.values()) found.sort((a, b) => a.ts - b.ts)
  return ok(points)
}

/** Text: what is wrong; undefined for other metrics. */
function pointOf(
  { series, ts: at, value: amount, metric }: Cells<typeof COLUMNS>,
  meta: Meta | Other | undefined,
): Omit<Point, 'line'> | string | undefined {
  if (!meta) return `series: ${quoted(series)} is not in the file of the series`
  if (metric !== meta.metric)
    return `metric: expected ${quoted(meta.metric)} as for its series, got ${quoted(metric)}`
  if (meta.capacity === undefined) return undefined
  const [ts, value] = [numberIn(at) ?? Number.NaN, numberIn(amount) ?? Number.NaN]
  if (!(ts >= meta.firstTs && ts <= meta.lastTs))
    return `ts: expected seconds from ${meta.firstTs} to ${meta.lastTs}, got ${quoted(at)}`
  if (!(value >= 0)) return `value: expected a number from 0 on, got ${quoted(amount)}`
  return { ts, value }
}

function withoutRepetitions(file: string, points: readonly Point[]): Result<readonly Point[], TraceProblem> {
  const distinct: Point[] = []
  for (const point of points) {
    const last = distinct.at(-1)
    if (last?.ts !== point.ts) distinct.push(point)
    else if (last.value !== point.value) {
      const [first, second] = [last.line, point.line].toSorted((a, b) => a - b)
      return failed(problemAt(file, second ?? 0, `another value for the time of line ${first}`))
    }
  }
  return ok(distinct)
}

function gridOf(points: readonly Point[], capacity: number): Float64Array {
  const stepOf = ({ ts }: Pick<Point, 'ts'>) => Math.round((ts - (points[0]?.ts ?? 0)) / FINE_STEP)
  const last = points.at(-1)
  const used = new Float64Array(last ? stepOf(last) + 1 : 0).fill(Number.NaN)
  for (const point of points) used[stepOf(point)] = Math.min(1, point.value / capacity)
  return used
}

function fillRuns(used: Float64Array): Float64Array {
  const filled = used.slice()
  let before = -Infinity
  for (const [at, value] of used.entries()) {
    if (Number.isNaN(value)) continue
    if (at - before <= MAX_RUN) filled.fill(value, before + 1, at)
    before = at
  }
  return filled
}
