// What the engine orders for one compute, and what all servers of the service share.
import type { Behaviour } from '../control/behaviour.ts'
import type { Branch, ComputeConfig, ComputeType } from '../control/project.ts'
import type { Cluster } from './template.ts'

export type ConfigureOrder = {
  readonly endpointId: string
  readonly type: ComputeType
  readonly branch: Branch
  readonly config: ComputeConfig
  /** The replicas of the branch. */
  readonly replicaIds: readonly string[]
}

/** `latency`: extra time before the server is spawned, ms. */
export type StartOrder = ConfigureOrder & { readonly latency: number }

export type ComputesOptions = {
  /** Holds one data folder per branch, and the template. */
  readonly folder: string
  readonly template: string
  readonly cluster: Cluster
  readonly cacheScale: number
  readonly activityPoll: number
  /** Between two goals of the autoscaler, ms. */
  readonly goalEvery: number
  readonly behaviour: () => Behaviour
  /** Which roles and databases the data of a branch holds, as `versionOf` words it; undefined before the first time. */
  readonly applied: (branchId: string) => string | undefined
  readonly setApplied: (branchId: string, version: string | undefined) => void
  readonly onActivity: (endpointId: string, at: number) => void
  /** The size the autoscaler aims at for a compute with a range. */
  readonly onGoal: (endpointId: string, cu: number) => void
  readonly onDied: (endpointId: string, words: string) => void
  readonly onProblem: (message: string, error: unknown) => void
}
