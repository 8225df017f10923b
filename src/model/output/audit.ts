// What the service's own history tells of an account: money, time, and what first to look at.
import type { AutosuspendDelay, ComputeRef, Sizing } from '../service/compute.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { CuMillis, Instant, Micros, Millis, Ratio } from '../units.ts'

export type Audit = {
  /** `[from, to)`. */
  readonly from: Instant
  readonly to: Instant
  readonly currency: string
  readonly projects: number
  /** Without those that were deleted. */
  readonly computes: number
  readonly total: AuditSums
  /** The share of the spend that the service itself counted, rather than the account of its operations alone. */
  readonly counted: Ratio
  /** Whole weeks, the oldest first; the last ends with the audit. */
  readonly weeks: readonly AuditWeek[]
  /** The most expensive first. */
  readonly byCompute: readonly AuditedCompute[]
  /** The most to save first; those of which nothing is known to be saved last. */
  readonly findings: readonly Finding[]
}

export type AuditSums = {
  readonly spend: Spend
  readonly awake: Bounds<Millis>
  readonly cuTime: Bounds<CuMillis>
  readonly idleTail: Millis
  /** What the idle tails cost. */
  readonly tailSpend: Micros
  readonly wakes: number
}

export type AuditWeek = {
  readonly from: Instant
  readonly spend: Micros
  readonly awake: Millis
  readonly wakes: number
}

export type AuditedCompute = AuditSums & {
  readonly ref: ComputeRef
  readonly projectName: string
  readonly sizing: Sizing
  readonly delay: AutosuspendDelay
  /** The part of the time that it existed in. */
  readonly awakeShare: Ratio
}

/** Something worth a look, with its evidence. Money is for 30 days at the rate of the last 30. */
export type Finding =
  | {
      readonly kind: 'never-sleeps'
      readonly ref: ComputeRef
      readonly projectName: string
      readonly awakeShare: Ratio
      readonly autosuspendOff: boolean
      readonly spend: Micros
    }
  | {
      readonly kind: 'long-delay'
      readonly ref: ComputeRef
      readonly projectName: string
      readonly delay: AutosuspendDelay
      readonly suspends: number
      readonly idleTail: Millis
      /** At least: the same suspensions after the least delay that the service takes. */
      readonly saving: Micros
    }
  | { readonly kind: 'unused'; readonly ref: ComputeRef; readonly projectName: string }
  | {
      readonly kind: 'old-key'
      readonly name: string
      readonly keyId: number
      readonly days: number
      readonly unusedDays: number | undefined
    }
