// The types of rules, and the PromQL that they share.
import { PREFIX, type FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

/** `critical`: page somebody. `warning`: look at it today. `info`: at the next review. */
export type AlertSeverity = 'critical' | 'warning' | 'info'

/** In the notation of Prometheus. */
export type Duration = `${number}${'m' | 'h' | 'd'}`

export type AlertRule = {
  /** Without the prefix. Rules of the same name differ in severity and share a runbook. */
  readonly name: string
  readonly severity: AlertSeverity
  /** What the alert is about, which decides its owner: that of the compute or project of a change; a budget has it in its labels, the daemon has none. */
  readonly about: 'compute' | 'change' | 'project' | 'budget' | 'daemon'
  /** PromQL without the join to the owner; its labels are those of `about`. */
  readonly core: string
  /** PromQL of the same condition for all projects of a daemon, for those without series of their own; without the labels of an owner. */
  readonly ofFleet?: string
  /** How long the condition must hold; absent: fires at once. */
  readonly for?: Duration
  readonly keepFiringFor?: Duration
  /** A line with the value; a Prometheus template. */
  readonly summary: string
  /** First steps. Plain text: the same for every alert of the rule. */
  readonly description: string
}

export type RecordingRule = { readonly record: string; readonly expr: string }

/** Evaluated in order, so that alerts see the values recorded just before. */
export type RuleGroup = {
  readonly name: string
  readonly recordings: readonly RecordingRule[]
  readonly rules: readonly AlertRule[]
}

/** Full name of a metric by its key in the catalogue. */
export const metricName = (key: FamilyKey): string => PREFIX + key

/** The labels that identify each kind of subject. */
export const BY_LABELS = {
  compute: 'by (project_id, endpoint_id)',
  project: 'by (project_id)',
  budget: 'by (budget, team, tier)',
} as const

/** `max`, not `sum`: every replica of the daemon exports the same value. */
export const perComputeMax = (key: FamilyKey, matchers = ''): string =>
  `max ${BY_LABELS.compute} (${metricName(key)}${matchers})`

/** Increase of a counter of a compute. */
export const perComputeIncrease = (key: FamilyKey, range: Duration): string =>
  `max ${BY_LABELS.compute} (increase(${metricName(key)}[${range}]))`
