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
  const ended: readonly UsageInterval[] = record.intervals.slice(
    0,
    record.intervals.findLastIndex(({ to }) => to <= at) + 1,
  )
  const next = record.intervals[ended.length] ?? open
  const current: UsageInterval | undefined = next && next.from <= at ? { ...next, to: undefined } : undefined
  const untilThen = <Item extends { readonly at: number }>(items: readonly Item[]) =>
    items.slice(0, items.findLastIndex((item) => item.at <= at) + 1)
  const wakes = untilThen(record.wakes)
  const intervals = current ? [...ended, current] : ended
  let [awakeMs, cuMs] = [0, 0]
  for (const { from, to = at, cu } of intervals) {
    awakeMs += to - from
    cuMs += (to - from) * cu
  }
  return {
    projectId,
    endpointId,
    awakeSeconds: awakeMs / 1000,
    cuSeconds: cuMs / 1000,
    wakes,
    suspends: wakes.length - (current ? 1 : 0),
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
