// PromQL for the boards. Every query names its job and counts once what several replicas export.
import {
  CATALOGUE,
  FAMILY_KEYS,
  isPerCompute,
  PREFIX,
  type FamilyKey,
} from '../../src/outputs/metrics/catalogue.ts'
import { CONNECTION_USE } from '../rules/recording.ts'
import { BY_LABELS, metricName } from '../rules/rule.ts'

const JOB = 'job=~"$job"'
/** Label matchers for the variables of a board. */
export const MATCHERS = {
  compute: ['project_id=~"$project"', 'endpoint_id=~"$compute"'],
  project: ['project_id=~"$project"'],
  budget: ['budget=~"$budget"', 'team=~"$team"'],
  team: ['team=~"$team"'],
  money: ['currency="$currency"'],
} as const

const braced = (matchers: readonly string[]): string => `{${matchers.join(',')}}`

/** Series of a metric family, of the chosen jobs. */
export const seriesOf = (key: FamilyKey, ...matchers: readonly string[]): string =>
  metricName(key) + braced([JOB, ...matchers])

/** A process metric of the client library. */
export const ofProcess = (name: `process_${string}` | `nodejs_${string}`): string => name + braced([JOB])

/** Series of a recording rule of dashboards/alerts.yaml. It has no job label. */
export const recorded = (record: string, ...matchers: readonly string[]): string => record + braced(matchers)

/** Puts a function around the selector of a family. */
export type Wrapped = (selector: string) => string

export const rate: Wrapped = (selector) => `rate(${selector}[$__rate_interval])`
/** Increase of a counter in the time range of the board, or in `range`. */
export const increaseOver =
  (range = '$__range'): Wrapped =>
  (selector) =>
    `increase(${selector}[${range}])`
export const over =
  (name: 'max' | 'min' | 'avg' | 'last', range = '$__range'): Wrapped =>
  (selector) =>
    `${name}_over_time(${selector}[${range}])`
const asIs: Wrapped = (selector) => selector

/** A value over the whole time range as of its end, the same at every point of a graph. */
export const atEnd =
  (name: 'increase' | 'last_over_time'): Wrapped =>
  (selector) =>
    `${name}(${selector}[$__range] @ end())`

/** A family of the chosen computes, a series each: replicas that show the same count once. */
export const perCompute = (key: FamilyKey, wrap: Wrapped = asIs, ...matchers: readonly string[]): string =>
  `max ${BY_LABELS.compute} (${wrap(seriesOf(key, ...MATCHERS.compute, ...matchers))})`

/** As `perCompute`, in the chosen currency. */
export const moneyPerCompute = (key: FamilyKey, wrap?: Wrapped): string =>
  perCompute(key, wrap, ...MATCHERS.money)

/** As `perCompute`, with further labels of the family. */
export const perComputeAnd = (labels: readonly string[], key: FamilyKey, wrap: Wrapped = asIs): string =>
  `max by (project_id, endpoint_id, ${labels.join(', ')}) (${wrap(seriesOf(key, ...MATCHERS.compute))})`

/** Only computes of the chosen teams; with `over('last')` also those deleted within the time range. */
export const owned = (expr: string, wrap: Wrapped = asIs): string =>
  `(${expr}) and on (project_id, endpoint_id) ${wrap(seriesOf('compute_info', ...MATCHERS.team))}`

/** As `owned`, for projects. */
export const ownedProject = (expr: string): string =>
  `(${expr}) and on (project_id) ${seriesOf('project_info', ...MATCHERS.team)}`

/** Adds the team of each compute; `topk` picks one where replicas disagree. */
export const withTeam = (expr: string, range: string): string => {
  const info = over('last', range)(seriesOf('compute_info', ...MATCHERS.team))
  const team = `topk ${BY_LABELS.compute} (1, max by (project_id, endpoint_id, team) (${info}))`
  return `label_replace((${expr}) * on (project_id, endpoint_id) group_left (team) ${team}, "team", "nobody", "team", "")`
}

/** A family of the chosen budgets, in the unit of each. */
export const perBudget = (key: FamilyKey, ...labels: readonly string[]): string =>
  `max by (${['budget', 'team', 'tier', ...labels].join(', ')}) (${seriesOf(key, ...MATCHERS.budget)})`

/** State as a number: 3 awake, 2 starting, 1 asleep, 0 unknown. */
export const STATE = (() => {
  const states = [
    ['active', 3],
    ['init', 2],
    ['idle', 1],
    ['unknown', 0],
  ] as const
  const numbered = states.map(
    ([state, number]) => `${seriesOf('compute_state', ...MATCHERS.compute, `state="${state}"`)} * ${number}`,
  )
  return `max ${BY_LABELS.compute} (${numbered.join(' or ')})`
})()

/** Adds the name of each project; `topk` picks one where replicas disagree. */
export const named = (expr: string, wrap: Wrapped = asIs): string =>
  `(${expr}) * on (project_id) group_left (project_name) topk by (project_id) (1, max by (project_id, project_name) (${wrap(seriesOf('project_info'))}))`

/** What identifies a compute in a table: name of the project, type, team, tier. */
export const COMPUTE_FACTS = named(
  `max by (project_id, endpoint_id, type, team, tier) (${seriesOf('compute_info', ...MATCHERS.compute, ...MATCHERS.team)})`,
)

/** Share of requested pages that were in the file cache; NaN without requests. */
export function hitRatio(wrap: Wrapped): string {
  const hits = perCompute('compute_file_cache_hits_total', wrap)
  return `${hits} / (${hits} + ${perCompute('compute_file_cache_misses_total', wrap)})`
}

/** Share of the connection limit in use, as recorded by dashboards/alerts.yaml. */
export const CONNECTION_SHARE = `max ${BY_LABELS.compute} (${recorded(CONNECTION_USE.record, ...MATCHERS.compute)})`

/** Client connections in all states. */
export const connectionsIn = (wrap: Wrapped = asIs): string =>
  `sum ${BY_LABELS.compute} (${perComputeAnd(['state'], 'compute_connections', wrap)})`

/** Rate per second of a counter, summed over the processes. */
export const rateBy = (key: FamilyKey, ...labels: readonly string[]): string =>
  `sum by (${labels.join(', ')}) (${rate(seriesOf(key))})`

/** Seconds since an instant, the latest that any replica reports. */
export const since = (key: FamilyKey, ...labels: readonly string[]): string =>
  `time() - max by (${labels.join(', ')}) (${seriesOf(key)})`

/** A quantile of a histogram over all processes. */
export const quantile = (q: number, key: FamilyKey, ...labels: readonly string[]): string =>
  `histogram_quantile(${q}, ${buckets(key, ...labels)})`

/** Buckets of a histogram per second. */
export const buckets = (key: FamilyKey, ...labels: readonly string[]): string =>
  `sum by (${[...labels, 'le'].join(', ')}) (rate(${metricName(key)}_bucket${braced([JOB])}[$__rate_interval]))`

/** Buckets of a histogram by region, of the regions of the chosen computes; replicas show the same values, hence `max`. */
export const bucketsByRegion = (key: FamilyKey): string => {
  const byRegion = `max by (region_id, le) (rate(${metricName(key)}_bucket${braced([JOB])}[$__rate_interval]))`
  const computes = seriesOf('compute_info', ...MATCHERS.compute, ...MATCHERS.team)
  return `sum by (le) (${byRegion} and on (region_id) ${computes})`
}

/** Whether a query is empty without `metrics.detail: full`. */
export const needsFull = (expr: string): boolean =>
  FAMILY_KEYS.some((key) => {
    const family = CATALOGUE[key]
    return isPerCompute(family) && !family.basic && expr.includes(`${PREFIX}${key}{`)
  })
