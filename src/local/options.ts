import type { Log } from './log.ts'
import type { BehaviourChange } from './engine/behaviour-switches.ts'
import type { Truth } from './engine/truth.ts'

/** A project to make at the first start of a folder. */
export type SeedProject = Readonly<{
  name: string
  /** Fixed size in CU; default 0.25. */
  cu?: number
  /** Autosuspend delay as on the wire: 0 is the default of 300 s, -1 is never. */
  suspendTimeoutSeconds?: number
}>

/** A history to generate at the first start of a folder. */
export type HistoryRequest = Readonly<{
  /** Length, seconds. */
  span: number
  projects: number
  /** Default: random, reported in the log. The same seed at the same instant gives the same history. */
  seed?: number
}>

export type LocalOptions = Readonly<{
  /** Data folder, created when missing. */
  folder: string
  /** Port of the API; default 0: the port of the last start if free, else any. */
  port?: number
  /** Port for Postgres clients; default as for `port`. */
  proxyPort?: number
  /** Host names of computes are `ep-….SUFFIX`; default `local.localhost`, which is this machine (RFC 6761). */
  hostSuffix?: string
  /**
   * Gives every compute a loopback address of its own with port 5432 as its host, for clients that build a connection
   * string from the host alone. Default false. Needs all of 127.0.0.0/8 on loopback, which only Linux has.
   */
  loopbackHosts?: boolean
  /** Created at the first start of a folder, ignored later. */
  projects?: readonly SeedProject[]
  /** History generated at the first start of a folder, with projects of its own besides `projects`. */
  past?: HistoryRequest
  /** Default paid. */
  plan?: 'free' | 'paid'
  /** Accepts autosuspend delays of 1 to 59 s. Default false. */
  allowShortDelays?: boolean
  /** Extra duration of each start, seconds, random by `seed`; default 1 to 3. */
  wakeLatency?: { readonly min: number; readonly max: number }
  /** Delay with which `last_active` shows activity, seconds; default 5. */
  lastActiveLag?: number
  /** Interval of the activity monitor, seconds; default 0.5. */
  activityPoll?: number
  /** Interval of the autoscaler, seconds; the period of its averages is proportional to it. Default 5. */
  autoscaleEvery?: number
  /**
   * Divides `shared_buffers` and the modelled file cache, so that small tables show effects of the cache; default 1.
   * The cache views multiply their sizes by it, so that they match the size of the compute.
   */
  cacheScale?: number
  /** Behaviour switches, for where the interface is silent; they override the options above. */
  behaviour?: BehaviourChange
  seed?: number
  log?: Log
}>

export type Local = {
  /** `http://127.0.0.1:PORT/api/v2`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly proxyPort: number
  /** Password of the role `dormouse`, the reader for monitoring in every project. */
  readonly monitoringPassword: string
  /** Exact usage of every compute, now or at an ISO 8601 instant. */
  truth(at?: string): Truth
  /** Suspends all computes and resolves when no process runs. A second call waits for the first. */
  stop(): Promise<void>
}
