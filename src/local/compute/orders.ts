// Orders for one server, and options that all share.
import type { ProcessOrder, Settings } from '../control/events.ts'
import type { ClientSessions, Stop } from '../control/records.ts'
import type { Cluster } from './server.ts'

/** `latency`: extra time before the server is spawned, ms. */
export type StartOrder = ProcessOrder & { readonly latency: number }

export type ComputeListener = Readonly<{
  onActivity: (endpointId: string, at: number) => void
  /** A size that the autoscaler aims at. */
  onGoal: (endpointId: string, cu: number) => void
  /** `stop`: the service stopped it for another compute. */
  onDied: (endpointId: string, words: string, stop?: Stop) => void
}>

export type ComputesOptions = ComputeListener &
  Readonly<{
    /** Folder with a data folder per branch and replica. */
    folder: string
    template: string
    cluster: Cluster
    /** Pages of the service per page of this machine. */
    cacheScale: number
    /** Time between two looks for activity, ms. */
    activityPoll: number
    /** Time between two goals of the autoscaler, ms. */
    goalEvery: number
    settings: () => Settings
    /** `versionOf` the catalogue that the data of a branch has. */
    applied: (branchId: string) => string | undefined
    setApplied: (branchId: string, version: string | undefined) => void
    /** Client sessions at the proxy. */
    clientsOf: (endpointId: string) => Omit<ClientSessions, 'working'>
    onProblem: (message: string, error: unknown) => void
  }>
