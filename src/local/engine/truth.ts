import type { WakeCause } from '../control/project.ts'
import type { Mutation, Stop } from '../control/records.ts'
import type { ComputeUsage } from '../control/usage/usage.ts'

/** Exact use as of `now`; instants in ISO 8601 with milliseconds, lengths in seconds. */
export type Truth = Readonly<{ now: string; computes: readonly ComputeTruth[] }>

export type ComputeTruth = Omit<ComputeUsage, 'wakes' | 'intervals' | 'stops' | 'mutations'> &
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
    /** Stops of the server, with the client sessions at the proxy at that instant; the newest `MAX_RECORDS`. */
    stops: readonly StopTruth[]
    /** Accepted requests for the compute at the instants they took effect; the newest `MAX_RECORDS`. */
    mutations: readonly MutationTruth[]
  }>

type StopTruth = Pick<Stop, 'why' | 'open' | 'working'> &
  Readonly<{
    at: string
    /** Part of `open` at the pooled host. */
    open_pooled: number
  }>

type MutationTruth = Omit<Mutation, 'at'> & { readonly at: string }

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
    stops: usage.stops.map(({ at: stoppedAt, why, open, openPooled, working }) => ({
      at: iso(stoppedAt),
      why,
      open,
      open_pooled: openPooled,
      working,
    })),
    mutations: usage.mutations.map((mutation) => ({ ...mutation, at: iso(mutation.at) })),
  })),
})
