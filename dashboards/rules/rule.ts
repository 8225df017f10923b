// One alert rule, and how rules are written.
import { CATALOGUE, PREFIX, type FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

/** `critical`: somebody is called. `warning`: somebody looks today. `info`: for the next review. */
export type AlertSeverity = 'critical' | 'warning' | 'info'

/** As Prometheus writes it. */
export type Duration = `${number}${'m' | 'h' | 'd'}`

export type AlertRule = {
  /** Without the prefix. Rules of one name differ in severity, and share a runbook. */
  readonly name: string
  readonly severity: AlertSeverity
  /** Whose owner the alert is for; a budget's is in its labels, and the daemon has none. */
  readonly about: 'compute' | 'project' | 'budget' | 'daemon'
  /** PromQL, without the owner. Its labels are those of `about`. */
  readonly core: string
  /** How long it has to hold; at once when left out. */
  readonly for?: Duration
  readonly keepFiringFor?: Duration
  /** One line with the figure; a template of Prometheus. */
  readonly summary: string
  /** What to do first. No template: it is the same for every alert. */
  readonly description: string
}

export type RecordingRule = { readonly record: string; readonly expr: string }

/** Evaluated together and in order, so that alerts see what was just recorded. */
export type RuleGroup = {
  readonly name: string
  readonly recordings: readonly RecordingRule[]
  readonly rules: readonly AlertRule[]
}

/** The full name of a metric, by its key in the catalogue. */
export const metricName = (key: FamilyKey): string => PREFIX + CATALOGUE[key].name

/** The labels that say which one. */
export const BY_LABELS = {
  compute: 'by (project_id, endpoint_id)',
  project: 'by (project_id)',
  budget: 'by (budget, team, tier)',
} as const

/** As many replicas of a daemon may be scraped as there are: each shows the same, so sums of them would be wrong. */
export const perComputeMax = (key: FamilyKey, matchers = ''): string =>
  `max ${BY_LABELS.compute} (${metricName(key)}${matchers})`

/** What a counter of a compute grew by. */
export const perComputeIncrease = (key: FamilyKey, range: Duration): string =>
  `max ${BY_LABELS.compute} (increase(${metricName(key)}[${range}]))`
