import type { Interval, Wake } from './events.ts'
import type { OpenInterval } from './project.ts'

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
export type ComputeAccount = {
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
export function accountAt(record: UseRecord, at: number): ComputeAccount {
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

/** Awake seconds and CU-seconds of some accounts within `[from, to)`, on one branch when `branchId` is given. */
export function useWithin(
  accounts: readonly ComputeAccount[],
  window: { readonly from: number; readonly to: number },
  branchId?: string,
): { readonly awake: number; readonly cu: number } {
  let [awake, cu] = [0, 0]
  for (const interval of accounts.flatMap(({ intervals }) => intervals)) {
    if (branchId !== undefined && interval.branchId !== branchId) continue
    const end = Math.min(interval.to ?? window.to, window.to)
    const seconds = Math.max(0, end - Math.max(interval.from, window.from)) / 1000
    awake += seconds
    cu += seconds * interval.cu
  }
  return { awake, cu }
}
