import { seconds, type Cu, type Instant, type Seconds } from '../units.ts'

/** Source: service interface, "States and transitions". */
export type ComputeState = 'init' | 'active' | 'idle'

/** Source: service interface, "Compute size"; a fixed size is written by the service as two equal limits. */
export type Sizing = { readonly fixed: Cu } | { readonly min: Cu; readonly max: Cu }

export type AutosuspendDelay = Seconds | 'never'

/** Source: service interface, "Limits": autosuspend delay, default. */
export const DEFAULT_AUTOSUSPEND_DELAY = seconds(300)
/** Source: service interface, "Limits": autosuspend delay, maximum, 7 days. */
export const LONGEST_AUTOSUSPEND_DELAY = seconds(604_800)

/** Names one compute in one account: every key of the store, the ledger and the snapshot begins with the account. */
export type ComputeRef = {
  readonly account: string
  readonly projectId: string
  readonly endpointId: string
}

/** `account/project/endpoint`: the ids of the service contain no slash and neither may an account's name. */
export const computeKey = ({ account, projectId, endpointId }: ComputeRef): string =>
  `${account}/${projectId}/${endpointId}`

export type Project = {
  readonly projectId: string
  readonly name: string
  readonly regionId: string
  readonly platformId: string
  readonly pgVersion: number
  /** CU-seconds as the service counts them, lagging; the service may reset it. */
  readonly cpuUsedSeconds: number
  /** How long computes of the project were awake in the time that `cpuUsedSeconds` counts. Undefined where the service does not tell. */
  readonly activeSeconds: number | undefined
  readonly updatedAt: Instant
  /** When a compute of the project was last active, where the service tells; lags. */
  readonly computeLastActiveAt: Instant | undefined
  /** What a compute without a delay of its own takes. Undefined where the service does not tell. */
  readonly defaultAutosuspendDelay: AutosuspendDelay | undefined
}

export type Compute = {
  readonly endpointId: string
  readonly projectId: string
  readonly branchId: string
  readonly name: string | undefined
  readonly regionId: string
  readonly host: string
  readonly type: 'read_write' | 'read_only'
  readonly state: ComputeState
  /** Where a state change under way leads; undefined when none is. */
  readonly pendingState: string | undefined
  readonly sizing: Sizing
  /** Undefined when the record does not tell: the service's default holds then. */
  readonly autosuspendDelay: AutosuspendDelay | undefined
  readonly poolerEnabled: boolean
  readonly disabled: boolean
  /** The service's view of the last activity, to the second, published with a lag; undefined until first active. */
  readonly lastActive: Instant | undefined
  /** Last start and last suspension, to the second; not in the interface text, undefined where the service does not tell. */
  readonly startedAt: Instant | undefined
  readonly suspendedAt: Instant | undefined
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Whether it is on its way to another state: only what is awake or asleep stays as it is by itself. */
export const isInTransition = ({ state, pendingState }: Compute): boolean =>
  state === 'init' || pendingState !== undefined

export const smallestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.min)
export const largestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.max)

/** The delay that holds for `compute`: its own, else its project's default, else the service's. */
export const effectiveDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay =>
  compute.autosuspendDelay ?? project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY
