// The accounts of one compute: bounded evidence, what was folded from it, and totals that only grow.
import type { BudgetStates } from '../policy/budget.ts'
import type { Compute, ComputeRef, Project } from '../service/compute.ts'
import type { ProjectMetering } from './metering.ts'
import type { DayRow } from './day.ts'
import type { AwakeInterval, Attribution, Evidence } from './evidence.ts'
import type { AccumulatedCache, AccumulatedUsage } from './reading-counters.ts'
import type { RollupState } from './rollup.ts'
import type { Reading } from '../observation.ts'
import type { AwakeSlice } from './slice.ts'
import type { AccountCounters } from './counters.ts'
import type { Interval } from '../time.ts'
import type { Unproductive } from './unproductive.ts'
import type { CuMillis, Instant, Micros, Millis, Seconds } from '../units.ts'

/** A value that is known to lie within `[low, high]`. */
export type Bounds<Value extends number> = {
  readonly low: Value
  readonly likely: Value
  readonly high: Value
}

/** CU-time by price: micros per CU-hour, as text → CU·ms. */
export type CuTimeByPrice = Readonly<Record<string, Bounds<CuMillis>>>

export type Totals = {
  readonly awake: Bounds<Millis>
  readonly cuTime: CuTimeByPrice
  /** The likely CU-time of intervals of which no fact dates an end; undefined where there is none. */
  readonly assumed?: CuMillis | undefined
  /** Awake after the last activity, of closed intervals. */
  readonly idleTail: Millis
  /** Awake time that our own readings added. */
  readonly observerOverhead: Millis
  readonly attribution: Attribution
  readonly wakes: number
  readonly suspends: number
  readonly restarts: number
  readonly wakesCaused: number
}

/** The likely values as they are published: a counter must never fall, also when a total is restated. */
export type PublishedCounters = {
  readonly awake: Millis
  readonly cuTime: CuMillis
  readonly spend: Micros
  /** What the time that our readings added cost. */
  readonly observerSpend: Micros
  readonly idleTail: Millis
  readonly observerOverhead: Millis
  readonly wakes: number
  readonly suspends: number
  readonly restarts: number
  readonly wakesCaused: number
  /** Absent in what an earlier version wrote. */
  readonly unproductive?: Unproductive
}

/** How late the service showed an activity whose time a reading told: somewhere in `[atLeast, atMost]`. */
export type ActivityLagSample = { readonly atLeast: Seconds; readonly atMost: Seconds }

/** An activity whose time a reading told, and that no look has shown yet. */
export type PendingActivity = { readonly at: Instant; readonly atLeast: Seconds }

/** The account of one compute. */
export type ComputeEntry = {
  readonly ref: ComputeRef
  readonly compute: Compute
  readonly observedAt: Instant
  /** Since when every look has shown it on its way to another state; undefined when the last one did not. */
  readonly inTransitionSince?: Instant | undefined
  /** Undefined while the compute is there. */
  readonly deletedAt: Instant | undefined
  /** Nothing at or before this instant is counted again. */
  readonly settledUntil: Instant
  /** The sum over the time before `settledUntil`, and over the intervals that ended in it. */
  readonly settled: Totals
  /** The interval that goes on at `settledUntil`; undefined when the compute was not awake then. */
  readonly partlySettled: PartlySettledInterval | undefined
  /** What may still be restated, as of the last fold; the slices before `settledUntil` were handed out for good. */
  readonly provisional: readonly AwakeSlice[]
  /** The days of which not everything is settled, in order. */
  readonly days: readonly OpenDay[]
  readonly evidence: Evidence
  /** `settled` and what the evidence gives, as of the last fold. */
  readonly totals: Totals
  readonly counters: PublishedCounters
  /** The interval the compute is in; undefined when it is not awake. */
  readonly current: AwakeInterval | undefined
  /** When time alone next changes the account: an interval has been over for long enough to be settled. */
  readonly settlesAt: Instant | undefined
  /** As of when `totals` are: those of a compute that is awake go on. */
  readonly appliedAt: Instant
  /** When the last look was begun that showed that something had happened which only the operations can date. */
  readonly transitionAt: Instant | undefined
  /** When the project's operations were last read without a failure, back to the time before. */
  readonly operationsReadAt: Instant | undefined
  readonly reading: ReadingState
  /** It is gone for so long that its sums were moved to its project: it is kept for its history, and no longer known. */
  readonly isRetired?: true
  readonly rollups: RollupState
}

/** An interval of which a part is settled. */
export type PartlySettledInterval = {
  readonly interval: AwakeInterval
  /** Of the settled part. */
  readonly cuTime: CuTimeByPrice
}

/** A day that may still change. */
export type OpenDay = {
  /** What is settled of it. */
  readonly settled: DayRow
  /** As it was last told; undefined before that. */
  readonly lastRestated: DayRow | undefined
}

/** What is kept of the readings of one compute. */
export type ReadingState = {
  readonly attempts: number
  /** The last one that read something. */
  readonly last: (Reading & { readonly at: Instant }) | undefined
  readonly lastAttemptAt: Instant | undefined
  readonly lastSucceeded: boolean
  readonly atLimit: boolean
  /** Attempts after the last one that read something. */
  readonly failures: number
  /** When a reading last told a hit ratio. */
  readonly cacheReadAt: Instant | undefined
  readonly cache: AccumulatedCache | undefined
  /** Readings whose limit of the file cache fits no size of the range; absent where there is none. */
  readonly sizeUnknown?: number
  readonly usage: AccumulatedUsage
  /** Awake seconds the observer may still cost; earned by awake time, spent by readings. */
  readonly allowance: Seconds
  /** Of the credit spent: what readings were expected to cost whose true cost is not known yet. */
  readonly reserved: Seconds
  /** The newest last. */
  readonly lags: readonly ActivityLagSample[]
  readonly pendingActivity: PendingActivity | undefined
  /** Log2 of seconds, rounded down → how often others came back after so long; beside the suspensions it tells how likely silence is. */
  readonly gapCounts: readonly number[]
  /** What the compute's clock was ahead of ours at the last reading; undefined before the first. */
  readonly clockOffset: Millis | undefined
  /** Why the last reading failed, or what it could not see. */
  readonly problem: string | undefined
}

/** What is kept of one project. */
export type ProjectEntry = {
  /** As last listed. */
  readonly project: Project
  /** When its computes were last listed whole, and what was known then; undefined before. */
  readonly listed: ProjectListing | undefined
  /** When the service first knew it no more, and never again since; undefined while it is there. */
  readonly deletedAt?: Instant | undefined
  /** What the computes that are gone came to; undefined while none is. */
  readonly retired?: RetiredTotals | undefined
  /** What the service counts of it; undefined before its computes are known. */
  readonly metering?: ProjectMetering | undefined
  /** It is gone for so long that its sums were moved to the account: it is kept in the store, and no longer known. */
  readonly isArchived?: true
}

/** What computes that are no longer known one by one came to. */
export type RetiredSums = {
  readonly awake: Bounds<Millis>
  readonly spend: Spend
  readonly observerOverhead: Millis
  readonly observerSpend: Micros
  readonly wakes: number
  readonly suspends: number
  readonly wakesCaused: number
}

/** Of computes of one project. */
export type RetiredTotals = RetiredSums & {
  /** The newest of them, in the order they left: id and when it went. Absent in what an earlier version wrote. */
  readonly ids?: readonly RetiredId[]
  /** By then all the others were gone. */
  readonly until: Instant
}

/** Of projects that are no longer known one by one. */
export type ArchivedTotals = RetiredSums & { readonly projects: number }

export type RetiredId = { readonly endpointId: string; readonly deletedAt: Instant }

/** A list of one project's computes, and the project's record at that time: what differs from it has moved since. */
export type ProjectListing = {
  readonly at: Instant
  /** The earliest that it can have been written. */
  readonly askedAt?: Instant | undefined
  readonly updatedAt: Instant
  readonly cpuUsedSeconds: number
  /** When a list of its computes first came with that count. */
  readonly countedSince?: Instant
  /** Of the computes that are there. */
  readonly endpointIds: readonly string[]
  /** Of them those whose record did not fit: that they are there is all that is known of them. */
  readonly unreadable?: readonly string[]
  /** A record did not even tell its id. */
  readonly partial?: boolean
  /** When it was first seen its operations could not be read: of computes that were gone by then nothing is known yet. */
  readonly needsBackfill?: true
}

export type Ledger = {
  readonly account: string
  /** `computeKey` → account. */
  readonly computes: ReadonlyMap<string, ComputeEntry>
  /** Project id → account. */
  readonly projects: ReadonlyMap<string, ProjectEntry>
  /** Undefined while all projects are known. */
  readonly archived?: ArchivedTotals | undefined
  /** What a pass refused and read, by result, since the ledger began. */
  readonly readings: ReadingCounts
  /** What was settled of what is planned. */
  readonly budgets: BudgetStates
  /** What was shown of counters over several computes. */
  readonly counters: AccountCounters
}

export type ReadingCounts = Readonly<Record<ReadingOutcome, number>>

/** The values of the label `result` of `dormouse_readings_total`. */
export type ReadingOutcome =
  | 'ok'
  | 'partial'
  | 'at_limit'
  | 'error'
  | 'timeout'
  | 'skipped_idle'
  | 'skipped_quiet'
  | 'skipped_tail'
  | 'skipped_credit'

export const NO_READING_COUNTS: ReadingCounts = {
  ok: 0,
  partial: 0,
  at_limit: 0,
  error: 0,
  timeout: 0,
  skipped_idle: 0,
  skipped_quiet: 0,
  skipped_tail: 0,
  skipped_credit: 0,
}

/** A closed awake interval as it is kept for good; its CU-time is all of it. */
export type SettledInterval = {
  readonly ref: ComputeRef
  readonly interval: AwakeInterval
  readonly cuTime: CuTimeByPrice
  readonly idleTail: Millis
  readonly attribution: Attribution
}

/** When a compute was awake, likely, and for how long of that after its last activity. */
export type LikelyAwakeInterval = Interval & { readonly tail: Millis; readonly restart: boolean }

export type Spend = Bounds<Micros>

/** Why a compute is in its state, for people. */
export type AwakeReason =
  | { readonly because: 'asleep'; readonly since: Instant | undefined }
  | { readonly because: 'starting' }
  | { readonly because: 'disabled' }
  | { readonly because: 'autosuspend-off' }
  | { readonly because: 'clients'; readonly application: string | undefined; readonly working: number }
  | {
      readonly because: 'idle-in-transaction' | 'replication' | 'subscription' | 'autovacuum'
      readonly count: number
    }
  | { readonly because: 'recent-activity'; readonly at: Instant; readonly application: string | undefined }
  | {
      readonly because: 'idle-tail'
      readonly since: Instant
      readonly until: Instant
      /** Whether `until` is to come; or over, and the next look tells; or so long ago that a look would have told. */
      readonly end: 'ahead' | 'due' | 'overdue'
      /** Whether a session of ours came after it, which puts the end off. */
      readonly ours: boolean
    }
  | {
      readonly because: 'unknown'
      /** When it was last seen, where that is why. */
      readonly since: Instant | undefined
    }
