import type { Log } from './log.ts'
import type { LimitsPreset, SubscriptionPlan } from './control/sizing/plans.ts'
import type { BehaviourChange } from './engine/behaviour-switches.ts'
import type { ChosenProject } from './history/project-life.ts'
import type { Truth } from './engine/truth.ts'

/** Made at the first start of a folder. */
export type SeedProject = Readonly<{
  name: string
  /** Fixed size; default 0.25. */
  cu?: number
  /** Delay as on the wire: 0 is the default of 300 s, -1 is never. */
  suspendTimeoutSeconds?: number
}>

/** Generated at the first start of a folder. */
export type HistoryRequest = Readonly<{
  /** Seconds. */
  span: number
  projects: number
  /** The first of them; by default all are drawn. */
  chosen?: readonly ChosenProject[]
  /** Default: random, logged. One seed at one instant gives one history. */
  seed?: number
}>

export type LocalOptions = Readonly<{
  /** Data folder, created when missing. */
  folder: string
  /** API port; default 0: the port of the last start if free, else any. */
  port?: number
  /** Port for Postgres clients; default as `port`. */
  proxyPort?: number
  /** Computes are `ep-….SUFFIX`; default `local.localhost`, which is this machine (RFC 6761). */
  hostSuffix?: string
  /**
   * Each compute gets a loopback address with port 5432 as its host, for clients that know only the host. Default
   * false. Needs all of 127.0.0.0/8 on loopback: Linux only.
   */
  loopbackHosts?: boolean
  /** Made at the first start, ignored later. */
  projects?: readonly SeedProject[]
  /** Generated at the first start, with projects of its own. */
  past?: HistoryRequest
  /** Sizes, and limits of the plan; default scale and interface. */
  plan?: SubscriptionPlan
  preset?: LimitsPreset
  /** Accepts 1 to 59 s. Default false. */
  allowShortDelays?: boolean
  /** Extra time of each start, seconds, random by `seed`; default 1 to 3. */
  wakeLatency?: Readonly<{ min: number; max: number }>
  /** Delay of `last_active`, seconds; default 5. */
  lastActiveLag?: number
  /** Interval of the monitor, seconds; default 0.5. */
  activityPoll?: number
  /** Seconds, default 5; the period of the autoscaler's averages is proportional. */
  autoscaleEvery?: number
  /**
   * Divides `shared_buffers` and the modelled file cache, so that small tables show effects; default 1. The cache views
   * multiply by it, to match the compute's size.
   */
  cacheScale?: number
  /** Overrides the options above. */
  behaviour?: BehaviourChange
  seed?: number
  log?: Log
}>

export type Local = {
  /** `http://127.0.0.1:PORT/api/v2`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly proxyPort: number
  /** Password of the role `dormouse`, the reader in every project. */
  readonly monitoringPassword: string
  /** Exact usage now or at an ISO 8601 instant. */
  truth(at?: string): Truth
  /** Suspends all computes; resolves when no process runs. A second call waits for the first. */
  stop(): Promise<void>
}
