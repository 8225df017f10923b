// A row of the catalogue, and the functions that write rows.

export type Family = {
  /** Without the prefix `dormouse_`. */
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** Unit of the values; undefined for counts and flags. */
  readonly unit: MetricUnit | undefined
  /** `snapshot`: rendered from the snapshot. `self`: counted by the client library since the process started. */
  readonly owner: 'snapshot' | 'self'
  /** Needed by alerts or the fleet board: exported at every detail, and never left out by the cap. */
  readonly basic: boolean
  /** Most series that one compute or project has; 0 where the family is about neither. */
  readonly each: number
}

/** `money`: the label `currency` says it. `limit`: the label `unit` says it. */
export type MetricUnit = 'seconds' | 'bytes' | 'ratio' | 'CU' | 'CU-seconds' | 'pages' | 'money' | 'limit'

export const COMPUTE_LABELS = ['project_id', 'endpoint_id'] as const
export const BUDGET_LABELS = ['budget', 'team', 'tier'] as const

type Row = (name: string, labels: readonly string[], help: string) => Family

const row =
  (owner: Family['owner'], type: Family['type'], basic = false): Row =>
  (name, labels, help) => ({
    name,
    type,
    labels,
    help,
    unit: unitOf(name, labels),
    owner,
    basic,
    each: labels.includes('project_id') ? 1 : 0,
  })

export const gauge = row('snapshot', 'gauge')
export const counter = row('snapshot', 'counter')
export const basicGauge = row('snapshot', 'gauge', true)
export const basicCounter = row('snapshot', 'counter', true)
export const basicHistogram = row('snapshot', 'histogram', true)
export const selfCounter = row('self', 'counter')
export const selfGauge = row('self', 'gauge')
export const selfHistogram = row('self', 'histogram')

/** A family with `each` series per compute: one of its labels has that many values. */
export const withSeriesPerCompute = (each: number, family: Family): Family => ({ ...family, each })

/** Ending of a name → unit; the first that fits. */
const ENDINGS: readonly (readonly [ending: RegExp, unit: MetricUnit])[] = [
  [/_cu_seconds$/, 'CU-seconds'],
  [/_seconds$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_ratio$|_probability$/, 'ratio'],
  [/_cu(_min|_max)?$/, 'CU'],
  [/_file_cache_(hits|misses|writes)$/, 'pages'],
]

/** The name ends in the unit, as Prometheus asks. Money is the exception: its currency is a label, so that a configuration cannot rename a metric. */
function unitOf(name: string, labels: readonly string[]): MetricUnit | undefined {
  if (labels.includes('currency')) return 'money'
  if (labels.includes('unit')) return 'limit'
  const bare = name.replace(/_total$/, '')
  return ENDINGS.find(([ending]) => ending.test(bare))?.[1]
}
