/** Its key in the catalogue is its name without `dormouse_`. */
export type Family = Readonly<{
  type: 'gauge' | 'counter' | 'histogram'
  labels: readonly string[]
  help: string
  /** `self`: counted by the client library since the process started. */
  owner: 'snapshot' | 'self'
  /** Needed by alerts or the fleet board: exported at every detail, never left out by the cap. */
  basic: boolean
  /** Most series of one compute or project; 0 where the family is about neither. */
  each: number
}>

/** Label → values for one compute, at most; 1 for all others. */
const VALUES_PER_COMPUTE: Readonly<Record<string, number>> = { state: 4, window: 4, what: 2 }

/** Names of labels are separated by spaces. */
function familiesWith(common = '') {
  const row =
    (type: Family['type'], { owner = 'snapshot', basic = false }: Partial<Family> = {}) =>
    (help: string, more = ''): Family => {
      const labels = `${common} ${more}`.split(' ').filter(Boolean)
      const values = VALUES_PER_COMPUTE[labels.at(-1) ?? ''] ?? 1
      return { type, labels, help, owner, basic, each: labels.includes('project_id') ? values : 0 }
    }
  return {
    gauge: row('gauge'),
    counter: row('counter'),
    basicGauge: row('gauge', { basic: true }),
    basicCounter: row('counter', { basic: true }),
    basicHistogram: row('histogram', { basic: true }),
    selfGauge: row('gauge', { owner: 'self' }),
    selfCounter: row('counter', { owner: 'self' }),
    selfHistogram: row('histogram', { owner: 'self' }),
  }
}

export const ofAll = familiesWith()
export const ofCompute = familiesWith('project_id endpoint_id')
export const ofBudget = familiesWith('budget team tier')

/** `money`: the label `currency` says it. `limit`: the label `unit` says it. */
type MetricUnit = 'seconds' | 'bytes' | 'ratio' | 'CU' | 'CU-seconds' | 'pages' | 'money' | 'limit'

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
 * Undefined for counts and flags. The name ends in the unit, as Prometheus asks; except money, whose currency is a label, so that a
 * configuration cannot rename a metric.
 */
export function unitOf(name: string, { labels }: Family): MetricUnit | undefined {
  if (labels.includes('currency')) return 'money'
  if (labels.includes('unit')) return 'limit'
  const bare = name.replace(/_total$/, '')
  return ENDINGS.find(([ending]) => ending.test(bare))?.[1]
}
