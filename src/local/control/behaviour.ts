// Behaviour where the interface is silent (service-facts 12), and faults on request.

/** Switches, one per open question of service-facts 12. Lengths in seconds. */
export type Behaviour = Readonly<{
  /** A change to an idle compute makes it active for a moment. */
  patchWakesIdle: boolean
  /** A PATCH with the present size restarts. */
  patchEqualRestarts: boolean
  /** The answer to a disruptive PATCH lists the `start_compute` of its restart. */
  patchListsStart: boolean
  /** Delay of `last_active`, which shows activity this much later. */
  lastActiveLag: number
  /** Reading the record of an idle compute wakes it. */
  apiReadsWake: boolean
  errors: Readonly<{
    /** Restart of an idle compute. */
    restartIdle: 422 | 423 | 'starts'
    /** Second primary on a branch. */
    duplicatePrimary: 409 | 422
    /** Invalid value. */
    invalid: 400 | 422
    /** Start while the quota is used up. */
    quota: 422 | 423 | 403
  }>
  /** Sizes that determine `max_connections`. */
  connectionsBasis: ConnectionsBasis
  /** Autosuspend delay of 1 to 59 s. */
  delayBelowMinimum: 'refused' | 'accepted' | 'raised'
  /** Changes are answered 504 at once and take effect after this time. */
  lateMutation: 'off' | number
  /** Time from a suspension to the first check, and the growth of each further pause. */
  availabilityCheck: 'off' | Readonly<{ first: number; growth: number }>
  /** The list of API keys includes revoked ones. */
  listRevokedKeys: boolean
  /** The first rule of activity applies. */
  activityRule1: boolean
  /** Extra time, drawn for each start. */
  wakeLatency: Readonly<{ min: number; max: number }>
  /** Answers to start, suspend and restart still show the old state. */
  stateLag: boolean
  /** A suspend request drops connections at once, or waits for them. */
  suspendDrops: true | { readonly grace: number }
  /** A pooler's server sessions outlive their clients, so that the rules of activity see their last use. */
  poolerBackendVisible: boolean
  /** Unknown fields of a body. */
  unknownFields: 'ignored' | 'refused'
  /** Roles of the API may connect to database `postgres`. */
  postgresConnect: boolean
  /** A change applied to an active compute is activity. */
  applyCountsAsActivity: boolean
  /** A wake by a client is activity itself. */
  wakeCountsAsActivity: boolean
  /** Operations, such as a wake's, change `updated_at` of their project, not only its settings. */
  operationsMoveProject: boolean
  /** Hides routes and fields beyond the interface text. */
  interfaceOnly: boolean
  /** The public request rates are enforced (service-facts 5). */
  rates: boolean
  /** Delay of counters and of the consumption history. */
  countersLag: number
  faults: Faults
}>

export type ConnectionsBasis = 'min' | 'min(max, 8×min)'

/** `next`: how often a fault still happens. Lengths in seconds. */
type Faults = Readonly<{
  /** Extra time of every operation. */
  lockTime: number
  /** Extra time before an answer. */
  slowAnswers: number
  /** Answers 429; `retryAfter` 0 sends no header. */
  tooManyRequests: Readonly<{ next: number; retryAfter: number }>
  /** Answers with this status, with or without effect. */
  serverErrors: Readonly<{ next: number; status: 500 | 502 | 503 | 504 | 524; takesEffect: boolean }>
  /** Operations that start now wait until this is off. */
  stuckOperations: boolean
  /** First attempts that fail, and the time until the next. */
  failingOperations: Readonly<{ next: number; retryIn: number }>
}>

/** Defaults: the positions in bold in service-facts 12. */
export const DEFAULT_BEHAVIOUR: Behaviour = {
  patchWakesIdle: true,
  patchEqualRestarts: false,
  patchListsStart: false,
  lastActiveLag: 5,
  apiReadsWake: false,
  errors: { restartIdle: 422, duplicatePrimary: 409, invalid: 400, quota: 422 },
  connectionsBasis: 'min',
  delayBelowMinimum: 'refused',
  lateMutation: 'off',
  availabilityCheck: 'off',
  listRevokedKeys: false,
  activityRule1: true,
  wakeLatency: { min: 1, max: 3 },
  stateLag: true,
  suspendDrops: true,
  poolerBackendVisible: true,
  unknownFields: 'ignored',
  postgresConnect: true,
  applyCountsAsActivity: false,
  wakeCountsAsActivity: false,
  operationsMoveProject: true,
  interfaceOnly: false,
  rates: false,
  countersLag: 0,
  faults: {
    lockTime: 0,
    slowAnswers: 0,
    tooManyRequests: { next: 0, retryAfter: 0 },
    serverErrors: { next: 0, status: 503, takesEffect: false },
    stuckOperations: false,
    failingOperations: { next: 0, retryIn: 1 },
  },
}
