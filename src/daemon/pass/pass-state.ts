// What a pass goes by: its plan, and what the pass before left, by owner. Only the ledger outlives the process.
import type { Zone } from '../../calendar/zone.ts'
import type { OwnActionsOf } from '../../ledger/apply-facts.ts'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { AwakeStatistics } from '../../ledger/readings/statistics.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Prices } from '../../model/ledger/quantities.ts'
import type { ReadingAttempt, Sweep } from '../../model/observation.ts'
import type { BudgetView } from '../../model/policy/budget.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { Preset } from '../../model/service/sizes.ts'
import type { Instant, Seconds } from '../../model/units.ts'
import type { SweepPlan } from '../../observe/sweep.ts'
import { newPolling, type PollingState } from '../../observe/polling/polling-state.ts'
import { NO_UPDATES, type LedgerUpdates } from './ledger-updates.ts'
import { newClock, type ClockState } from './service-clock.ts'
import { newOutbox, type AnnouncedStatus, type OutboxState } from './sweep-events.ts'

export type PassState = Readonly<{
  ledger: Ledger
  /** As of the last pass, stored or not. */
  budgets: readonly BudgetView[]
  statistics: AwakeStatistics
  clock: ClockState
  polling: PollingState
  service: ServiceState
  persistence: Persistence
  outbox: OutboxState
}>

type ServiceState = Readonly<{
  /** Undefined before the first sweep. */
  status: Sweep['service'] | undefined
  /** Passes in a row that did not reach the service or were not stored. */
  failures: number
  /** End of the last sweep that reached the service, by the wall clock. */
  lastSweepAt: Instant | undefined
  /** End of the last sweep whose key was refused, by the wall clock. */
  lastRejectedAt: Instant | undefined
}>

export type Persistence = LedgerUpdates &
  Readonly<{
    /** Whether the ledger is in the store. While it is not, nothing is read inside Postgres: an unstored reading would be repeated, and each may keep a compute awake. */
    isPersisted: boolean
    /** Failure to store the last pass, if it failed. */
    failure: unknown
    /** End of the last sweep that reached the service and was stored, by the wall clock: the ledger is as of then. */
    storedAt: Instant | undefined
    /** Attempts that could not be stored: the next pass applies them, so a store that fails now and then hides none. */
    unstoredReadings: readonly ReadingAttempt[]
  }>

/** Taken from the configuration when a pass starts. */
export type PassPlan = Readonly<{
  sweep: SweepPlan
  prices: Prices
  preset: Preset
  budgets: BudgetScopes
  owners: Owners
  /** Days of the account's zone. */
  dayOf: Zone['dayOf']
  /** Share of awake time that readings may add. */
  overhead: number
  /** Shortest gap between activities that is stored; by default `MIN_GAP`. */
  minGap?: Seconds
  /** When changes and warm-ups of a compute were under way; by default never. */
  ownActionsOf?: OwnActionsOf
}>

export type PassInput = Readonly<{ before: PassState; plan: PassPlan }>

/** @param announced status of the service that an earlier process announced */
export const newPassState = (ledger: Ledger, announced?: AnnouncedStatus): PassState => ({
  ledger,
  budgets: [],
  statistics: new Map(),
  clock: newClock(),
  polling: newPolling(),
  service: { status: undefined, failures: 0, lastSweepAt: undefined, lastRejectedAt: undefined },
  persistence: {
    isPersisted: false,
    failure: undefined,
    storedAt: undefined,
    unstoredReadings: [],
    ...NO_UPDATES,
  },
  outbox: newOutbox(announced),
})
