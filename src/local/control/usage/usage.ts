import type { Interval, Wake } from '../events.ts'
import type { OpenInterval, Usage } from '../project.ts'

/** All that is known of one compute's use, deleted ones included; instants in ms, lists in time order. */
export type UseRecord = {
  readonly projectId: string
  readonly endpointId: string
  readonly wakes: readonly Wake[]
  /** Closed awake intervals. */
  readonly intervals: readonly Interval[]
  /** The interval that still runs. */
  readonly open: OpenInterval | undefined
}

/** An awake interval as of some instant; `to` is undefined when it still ran then. */
export type KnownInterval = Omit<Interval, 'to'> & { readonly to: number | undefined }

/** The exact use of one compute as of some instant. */
export type ComputeUsage = {
  readonly projectId: string
  readonly endpointId: string
  readonly awakeSeconds: number
  readonly cuSeconds: number
  readonly wakes: readonly Wake[]
  /** Ends of being awake: suspensions, restarts, deletion. A new size begins a new interval and ends nothing. */
  readonly suspends: number
  readonly intervals: readonly KnownInterval[]
}

/** What was true at `at`: later wakes and intervals are left out, an interval that ran then is open. */
export function usageAt(record: UseRecord, at: number): ComputeUsage {
  const { projectId, endpointId, open } = record
  const closed = record.intervals.filter(({ from }) => from <= at)
  const known = closed.map((interval): KnownInterval => ({
    ...interval,
    to: interval.to <= at ? interval.to : undefined,
  }))
  if (open && open.from <= at) known.push({ ...open, to: undefined })
  const wakes = record.wakes.filter((wake) => wake.at <= at)
  const isAwake = known.some(({ to }) => to === undefined)
  const lengths = known.map(({ from, to, cu }) => ({ ms: (to ?? at) - from, cu }))
  return {
    projectId,
    endpointId,
    awakeSeconds: lengths.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    cuSeconds: lengths.reduce((sum, { ms, cu }) => sum + ms * cu, 0) / 1000,
    wakes,
    suspends: wakes.length - (isAwake ? 1 : 0),
    intervals: known,
  }
}

/** `[from, to)`, ms. */
export type UsageWindow = { readonly from: number; readonly to: number }

/** The parts of a compute's awake intervals that lie in the window, in order of time; one that still runs ends with it. */
export function intervalsIn({ intervals, open }: UseRecord, window: UsageWindow): Interval[] {
  // from the end: most questions are about the last minutes of months
  const before = intervals.findLastIndex(({ to }) => to <= window.from)
  return clipIntervals(intervals.slice(before + 1), open ? [open] : [], window)
}

/** The parts of intervals, and of those that still run, that lie in the window. */
export const clipIntervals = (
  closed: readonly Interval[],
  open: readonly OpenInterval[],
  window: UsageWindow,
): Interval[] =>
  [...closed, ...open.map((running) => ({ ...running, to: window.to }))]
    .map((one) => ({ ...one, from: Math.max(one.from, window.from), to: Math.min(one.to, window.to) }))
    .filter(({ from, to }) => from < to)

/** What some intervals come to. */
export function sumUsage(intervals: readonly Interval[]): Usage {
  let [awakeMs, cuMs] = [0, 0]
  for (const { from, to, cu } of intervals) {
    awakeMs += to - from
    cuMs += (to - from) * cu
  }
  return { awakeMs, cuMs }
}
