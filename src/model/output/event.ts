import type { BudgetLimit, Rung } from '../policy/budget.ts'
import type { ComputeRef } from '../service/compute.ts'
import type { Reconciliation } from '../ledger/metering.ts'
import type { Bounds } from '../ledger/quantities.ts'
import type { Interval } from '../time.ts'
import type { Instant } from '../units.ts'

/** Something worth telling a person, once. */
export type Event = { readonly account: string; readonly at: Instant } & (
  | { readonly kind: 'wake' | 'suspend' | 'restart'; readonly ref: ComputeRef; readonly occurredAt: Instant }
  | { readonly kind: 'compute-found' | 'compute-gone'; readonly ref: ComputeRef }
  | { readonly kind: 'wake-caused'; readonly ref: ComputeRef }
  | { readonly kind: 'key-refused' | 'key-accepted' }
  | { readonly kind: 'service-unavailable'; readonly message: string }
  | { readonly kind: 'service-available' }
  | {
      readonly kind: 'count-off' | 'count-agrees'
      readonly projectId: string
      readonly checked: Reconciliation
    }
  | {
      readonly kind: 'delivery-failed'
      /** The name of the receiver. */
      readonly sink: string
      readonly what: 'event' | 'report'
      readonly because: string
    }
  | { readonly kind: 'problem'; readonly where: string; readonly message: string }
  | {
      readonly kind: 'budget-rung'
      readonly budget: string
      /** The highest that is reached for the first time in this period. */
      readonly rung: Rung
      /** In the unit of the limit. */
      readonly spent: Bounds<number>
      readonly limit: BudgetLimit
      readonly period: Interval
    }
)
