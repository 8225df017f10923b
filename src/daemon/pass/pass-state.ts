import type { BudgetView } from '../../model/policy/budget.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Backlog, ListProgress, Sweep, PendingRetries } from '../../model/observation.ts'
import { millis, type Instant, type Millis } from '../../model/units.ts'
import type { SweepThroughput } from '../../observe/polling/poll-plan.ts'
import { NO_BACKLOG, NO_LIST, NO_PENDING_RETRIES } from '../../observe/sweep.ts'
import type { ClockAnchor } from './service-clock.ts'

/** What one pass leaves to the next, of one account. The ledger is in the store; the rest begins anew with the process. */
export type PassState = {
  readonly ledger: Ledger
  /** What the budgets came to at the end of the last pass that could be stored; none before the first. */
  readonly budgets: readonly BudgetView[]
  /** The oldest day that the last pass told anew; undefined when it told none. */
  readonly restatedFrom: Instant | undefined
  /** What happened and is not in the store yet, so that nobody else is told of it. */
  readonly pendingEvents: readonly Event[]
  /** What the times in the ledger are told by; undefined before the first pass of this process. */
  readonly anchor: ClockAnchor | undefined
  /** The ledger's time minus the wall clock's, at the end of the last pass. */
  readonly offset: Millis
  /** By how much the ledger's time may be later than that. */
  readonly uncertainty: Millis
  /** How far the reading of the project list is. */
  readonly list: ListProgress
  /** What the last sweep left for later. */
  readonly backlog: Backlog
  /** Of the last pass that could ask the service; undefined before. */
  readonly throughput: SweepThroughput | undefined
  /** What it asked for in vain, or had no room for. */
  readonly retries: PendingRetries
  /** How the last sweep went; undefined before the first. */
  readonly service: Sweep['service'] | undefined
  /** The end of the last sweep that could ask the service, by the wall clock as all times that are shown. */
  readonly lastSweepAt: Instant | undefined
  readonly lastRejectedAt: Instant | undefined
  /** Passes in a row in which the service could not be asked. */
  readonly failures: number
  /**
   * Whether the ledger above is in the store. While it is not, nothing is read inside Postgres: a reading that is forgotten
   * is made again and again, and each may keep a compute awake.
   */
  readonly isPersisted: boolean
  /** Why the last pass could not store what it saw; undefined when it could. */
  readonly storeFailure: unknown
  /** What could not be seen in the last sweep. */
  readonly problems: readonly string[]
  readonly problemsSeen: ProblemsSeen
}

/** Text of a problem → the end of the last sweep that met it, so that a lasting problem is told once. */
export type ProblemsSeen = ReadonlyMap<string, Instant>

export const newPassState = (ledger: Ledger): PassState => ({
  ledger,
  budgets: [],
  restatedFrom: undefined,
  pendingEvents: [],
  anchor: undefined,
  offset: millis(0),
  uncertainty: millis(0),
  list: NO_LIST,
  backlog: NO_BACKLOG,
  throughput: undefined,
  retries: NO_PENDING_RETRIES,
  service: undefined,
  lastSweepAt: undefined,
  lastRejectedAt: undefined,
  failures: 0,
  isPersisted: false,
  storeFailure: undefined,
  problems: [],
  problemsSeen: new Map(),
})
