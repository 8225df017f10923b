// Test cases of alert rules: series and the alerts that they raise, for `promtool test rules`.
import { CATALOGUE, type FamilyKey } from '../../../src/outputs/metrics/catalogue.ts'
import { metricName, type AlertSeverity } from '../../../dashboards/rules/rule.ts'

type Labels = Readonly<Record<string, string>>

/** `values` in the notation of promtool: `1x5` is 1 six times, `0+2x3` is 0 2 4 6, `_x2` nothing twice. */
export type Series = { readonly series: string; readonly values: string }

export type Firing = { readonly severity: AlertSeverity; readonly labels: Labels; readonly summary: string }

export type Case = {
  readonly title: string
  /** Of the rules it is about, without the prefix. */
  readonly alert: string
  /** From sample to sample, and from evaluation to evaluation: a quarter of an hour where days pass. */
  readonly step: '1m' | '2m' | '15m'
  readonly series: readonly Series[]
  /** Time since the start → what fires then, and nothing else. */
  readonly checks: readonly (readonly [at: string, fires: readonly Firing[]])[]
}

export const ONE = { project_id: 'project-one', endpoint_id: 'ep-one' } as const

/** A compute of the team `payments`. */
export const OWNED = { ...ONE, team: 'payments', tier: 'dev' } as const

/** A series of a family with all its labels, optionally of one of several replicas. */
export function series(key: FamilyKey, labels: Labels, values: string, replica = 'one:9477'): Series {
  const expected = CATALOGUE[key].labels.toSorted()
  const given = Object.keys(labels).toSorted()
  if (String(given) !== String(expected))
    throw new Error(`${key} has the labels ${String(expected)}, not ${String(given)}`)
  return {
    series: `${metricName(key)}{${written({ ...labels, job: 'dormouse', instance: replica })}}`,
    values,
  }
}

export const up = (values: string, replica = 'one:9477'): Series => ({
  series: `up{${written({ job: 'dormouse', instance: replica })}}`,
  values,
})

const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')

/** An alert about the compute of the cases. */
export const firesFor = (severity: Firing['severity'], summary: string): readonly Firing[] => [
  { severity, labels: OWNED, summary: `Compute ep-one of project-one ${summary}` },
]

type Ownership = { readonly team: string; readonly tier: string }

export const computeInfo = (values: string, owner: Ownership = OWNED, replica?: string): Series =>
  series(
    'compute_info',
    {
      ...ONE,
      branch_id: 'br-one',
      type: 'read_write',
      region_id: 'local',
      pooler_enabled: 'false',
      team: owner.team,
      tier: owner.tier,
    },
    values,
    replica,
  )

export const projectInfo = (values: string): Series =>
  series(
    'project_info',
    {
      project_id: ONE.project_id,
      project_name: 'one',
      region_id: 'local',
      platform_id: 'local',
      pg_version: '17',
      team: OWNED.team,
      tier: OWNED.tier,
    },
    values,
  )
