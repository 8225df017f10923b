// Behaviour of the local service where the interface is silent (service-facts 12), and faults that it simulates on request.

/** Switches, one per open question of service-facts 12. Lengths in seconds. */
export type Behaviour = Readonly<{
  /** Whether a change to an idle compute makes it active for a moment. */
  patchWakesIdle: boolean
  /** Whether a PATCH with the size that a compute already has restarts it. */
  patchEqualRestarts: boolean
  /** Whether the answer to a disruptive PATCH lists the `start_compute` of its restart. */
  patchListsStart: boolean
  /** Delay until `last_active` shows an activity. */
  lastActiveLag: number
  /** Whether reading the record of an idle compute wakes it. */
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
  /** Sizes of a range that determine `max_connections`. */
  connectionsBasis: ConnectionsBasis
  /** Treatment of an autosuspend delay of 1 to 59 s. */
  delayBelowMinimum: 'refused' | 'accepted' | 'raised'
  /** Delay after which changes take effect that were answered 504 at once. */
  lateMutation: 'off' | number
  /** Time from a suspension to the first wake for a check, and the factor by which each further pause is longer. */
  availabilityCheck: 'off' | { readonly first: number; readonly growth: number }
  /** Whether the list of API keys includes revoked ones. */
  listRevokedKeys: boolean
  /** Whether the first of the five rules of activity applies. */
  activityRule1: boolean
  /** Extra time of a start, drawn for each start. */
  wakeLatency: { readonly min: number; readonly max: number }
  /** Whether answers to start, suspend and restart still show the old state. */
  stateLag: boolean
  /** Whether a suspend request drops open connections at once, or waits for them. */
  suspendDrops: true | { readonly grace: number }
  /** Whether a pooler's server sessions outlive their clients, so that the rules of activity see their last use. */
  poolerBackendVisible: boolean
  /** Treatment of unknown fields of a body. */
  unknownFields: 'ignored' | 'refused'
  /** Whether roles made through the API may connect to database `postgres`. */
  postgresConnect: boolean
  /** Whether a change applied to an active compute counts as activity. */
  applyCountsAsActivity: boolean
  /** Whether a wake by a client counts as activity itself. */
  wakeCountsAsActivity: boolean
  /** Whether operations, such as a wake's, change `updated_at` of their project; otherwise only its settings do. */
  operationsMoveProject: boolean
  /** Whether routes and fields beyond the interface text are missing. */
  interfaceOnly: boolean
  /** Whether the public request rates are enforced (service-facts 5). */
  rates: boolean
  /** Delay of the counters of projects and branches and of the consumption history. */
  countersLag: number
  faults: Faults
}>

export type ConnectionsBasis = 'min' | 'min(max, 8×min)'

/** Faults on request. `next` is the number of times a fault still happens. Lengths in seconds. */
export type Faults = Readonly<{
  /** Extra time that every operation takes. */
  lockTime: number
  /** Extra time before each answer. */
  slowAnswers: number
  /** Requests answered 429; `retryAfter` 0 sends no header. */
  tooManyRequests: { readonly next: number; readonly retryAfter: number }
  /** Requests answered with this status, and whether they take effect first. */
  serverErrors: Readonly<{
    next: number
    status: 500 | 502 | 503 | 504 | 524
    takesEffect: boolean
  }>
  /** Whether operations that start now wait until this is off again. */
  stuckOperations: boolean
  /** Operations whose first attempt fails, and the time until the next one. */
  failingOperations: { readonly next: number; readonly retryIn: number }
}>

/** Default positions: the ones in bold in service-facts 12. */
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
