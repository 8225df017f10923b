import type { WakeCause } from '../control/project.ts'
import type { ComputeUsage } from '../control/usage/usage.ts'

/** The exact use of every compute as of `now`, instants in ISO 8601 with milliseconds, lengths in seconds. */
export type Truth = Readonly<{
  now: string
  computes: readonly ComputeTruth[]
}>

export type ComputeTruth = Omit<ComputeUsage, 'wakes' | 'intervals'> & {
  /** The compute's own port on 127.0.0.1; null when the compute is deleted. */
  readonly port: number | null
  /** Starts, each at the beginning of its interval. Application name and user are those of the client that woke it. */
  readonly wakes: readonly {
    readonly at: string
    readonly cause: WakeCause['kind']
    readonly applicationName: string | null
    readonly user: string | null
  }[]
  /** `to` is null while the compute was awake at `now`. */
  readonly intervals: readonly { readonly from: string; readonly to: string | null; readonly cu: number }[]
}

const iso = (ms: number): string => new Date(ms).toISOString()

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
