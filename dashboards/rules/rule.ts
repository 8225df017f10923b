// One alert rule, and how rules are written.
import { CATALOGUE, PREFIX, type FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

/** `critical`: somebody is called. `warning`: somebody looks today. `info`: for the next review. */
export type Severity = 'critical' | 'warning' | 'info'

/** As Prometheus writes it. */
export type Duration = `${number}${'m' | 'h' | 'd'}`

export type Rule = {
  /** Without the prefix. Rules of one name differ in severity, and share a runbook. */
  readonly name: string
  readonly severity: Severity
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

export type Recording = { readonly record: string; readonly expr: string }

/** Evaluated together and in order, so that alerts see what was just recorded. */
export type Group = {
  readonly name: string
  readonly recordings: readonly Recording[]
  readonly rules: readonly Rule[]
}

/** The full name of a metric, by its key in the catalogue. */
export const metric = (key: FamilyKey): string => PREFIX + CATALOGUE[key].name

/** The labels that say which one. */
export const BY = {
  compute: 'by (project_id, endpoint_id)',
  project: 'by (project_id)',
  budget: 'by (budget, team, tier)',
} as const

/** As many replicas of a daemon may be scraped as there are: each shows the same, so sums of them would be wrong. */
export const ofCompute = (key: FamilyKey, matchers = ''): string =>
  `max ${BY.compute} (${metric(key)}${matchers})`

/** What a counter of a compute grew by. */
export const grownOfCompute = (key: FamilyKey, range: Duration): string =>
  `max ${BY.compute} (increase(${metric(key)}[${range}]))`
