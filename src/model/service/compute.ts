import { seconds, type Cu, type Instant, type Seconds } from '../units.ts'

/** Source: service interface, "States and transitions". */
export type ComputeState = 'init' | 'active' | 'idle'

/** Source: service interface, "Compute size"; the service writes a fixed size as two equal limits. */
export type Sizing = Readonly<{ fixed: Cu } | { min: Cu; max: Cu }>

export type AutosuspendDelay = Seconds | 'never'

/** Infinity for `never`. */
export const delayMillis = (delay: AutosuspendDelay): number => (delay === 'never' ? Infinity : delay * 1000)

/** Source: service interface, "Limits": autosuspend delay, default. */
export const DEFAULT_AUTOSUSPEND_DELAY = seconds(300)
/** Source: service-facts.md, "Compute record and requests". */
export const MIN_AUTOSUSPEND_DELAY = seconds(60)
/** Source: service interface, "Limits": autosuspend delay, maximum, 7 days. */
export const LONGEST_AUTOSUSPEND_DELAY = seconds(604_800)

/** Every key of the store, the ledger and the snapshot starts with the account. */
export type ComputeRef = Readonly<{ account: string; projectId: string; endpointId: string }>

/** `account/project/endpoint`: neither ids nor account names contain a slash. */
export const computeKey = ({ account, projectId, endpointId }: ComputeRef): string =>
  `${account}/${projectId}/${endpointId}`

/** A whole project: its defaults. */
export type ProjectRef = Readonly<{ account: string; projectId: string; endpointId?: undefined }>

/** What a recommendation or a change is about. */
export type TargetRef = ComputeRef | ProjectRef

export const isComputeRef = (ref: TargetRef): ref is ComputeRef => ref.endpointId !== undefined

/** Key of a compute, or `account/project/`, which no compute has. */
export const targetKey = ({ account, projectId, endpointId = '' }: TargetRef): string =>
  computeKey({ account, projectId, endpointId })

export type Project = Readonly<{
  projectId: string
  name: string
  regionId: string
  platformId: string
  pgVersion: number
  /** CU-seconds as the service counts them, lagging; the service may reset it. */
  cpuUsedSeconds: number
  /** Awake time in the time of `cpuUsedSeconds`. Undefined where the service does not publish it. */
  activeSeconds: number | undefined
  updatedAt: Instant
  /** Last activity of any compute, late by the activity lag; undefined where the service does not publish it. */
  computeLastActiveAt: Instant | undefined
  /** Delay of computes without their own. Undefined where the service does not publish it. */
  defaultAutosuspendDelay: AutosuspendDelay | undefined
  /** Size of computes that are made without their own; existing ones keep theirs. Absent where the service does not publish it. */
  defaultSizing?: Sizing
  /** The record has no defaults of new computes at all, so they cannot be changed. */
  hasDefaults?: false
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
  /** Target of a transition in progress. */
  pendingState: string | undefined
  sizing: Sizing
  /** Undefined: the default of the project or service applies. */
  autosuspendDelay: AutosuspendDelay | undefined
  /** The record has no delay at all, not even the default's 0: the one in force is not known. */
  isDelayListed?: false
  /** Absent where it is one of `KNOWN_PROVISIONERS`, or the record has none. */
  unknownProvisioner?: string
  poolerEnabled: boolean
  disabled: boolean
  /** As the service shows it, to the second, late; undefined until first active. */
  lastActive: Instant | undefined
  /** To the second; not in the interface, undefined where the service does not publish them. */
  startedAt: Instant | undefined
  suspendedAt: Instant | undefined
  createdAt: Instant
  updatedAt: Instant
}>

/** Source: service-facts.md, "Compute record": a compute with another one is only observed. */
export const KNOWN_PROVISIONERS: readonly string[] = ['k8s-pod', 'k8s-neonvm', 'serverless-platform']

export const isInTransition = ({ state, pendingState }: Compute): boolean =>
  state === 'init' || pendingState !== undefined

export const smallestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.min)
export const largestCu = (sizing: Sizing): Cu => ('fixed' in sizing ? sizing.fixed : sizing.max)

/** The service writes a fixed size as two equal limits. */
export const sizingOfLimits = (min: Cu, max: Cu): Sizing => (min === max ? { fixed: max } : { min, max })

/** A fixed size is the same as a range of equal limits. */
export const isSameSizing = (one: Sizing, other: Sizing): boolean =>
  smallestCu(one) === smallestCu(other) && largestCu(one) === largestCu(other)
export const isFixed = (sizing: Sizing): boolean => smallestCu(sizing) === largestCu(sizing)

/**
 * Where no record has a delay, the smallest of the service: if one that is assumed is too long, a reading may wake the compute, and
 * what it adds is not charged.
 */
export const shortestDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay =>
  knownDelay(compute, project) ?? MIN_AUTOSUSPEND_DELAY

/** Undefined where no record has a delay. */
export const knownDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay | undefined =>
  compute.isDelayListed === false && project?.defaultAutosuspendDelay === undefined
    ? undefined
    : effectiveDelay(compute, project)

/** The compute's own, else its project's default, else the service's. */
export const effectiveDelay = (compute: Compute, project: Project | undefined): AutosuspendDelay =>
  compute.autosuspendDelay ?? project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY
