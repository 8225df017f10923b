// Orders for one server, and the options that all servers of the service share.
import type { Behaviour } from '../control/behaviour.ts'
import type { ProcessOrder } from '../control/events.ts'
import type { Cluster } from './server.ts'

/** An order to start a server; `latency` is extra time before it is spawned, ms. */
export type StartOrder = ProcessOrder & { readonly latency: number }

export type ComputeListener = Readonly<{
  onActivity: (endpointId: string, at: number) => void
  /** The size that the autoscaler aims at for a compute with a range. */
  onGoal: (endpointId: string, cu: number) => void
  onDied: (endpointId: string, words: string) => void
}>

export type ComputesOptions = ComputeListener & {
  /** Folder with one data folder per branch and per replica. */
  readonly folder: string
  readonly template: string
  readonly cluster: Cluster
  /** Pages of the service that one page of this machine stands for. */
  readonly cacheScale: number
  /** Time between two looks for client activity, ms. */
  readonly activityPoll: number
  /** Time between two goals of the autoscaler, ms. */
  readonly goalEvery: number
  readonly behaviour: () => Behaviour
  /** Version of the catalogue that the data of a branch has, by `versionOf`; undefined before the first one. */
  readonly applied: (branchId: string) => string | undefined
  readonly setApplied: (branchId: string, version: string | undefined) => void
  readonly onProblem: (message: string, error: unknown) => void
}
