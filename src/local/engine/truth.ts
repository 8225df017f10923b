import type { WakeCause } from '../control/project.ts'
import type { ComputeUsage } from '../control/usage/usage.ts'

/** Exact use as of `now`; instants in ISO 8601 with milliseconds, lengths in seconds. */
export type Truth = Readonly<{ now: string; computes: readonly ComputeTruth[] }>

export type ComputeTruth = Omit<ComputeUsage, 'wakes' | 'intervals'> &
  Readonly<{
    /** Port on 127.0.0.1; null once the compute is deleted. */
    port: number | null
    /** Starts. Application name and user are the waking client's. */
    wakes: readonly Readonly<{
      at: string
      cause: WakeCause['kind']
      applicationName: string | null
      user: string | null
    }>[]
    /** `to` is null while awake at `now`. */
    intervals: readonly Readonly<{ from: string; to: string | null; cu: number }>[]
  }>

const iso = (ms: number) => new Date(ms).toISOString()

export const buildTruth = (
  usages: readonly ComputeUsage[],
  at: number,
  portOf: (endpointId: string) => number | undefined,
): Truth => ({
  now: iso(at),
  computes: usages.map(({ projectId, endpointId, ...usage }) => ({
    projectId,
    endpointId,
    port: portOf(endpointId) ?? null,
    ...usage,
    wakes: usage.wakes.map(({ at: wokenAt, cause: { kind, applicationName = null, user = null } }) => ({
      at: iso(wokenAt),
      cause: kind,
      applicationName,
      user,
    })),
    intervals: usage.intervals.map(({ from, to, cu }) => ({
      from: iso(from),
      to: to === undefined ? null : iso(to),
      cu,
    })),
  })),
})
