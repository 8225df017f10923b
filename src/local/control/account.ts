import type { Interval, Wake } from './events.ts'

/** All that is known of one compute's use, deleted ones included; instants in ms, lists in time order. */
export type UseRecord = {
  readonly projectId: string
  readonly endpointId: string
  readonly wakes: readonly Wake[]
  /** Closed awake intervals. */
  readonly intervals: readonly Interval[]
  /** The interval that still runs. */
  readonly open: { readonly from: number; readonly cu: number } | undefined
}

/** An awake interval as of some instant; `to` is undefined when it still ran then. */
export type KnownInterval = { readonly from: number; readonly to: number | undefined; readonly cu: number }

/** The exact use of one compute as of some instant. */
export type ComputeAccount = {
  readonly projectId: string
  readonly endpointId: string
  readonly awakeSeconds: number
  readonly cuSeconds: number
  readonly wakes: readonly Wake[]
  /** Ends of awake intervals: suspensions, restarts, deletion. */
  readonly suspends: number
  readonly intervals: readonly KnownInterval[]
}

/** What was true at `at`: later wakes and intervals are left out, an interval that ran then is open. */
export function accountAt(record: UseRecord, at: number): ComputeAccount {
  const { projectId, endpointId, open } = record
  const closed = record.intervals.filter(({ from }) => from <= at)
  const known = closed.map(({ from, to, cu }): KnownInterval => ({ from, to: to <= at ? to : undefined, cu }))
  if (open && open.from <= at) known.push({ from: open.from, to: undefined, cu: open.cu })
  const lengths = known.map(({ from, to, cu }) => ({ ms: (to ?? at) - from, cu }))
  return {
    projectId,
    endpointId,
    awakeSeconds: lengths.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    cuSeconds: lengths.reduce((sum, { ms, cu }) => sum + ms * cu, 0) / 1000,
    wakes: record.wakes.filter((wake) => wake.at <= at),
    suspends: known.filter(({ to }) => to !== undefined).length,
    intervals: known,
  }
}
