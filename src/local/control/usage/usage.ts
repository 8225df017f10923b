import type { Interval, Wake } from '../events.ts'
import type { OpenInterval, Usage } from '../project.ts'
import type { Mutation, Stop } from '../records.ts'
import { NO_USAGE, addUsage, usageOf } from './meter.ts'

/** Use of one compute, possibly deleted; instants in ms, in order of time. */
export type UseRecord = Readonly<{
  projectId: string
  endpointId: string
  wakes: readonly Wake[]
  intervals: readonly Interval[]
  open: OpenInterval | undefined
  /** The newest `MAX_RECORDS`. */
  stops: readonly Stop[]
  mutations: readonly Mutation[]
}>

/** `to` is undefined while in progress. */
type UsageInterval = OpenInterval & { readonly to: number | undefined }

/** Exact usage as of an instant. */
export type ComputeUsage = Omit<UseRecord, 'intervals' | 'open'> &
  Readonly<{
    awakeSeconds: number
    cuSeconds: number
    /** Suspensions, restarts, the deletion; not new sizes. */
    suspends: number
    intervals: readonly UsageInterval[]
  }>

/** Without later records and intervals; an interval in progress has no end. */
export function usageAt(record: UseRecord, at: number): ComputeUsage {
  const { projectId, endpointId, open } = record
  // most have ended: they are thousands, and stay the same objects
  const intervals: UsageInterval[] = record.intervals
    .filter(({ from }) => from <= at)
    .map((interval) => (interval.to <= at ? interval : { ...interval, to: undefined }))
  if (open && open.from <= at) intervals.push({ ...open, to: undefined })
  const untilThen = <Item extends { readonly at: number }>(items: readonly Item[]) =>
    items.filter((item) => item.at <= at)
  const wakes = untilThen(record.wakes)
  const isAwake = intervals.some(({ to }) => to === undefined)
  const { awakeMs, cuMs } = intervals
    .map(({ from, to = at, cu }) => usageOf({ from, to, cu }))
    .reduce(addUsage, NO_USAGE)
  return {
    projectId,
    endpointId,
    awakeSeconds: awakeMs / 1000,
    cuSeconds: cuMs / 1000,
    wakes,
    suspends: wakes.length - (isAwake ? 1 : 0),
    intervals,
    stops: untilThen(record.stops),
    mutations: untilThen(record.mutations),
  }
}

/** `[from, to)`, ms. */
export type UsageWindow = Readonly<{ from: number; to: number }>

/** Clipped to the window, in order of time; an interval in progress ends with it. */
export function intervalsIn({ intervals, open }: UseRecord, window: UsageWindow): Interval[] {
  // from the end: most windows are the last minutes of months
  const before = intervals.findLastIndex(({ to }) => to <= window.from)
  return clipIntervals(intervals.slice(before + 1), open ? [open] : [], window)
}

export const clipIntervals = (
  closed: readonly Interval[],
  open: readonly OpenInterval[],
  window: UsageWindow,
): Interval[] =>
  [...closed, ...open.map((interval) => ({ ...interval, to: window.to }))]
    .map(({ from, to, ...rest }) => ({
      ...rest,
      from: Math.max(from, window.from),
      to: Math.min(to, window.to),
    }))
    .filter(({ from, to }) => from < to)

export const sumUsage = (intervals: readonly Interval[]): Usage =>
  intervals.map(usageOf).reduce(addUsage, NO_USAGE)
