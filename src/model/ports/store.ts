import type { AccountCounters } from '../ledger/counters.ts'
import type { DayRow } from '../ledger/day.ts'
import type { ComputeEntry, Ledger, ReadingCounts, SettledInterval } from '../ledger/ledger.ts'
import type { ProjectEntry } from '../ledger/project-entry.ts'
import type { Rollup } from '../ledger/rollup.ts'
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event-kinds.ts'
import type { StoredReport } from '../output/report.ts'
import type { BudgetState } from '../policy/budget.ts'

/** What one part of a pass leaves behind: accounts that changed, whole, and what was settled. */
export type Batch = {
  readonly account: string
  /** Undefined: as before. */
  readonly readings: ReadingCounts | undefined
  readonly projects: readonly ProjectEntry[]
  readonly computes: readonly ComputeEntry[]
  readonly settled: readonly SettledInterval[]
  /** Stretches that are over. */
  readonly rollups: readonly Rollup[]
  /** Days that are another than they were told before; a row of a higher version takes the place of the lower ones. */
  readonly days: readonly DayRow[]
  /** Name of a budget → its state with what this part settled: both are kept, or neither; undefined: it is no more. */
  readonly budgets: Readonly<Record<string, BudgetState | undefined>>
  /** Undefined: as before. */
  readonly counters: AccountCounters | undefined
  /** What is told of it: kept with it, so that a process that ends before it told has not forgotten. */
  readonly events: readonly Event[]
  readonly reports: readonly StoredReport[]
  /** Each takes the place of the one before, of the same item and sink. */
  readonly deliveries: readonly Delivery[]
  /** Name of a job → what it must remember; plain data; undefined: nothing any more. */
  readonly memories: Readonly<Record<string, unknown>>
}

/** What must survive. Every method is durable when it resolves. */
export type Store = {
  /** The ledger as last committed; an empty one for an account never seen. */
  load(account: string): Promise<Ledger>
  /** All of `batch`, or nothing of it. */
  commit(batch: Batch): Promise<void>
  close(): Promise<void>
}
