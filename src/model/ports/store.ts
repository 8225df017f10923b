import type { AccountCounters } from '../ledger/counters.ts'
import type { DayRow } from '../ledger/day.ts'
import type { ComputeEntry, Ledger, ReadingCounts, SettledInterval } from '../ledger/ledger.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event-kinds.ts'
import type { StoredReport } from '../output/report.ts'
import type { BudgetState } from '../policy/budget.ts'

/** Writes of one part of a pass: changed ledger entries as a whole, and settled history. */
export type Batch = {
  readonly account: string
  /** Undefined: unchanged. */
  readonly readings: ReadingCounts | undefined
  readonly projects: readonly ProjectEntry[]
  readonly computes: readonly ComputeEntry[]
  readonly settled: readonly SettledInterval[]
  /** Finished buckets. */
  readonly rollups: readonly Rollup[]
  /** New and restated days. */
  readonly days: readonly DayRow[]
  /** Name of a budget → its state including this batch's settled slices; undefined: the budget was removed. */
  readonly budgets: Readonly<Record<string, BudgetState | undefined>>
  /** Undefined: unchanged. */
  readonly counters: AccountCounters | undefined
  /** Events of this part: stored with it, so that they are delivered also after a crash. */
  readonly events: readonly Event[]
  readonly reports: readonly StoredReport[]
  /** Replace earlier versions of the same item and receiver. */
  readonly deliveries: readonly Delivery[]
  /** Name of a job → its state, plain data; undefined removes it. */
  readonly memories: Readonly<Record<string, unknown>>
}

/** Durable storage: a method's effect survives once it resolves. */
export type Store = {
  /** The ledger as last committed; an empty one for an account never seen. */
  load(account: string): Promise<Ledger>
  /** Commits `batch` atomically. */
  commit(batch: Batch): Promise<void>
  close(): Promise<void>
}
