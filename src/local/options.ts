import type { LocalEvent } from './log.ts'
import type { BehaviourChange } from './engine/behaviour-switches.ts'
import type { Truth } from './engine/truth.ts'

/** A project to make at the first start of a folder. */
export type SeedProject = {
  readonly name: string
  /** Fixed size in CU; default 0.25. */
  readonly cu?: number
  /** Autosuspend delay as on the wire: 0 is the default of 300 s, -1 is never. */
  readonly suspendTimeoutSeconds?: number
}

/** A history to generate at the first start of a folder. */
export type HistoryRequest = {
  /** Length, seconds. */
  readonly span: number
  readonly projects: number
  /** Default: random, reported in the log. The same seed at the same instant gives the same history. */
  readonly seed?: number
}

export type LocalOptions = {
  /** Data folder, made when missing. */
  readonly folder: string
  /** Of the API; default 0: the one of the last start if free, else any. */
  readonly port?: number
  /** Where Postgres clients connect; default as for `port`. */
  readonly proxyPort?: number
  /** Computes are named `ep-….SUFFIX`; default `local.localhost`, which is this machine by convention (RFC 6761). */
  readonly hostSuffix?: string
  /**
   * Gives every compute a loopback address of its own with port 5432, which its record then has as its host: clients that
   * build a connection string of the host alone reach it. Default false. Linux has all of 127.0.0.0/8; others have not.
   */
  readonly loopbackHosts?: boolean
  /** Made at the first start of a folder; later starts keep what is there. */
  readonly projects?: readonly SeedProject[]
  /** A past, made at the first start of a folder in addition to the projects: months in which others were used. */
  readonly past?: HistoryRequest
  /** Default paid. */
  readonly plan?: 'free' | 'paid'
  /** Autosuspend delays of 1 to 59 s are accepted. Default false. */
  readonly allowShortDelays?: boolean
  /** Extra seconds of each start, seeded random; default 1 to 3. */
  readonly wakeLatency?: { readonly min: number; readonly max: number }
  /** Seconds until `last_active` shows an activity; default 5. */
  readonly lastActiveLag?: number
  /** Seconds between two looks for activity; default 0.5. */
  readonly activityPoll?: number
  /** Seconds between two goals of the autoscaler; the minutes its averages cover scale along. Default 5. */
  readonly autoscaleEvery?: number
  /**
   * Divides `shared_buffers` and the modelled file cache, so that small tables show the cache; default 1. Sizes the
   * cache views tell are multiplied back, so that they fit the size of the compute.
   */
  readonly cacheScale?: number
  /** Positions of the switches where the interface is silent; they win over the options above. */
  readonly behaviour?: BehaviourChange
  readonly seed?: number
  readonly log?: (event: LocalEvent) => void
}

export type Local = {
  /** `http://127.0.0.1:PORT/api/v2`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly proxyPort: number
  /** Of the role `dormouse`, a reader for monitoring in every project. */
  readonly monitoringPassword: string
  /** Exact use of every compute, now or as of an ISO 8601 instant. */
  truth(at?: string): Truth
  /** Suspends everything and resolves when nothing runs; a second call waits for the first. */
  stop(): Promise<void>
}
