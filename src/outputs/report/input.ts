import type { Prices } from '../../model/ledger/price.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import type { MonthView } from '../../model/output/snapshot.ts'
import type { BudgetWithForecast } from '../../model/policy/budget.ts'
import type { ComputeRef } from '../../model/service/compute.ts'
import type { Instant } from '../../model/units.ts'
import type { AggregatedHistory, ReportSpans } from './aggregate.ts'
import type { ComputeIdentity } from './ownership.ts'
import type { Report } from './schema.ts'

/** Everything that the report of one account and one plan is made from. */
export type ReportInput = {
  readonly account: string
  readonly slot: ReportSlot
  readonly zone: string
  readonly madeAt: Instant
  readonly plan: ReportPlan
  readonly prices: Prices
  readonly spans: ReportSpans
  readonly history: AggregatedHistory
  /** Start of the ledger's spend; undefined when no budget of the month says it. */
  readonly countedSince: Instant | undefined
  readonly identityOf: (ref: ComputeRef) => ComputeIdentity
  /** Events of the week that receivers could be notified of. */
  readonly events: NonNullable<Report['events']>
  /** Wakes caused by readings since the ledger began, of the computes in the plan. */
  readonly wakesCaused: number
  /** As the running daemon sees them; undefined without a daemon, or when the report is older than the last whole week. */
  readonly planned:
    | { readonly budgets: readonly BudgetWithForecast[]; readonly month: MonthView | undefined }
    | undefined
}
