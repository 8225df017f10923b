// One row of the catalogue, and how rows are written.

export type Family = {
  /** Without the prefix. */
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** Of the values; undefined for counts, shares of nothing, and flags. */
  readonly unit: MetricUnit | undefined
  /** `snapshot`: rendered from the snapshot. `self`: an event of this process, kept by the client library, 0 at its start. */
  readonly owner: 'snapshot' | 'self'
  /** What alerts and the fleet's board need: shown in every detail, and never left out by the cap before computes are. */
  readonly basic: boolean
  /** Series that one compute, or its project, has of it at most; 0 where it is about neither. */
  readonly each: number
}

/** `money`: of the label `currency`. `limit`: of the label `unit`. */
export type MetricUnit = 'seconds' | 'bytes' | 'ratio' | 'CU' | 'CU-seconds' | 'pages' | 'money' | 'limit'

export const COMPUTE_LABELS = ['project_id', 'endpoint_id'] as const
export const BUDGET_LABELS = ['budget', 'team', 'tier'] as const

type Row = (name: string, labels: readonly string[], help: string) => Family

const row =
  (owner: Family['owner'], type: Family['type']): Row =>
  (name, labels, help) => ({
    name,
    type,
    labels,
    help,
    unit: unitOf(name, labels),
    owner,
    basic: false,
    each: labels.includes('project_id') ? 1 : 0,
  })

export const gauge = row('snapshot', 'gauge')
export const counter = row('snapshot', 'counter')
export const histogram = row('snapshot', 'histogram')
export const selfCounter = row('self', 'counter')
export const selfGauge = row('self', 'gauge')
export const selfHistogram = row('self', 'histogram')

/** Of a family with `each` series for one compute: a label of it has that many values. */
export const withSeriesPerCompute = (each: number, family: Family): Family => ({ ...family, each })

export const inBasicDetail = (family: Family): Family => ({ ...family, basic: true })

/** What a name ends in → its unit; the first that fits. */
const ENDINGS: readonly (readonly [ending: RegExp, unit: MetricUnit])[] = [
  [/_cu_seconds$/, 'CU-seconds'],
  [/_seconds$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_ratio$|_probability$/, 'ratio'],
  [/_cu(_min|_max)?$/, 'CU'],
  [/_file_cache_(hits|misses|writes)$/, 'pages'],
]

/** The name says the unit, as Prometheus asks; of money the label does, so that a configuration cannot rename a metric. */
function unitOf(name: string, labels: readonly string[]): MetricUnit | undefined {
  if (labels.includes('currency')) return 'money'
  if (labels.includes('unit')) return 'limit'
  const bare = name.replace(/_total$/, '')
  return ENDINGS.find(([ending]) => ending.test(bare))?.[1]
}
