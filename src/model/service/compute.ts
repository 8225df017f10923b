import { seconds, type Cu, type Instant, type Seconds } from '../units.ts'

/** Source: service interface, "States and transitions". */
export type ComputeState = 'init' | 'active' | 'idle'

/** Source: service interface, "Compute size"; a fixed size is written by the service as two equal limits. */
export type Sizing = Readonly<{ fixed: Cu } | { min: Cu; max: Cu }>

export type AutosuspendDelay = Seconds | 'never'

/** Source: service interface, "Limits": autosuspend delay, default. */
export const DEFAULT_AUTOSUSPEND_DELAY = seconds(300)
/** Source: service-facts.md, "Compute record and requests". */
export const MIN_AUTOSUSPEND_DELAY = seconds(60)
/** Source: service interface, "Limits": autosuspend delay, maximum, 7 days. */
export const LONGEST_AUTOSUSPEND_DELAY = seconds(604_800)

/** Identity of a compute; every key of the store, the ledger and the snapshot starts with the account. */
export type ComputeRef = Readonly<{
  account: string
  projectId: string
  endpointId: string
}>

/** `account/project/endpoint`: neither ids nor account names contain a slash. */
export const computeKey = ({ account, projectId, endpointId }: ComputeRef): string =>
  `${account}/${projectId}/${endpointId}`

export type Project = Readonly<{
  projectId: string
  name: string
  regionId: string
  platformId: string
  pgVersion: number
  /** CU-seconds as the service counts them, lagging; the service may reset it. */
  cpuUsedSeconds: number
  /** Awake time of the project's computes in the time of `cpuUsedSeconds`. Undefined where the service does not publish it. */
  activeSeconds: number | undefined
  updatedAt: Instant
  /** Last activity of any compute of the project, late by the activity lag; undefined where the service does not publish it. */
  computeLastActiveAt: Instant | undefined
  /** Delay of computes without their own. Undefined where the service does not publish it. */
  defaultAutosuspendDelay: AutosuspendDelay | undefined
}>

export type Compute = Readonly<{
  endpointId: string
  projectId: string
  branchId: string
  name: string | undefined
  regionId: string
  host: string
  type: 'read_write' | 'read_only'
  state: ComputeState
  /** Target of a transition in progress; undefined without one. */
  pendingState: string | undefined
  sizing: Sizing
  /** Undefined when the record has none: the default of the project or service applies. */
  autosuspendDelay: AutosuspendDelay | undefined
  /** The record has no delay at all, not even the default's 0: the delay in force is not known. Absent otherwise. */
  isDelayListed?: false
  poolerEnabled: boolean
  disabled: boolean
  /** The service's view of the last activity, to the second, published with a lag; undefined until first active. */
  lastActive: Instant | undefined
  /** Last start and last suspension, to the second; not in the interface text, undefined where the service does not publish them. */
  startedAt: Instant | undefined
  suspendedAt: Instant | undefined
  createdAt: Instant
  updatedAt: Instant
}>

/** Whether the state is about to change. */
export const isInTransition = ({ state, pendingState }: Compute): boolean =>
  state === 'init' || pendingState !== undefined

export const smallestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.min)
export const largestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.max)

/**
 * Shortest delay that may be in force. Where no record has one it is the smallest of the service: with a delay that is assumed too long a
 * reading may wake the compute, and what it adds is not charged.
 */
export const shortestDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay =>
  compute.isDelayListed === false && project?.defaultAutosuspendDelay === undefined
    ? MIN_AUTOSUSPEND_DELAY
    : effectiveDelay(compute, project)

/** Delay in force: the compute's own, else its project's default, else the service's. */
export const effectiveDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay =>
  compute.autosuspendDelay ?? project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY
