// Audit of an account from the service's own history.
import type { Recommendation, Withheld } from '../policy/recommendation.ts'
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
    /** Largest likely saving first. */
    recommendations: readonly AuditedRecommendation[]
    /** Computes whose delay cannot be judged yet, dearest first. */
    undecided: readonly UndecidedDelay[]
    /** Unused computes, then keys. */
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

export type AuditedRecommendation = Readonly<{ projectName: string; recommendation: Recommendation }>

export type UndecidedDelay = Readonly<{
  ref: ComputeRef
  projectName: string
  delay: AutosuspendDelay
  withheld: Withheld
  /** Part of the spend that another delay may save. `always-awake`: it never suspended, with autosuspend on. */
  cost: 'autosuspend-off' | 'always-awake' | 'idle-tails'
  /** In the last 30 days. */
  spend: Micros
}>

export type Finding = Readonly<
  | { kind: 'unused'; ref: ComputeRef; projectName: string }
  | { kind: 'old-key'; name: string; keyId: number; days: number; unusedDays: number | undefined }
>
