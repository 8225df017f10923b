// Audit of an account from the service's own history.
import type { AutosuspendDelay, ComputeRef, Sizing } from '../service/compute.ts'
import type { Bounds, Spend } from '../ledger/quantities.ts'
import type { CuMillis, Instant, Micros, Millis, Ratio, Interval } from '../units.ts'

export type Audit = Interval &
  Readonly<{
    currency: string
    projects: number
    /** Existing computes, without deleted ones. */
    computes: number
    total: AuditSums
    /** Share of the spend by the service's metering; the rest is derived from operations alone. */
    counted: Ratio
    /** Whole weeks, oldest first; the last ends with the audit. */
    weeks: readonly AuditWeek[]
    /** Dearest first. */
    byCompute: readonly AuditedCompute[]
    /** Largest saving first; findings without a known saving last. */
    findings: readonly Finding[]
  }>

export type AuditSums = Readonly<{
  spend: Spend
  awake: Bounds<Millis>
  cuTime: Bounds<CuMillis>
  idleTail: Millis
  /** Spend on idle tails. */
  tailSpend: Micros
  wakes: number
}>

export type AuditWeek = Readonly<{ from: Instant; spend: Micros; awake: Millis; wakes: number }>

export type AuditedCompute = AuditSums &
  Readonly<{
    ref: ComputeRef
    projectName: string
    sizing: Sizing
    delay: AutosuspendDelay
    /** Share of the time in which the compute existed. */
    awakeShare: Ratio
  }>

/** Amounts are for 30 days at the rate of the last 30. */
export type Finding = Readonly<
  | {
      kind: 'never-sleeps'
      ref: ComputeRef
      projectName: string
      awakeShare: Ratio
      autosuspendOff: boolean
      spend: Micros
    }
  | {
      kind: 'long-delay'
      ref: ComputeRef
      projectName: string
      delay: AutosuspendDelay
      suspends: number
      idleTail: Millis
      /** Lower bound: the same suspensions with the smallest delay. */
      saving: Micros
    }
  | { kind: 'unused'; ref: ComputeRef; projectName: string }
  | { kind: 'old-key'; name: string; keyId: number; days: number; unusedDays: number | undefined }
>
