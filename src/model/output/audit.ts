// Audit of an account from the service's own history: spend, awake time, and findings.
import type { AutosuspendDelay, ComputeRef, Sizing } from '../service/compute.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { Interval } from '../time.ts'
import type { CuMillis, Instant, Micros, Millis, Ratio } from '../units.ts'

export type Audit = Interval & {
  readonly currency: string
  readonly projects: number
  /** Existing computes, without deleted ones. */
  readonly computes: number
  readonly total: AuditSums
  /** Share of the spend that rests on the service's metering; the rest is derived from operations alone. */
  readonly counted: Ratio
  /** Whole weeks, oldest first; the last ends with the audit. */
  readonly weeks: readonly AuditWeek[]
  /** Most expensive first. */
  readonly byCompute: readonly AuditedCompute[]
  /** Largest saving first; findings without a known saving last. */
  readonly findings: readonly Finding[]
}

export type AuditSums = Readonly<{
  spend: Spend
  awake: Bounds<Millis>
  cuTime: Bounds<CuMillis>
  idleTail: Millis
  /** Spend on idle tails. */
  tailSpend: Micros
  wakes: number
}>

export type AuditWeek = Readonly<{
  from: Instant
  spend: Micros
  awake: Millis
  wakes: number
}>

export type AuditedCompute = AuditSums & {
  readonly ref: ComputeRef
  readonly projectName: string
  readonly sizing: Sizing
  readonly delay: AutosuspendDelay
  /** Share of the time in which the compute existed. */
  readonly awakeShare: Ratio
}

/** Finding with its evidence. Amounts are for 30 days at the rate of the last 30. */
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
      /** Lower bound: the same suspensions with the smallest delay that the service accepts. */
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
