import type { Interval, Wake } from '../events.ts'
import type { OpenInterval, Usage } from '../project.ts'
import { NO_USAGE, addUsage, usageOf } from './meter.ts'

/** Wakes and awake intervals of one compute, possibly deleted; instants in ms, lists in order of time. */
export type UseRecord = Readonly<{
  projectId: string
  endpointId: string
  wakes: readonly Wake[]
  intervals: readonly Interval[]
  open: OpenInterval | undefined
}>

/** An awake interval as of an instant; `to` is undefined when it was in progress then. */
export type UsageInterval = OpenInterval & { readonly to: number | undefined }

/** Exact usage of one compute as of an instant. */
export type ComputeUsage = Pick<UseRecord, 'projectId' | 'endpointId' | 'wakes'> & {
  readonly awakeSeconds: number
  readonly cuSeconds: number
  /** Suspensions, restarts and the deletion. A new size starts another interval without a suspension. */
  readonly suspends: number
  readonly intervals: readonly UsageInterval[]
}

/** Usage as of `at`: without later wakes and intervals; an interval that was in progress then has no end. */
export function usageAt(record: UseRecord, at: number): ComputeUsage {
  const { projectId, endpointId, open } = record
  const intervals: UsageInterval[] = record.intervals
    .filter(({ from }) => from <= at)
    .map((interval) => ({ ...interval, to: interval.to <= at ? interval.to : undefined }))
  if (open && open.from <= at) intervals.push({ ...open, to: undefined })
  const wakes = record.wakes.filter((wake) => wake.at <= at)
  const isAwake = intervals.some(({ to }) => to === undefined)
  const { awakeMs, cuMs } = sumUsage(intervals.map((interval) => ({ ...interval, to: interval.to ?? at })))
  return {
    projectId,
    endpointId,
    awakeSeconds: awakeMs / 1000,
    cuSeconds: cuMs / 1000,
    wakes,
    suspends: wakes.length - (isAwake ? 1 : 0),
    intervals,
  }
}

/** `[from, to)`, ms. */
export type UsageWindow = { readonly from: number; readonly to: number }

/** Awake intervals of a compute clipped to the window, in order of time; an interval in progress ends with it. */
export function intervalsIn({ intervals, open }: UseRecord, window: UsageWindow): Interval[] {
  // searched from the end, because most windows are the last minutes of months of history
  const before = intervals.findLastIndex(({ to }) => to <= window.from)
  return clipIntervals(intervals.slice(before + 1), open ? [open] : [], window)
}

export const clipIntervals = (
  closed: readonly Interval[],
  open: readonly OpenInterval[],
  window: UsageWindow,
): Interval[] =>
  [...closed, ...open.map((interval) => ({ ...interval, to: window.to }))]
    .map((interval) => ({
      ...interval,
      from: Math.max(interval.from, window.from),
      to: Math.min(interval.to, window.to),
    }))
    .filter(({ from, to }) => from < to)

export const sumUsage = (intervals: readonly Interval[]): Usage =>
  intervals.map(usageOf).reduce(addUsage, NO_USAGE)
