// How the local service behaves where the interface is silent (service-facts 12), and the failures it plays on request.

/** One switch per open question. Lengths in seconds. */
export type Behaviour = {
  /** A change to an idle compute makes it active for a moment. */
  readonly patchWakesIdle: boolean
  /** A PATCH that sends the size a compute has restarts it. */
  readonly patchEqualRestarts: boolean
  /** The answer to a disruptive PATCH lists the `start_compute` of its restart. */
  readonly patchListsStart: boolean
  /** How late `last_active` shows an activity. */
  readonly lastActiveLag: number
  /** Reading the record of an idle compute wakes it. */
  readonly apiReadsWake: boolean
  readonly errors: {
    /** */
    readonly restartIdle: 422 | 423 | 'starts'
    /** */
    readonly duplicatePrimary: 409 | 422
    /** */
    readonly invalid: 400 | 422
    /** */
    readonly quota: 422 | 423 | 403
  }
  /** Which sizes `max_connections` follows. */
  readonly connectionsBasis: ConnectionsBasis
  /** What becomes of an autosuspend delay of 1 to 59 s. */
  readonly delayBelowMinimum: 'refused' | 'accepted' | 'raised'
  /** Changes are answered 504 at once and take effect this much later. */
  readonly lateMutation: 'off' | number
  /** Idle computes are woken for a check: the first one this long after the suspension, each pause longer by `growth`. */
  readonly availabilityCheck: 'off' | { readonly first: number; readonly growth: number }
  /** */
  readonly listRevokedKeys: boolean
  /** The first of the five rules of activity is on. */
  readonly activityRule1: boolean
  /** Extra time of each start, drawn anew for each. */
  readonly wakeLatency: { readonly min: number; readonly max: number }
  /** Answers to start, suspend and restart still show the old state. */
  readonly stateLag: boolean
  /** A suspend call drops open connections at once, or waits for them. */
  readonly suspendDrops: true | { readonly grace: number }
  /** A pooler keeps its server sessions when their clients have left, so that the rules of activity see their last use. */
  readonly poolerBackendVisible: boolean
  /** What becomes of fields of a body that the service does not know. */
  readonly unknownFields: 'ignored' | 'refused'
  /** Roles made through the API may connect to database `postgres`. */
  readonly postgresConnect: boolean
  /** Applying a change to an active compute restarts its timer. */
  readonly applyCountsAsActivity: boolean
  /** A client's wake counts as activity itself. */
  readonly wakeCountsAsActivity: boolean
  /** An operation, such as that of a wake, is a new `updated_at` of its project; else only a change of its settings is. */
  readonly operationsMoveProject: boolean
  /** There are no routes and fields but those of the interface text. */
  readonly interfaceOnly: boolean
  /** The public request rates are enforced (service-facts 5). */
  readonly rates: boolean
  /** How late the counters of projects, branches and the consumption history show use. */
  readonly countersLag: number
  readonly faults: Faults
}

export type ConnectionsBasis = 'min' | 'min(max, 8×min)'

/** Failures on request. `next`: so many, then none. Lengths in seconds. */
export type Faults = {
  /** Every operation holds its project this much longer. */
  readonly lockTime: number
  /** Before each answer. */
  readonly slowAnswers: number
  /** Requests answered 429; `retryAfter` 0 sends no header. */
  readonly tooManyRequests: { readonly next: number; readonly retryAfter: number }
  /** Requests answered with this status, after they took effect or without. */
  readonly serverErrors: {
    readonly next: number
    readonly status: 500 | 502 | 503 | 504 | 524
    readonly takesEffect: boolean
  }
  /** Operations that begin while this is on go on when it is off again. */
  readonly stuckOperations: boolean
  /** Operations that fail at first and are tried again. */
  readonly failingOperations: { readonly next: number; readonly retryIn: number }
}

/** The bold positions of the table. */
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
