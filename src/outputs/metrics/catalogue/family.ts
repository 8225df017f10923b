// A row of the catalogue, and the functions that write rows.

/** A metric family. Its key in the catalogue is its name without the prefix `dormouse_`. */
export type Family = {
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** `snapshot`: rendered from the snapshot. `self`: counted by the client library since the process started. */
  readonly owner: 'snapshot' | 'self'
  /** Needed by alerts or the fleet board: exported at every detail, and never left out by the cap. */
  readonly basic: boolean
  /** Most series that one compute or project has; 0 where the family is about neither. */
  readonly each: number
}

export const COMPUTE_LABELS = ['project_id', 'endpoint_id'] as const
export const BUDGET_LABELS = ['budget', 'team', 'tier'] as const

/** Label → values that it has at most for one compute; 1 for all others. */
const VALUES_PER_COMPUTE: Readonly<Record<string, number>> = { state: 4, window: 4, what: 2 }

const row =
  (owner: Family['owner'], type: Family['type'], basic = false) =>
  (labels: readonly string[], help: string): Family => {
    const values = VALUES_PER_COMPUTE[labels.at(-1) ?? ''] ?? 1
    return { type, labels, help, owner, basic, each: labels.includes('project_id') ? values : 0 }
  }

export const gauge = row('snapshot', 'gauge')
export const counter = row('snapshot', 'counter')
export const basicGauge = row('snapshot', 'gauge', true)
export const basicCounter = row('snapshot', 'counter', true)
export const basicHistogram = row('snapshot', 'histogram', true)
export const selfCounter = row('self', 'counter')
export const selfGauge = row('self', 'gauge')
export const selfHistogram = row('self', 'histogram')

/** `money`: the label `currency` says it. `limit`: the label `unit` says it. */
export type MetricUnit = 'seconds' | 'bytes' | 'ratio' | 'CU' | 'CU-seconds' | 'pages' | 'money' | 'limit'

/** Ending of a name → unit; the first that fits. */
const ENDINGS: readonly (readonly [ending: RegExp, unit: MetricUnit])[] = [
  [/_cu_seconds$/, 'CU-seconds'],
  [/_seconds$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_ratio$|_probability$/, 'ratio'],
  [/_cu(_min|_max)?$/, 'CU'],
  [/_file_cache_(hits|misses|writes)$/, 'pages'],
]

/**
 * Unit of the values; undefined for counts and flags. The name ends in it, as Prometheus asks. Money is the exception: its currency is a
 * label, so that a configuration cannot rename a metric.
 */
export function unitOf(name: string, { labels }: Family): MetricUnit | undefined {
  if (labels.includes('currency')) return 'money'
  if (labels.includes('unit')) return 'limit'
  const bare = name.replace(/_total$/, '')
  return ENDINGS.find(([ending]) => ending.test(bare))?.[1]
}
