// What the panels ask Prometheus. Each query says which job it means, and counts what several replicas show once.
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
/** Those that the variables at the top of a board choose, by the label that tells them apart. */
export const MATCHERS = {
  compute: ['project_id=~"$project"', 'endpoint_id=~"$compute"'],
  project: ['project_id=~"$project"'],
  budget: ['budget=~"$budget"', 'team=~"$team"'],
  team: ['team=~"$team"'],
  money: ['currency="$currency"'],
} as const

const braced = (matchers: readonly string[]): string => `{${matchers.join(',')}}`

/** The series of a family of the daemons that are chosen. */
export const seriesOf = (key: FamilyKey, ...matchers: readonly string[]): string =>
  metricName(key) + braced([JOB, ...matchers])

/** One of the metrics that the client library keeps of a process. */
export const ofProcess = (name: `process_${string}` | `nodejs_${string}`): string => name + braced([JOB])

/** What a rule of dashboards/alerts.yaml recorded: of all jobs, because it has no job. */
export const recorded = (record: string, ...matchers: readonly string[]): string => record + braced(matchers)

/** The selector of one family, with a range or without. */
export type Wrapped = (selector: string) => string

export const rate: Wrapped = (selector) => `rate(${selector}[$__rate_interval])`
/** What a counter grew by in the time shown, or in `range`. */
export const increaseOver =
  (range = '$__range'): Wrapped =>
  (selector) =>
    `increase(${selector}[${range}])`
export const over =
  (name: 'max' | 'min' | 'avg' | 'last', range = '$__range'): Wrapped =>
  (selector) =>
    `${name}_over_time(${selector}[${range}])`
const asIs: Wrapped = (selector) => selector

/** The same at every point of a graph: of its whole time, as of its end. */
export const atEnd =
  (name: 'increase' | 'last_over_time'): Wrapped =>
  (selector) =>
    `${name}(${selector}[$__range] @ end())`

/** A family of the chosen computes, one series each. */
export const perCompute = (key: FamilyKey, wrap: Wrapped = asIs, ...matchers: readonly string[]): string =>
  `max ${BY_LABELS.compute} (${wrap(seriesOf(key, ...MATCHERS.compute, ...matchers))})`

/** As `perCompute`, in the chosen currency. */
export const moneyPerCompute = (key: FamilyKey, wrap: Wrapped): string =>
  perCompute(key, wrap, ...MATCHERS.money)

/** As `perCompute`, with labels of the family besides. */
export const perComputeAnd = (labels: readonly string[], key: FamilyKey, wrap: Wrapped = asIs): string =>
  `max by (project_id, endpoint_id, ${labels.join(', ')}) (${wrap(seriesOf(key, ...MATCHERS.compute))})`

/** Only computes that the chosen teams answer for; with `over('last')`: that did in the time shown, deleted ones included. */
export const owned = (expr: string, wrap: Wrapped = asIs): string =>
  `(${expr}) and on (project_id, endpoint_id) ${wrap(seriesOf('computeInfo', ...MATCHERS.team))}`

/** As `owned`, for projects. */
export const ownedProject = (expr: string): string =>
  `(${expr}) and on (project_id) ${seriesOf('projectInfo', ...MATCHERS.team)}`

/** With the team that answers for each compute: one, also while replicas do not agree. */
export const withTeam = (expr: string, range: string): string => {
  const info = over('last', range)(seriesOf('computeInfo', ...MATCHERS.team))
  const one = `topk ${BY_LABELS.compute} (1, max by (project_id, endpoint_id, team) (${info}))`
  return `label_replace((${expr}) * on (project_id, endpoint_id) group_left (team) ${one}, "team", "nobody", "team", "")`
}

/** A family of the chosen budgets, in the unit of each. */
export const perBudget = (key: FamilyKey, ...labels: readonly string[]): string =>
  `max by (${['budget', 'team', 'tier', ...labels].join(', ')}) (${seriesOf(key, ...MATCHERS.budget)})`

/** 3 active, 2 starting, 1 asleep, 0 not known. */
export const STATE = (() => {
  const states = [
    ['active', 3],
    ['init', 2],
    ['idle', 1],
    ['unknown', 0],
  ] as const
  const numbered = states.map(
    ([state, number]) => `${seriesOf('computeState', ...MATCHERS.compute, `state="${state}"`)} * ${number}`,
  )
  return `max ${BY_LABELS.compute} (${numbered.join(' or ')})`
})()

/** With the name of each project, as people know it: one, also while replicas do not agree. */
export const named = (expr: string, wrap: Wrapped = asIs): string =>
  `(${expr}) * on (project_id) group_left (project_name) topk by (project_id) (1, max by (project_id, project_name) (${wrap(seriesOf('projectInfo'))}))`

/** What identifies a compute to people: its project's name, its type and who answers for it. */
export const COMPUTE_FACTS = named(
  `max by (project_id, endpoint_id, type, team, tier) (${seriesOf('computeInfo', ...MATCHERS.compute, ...MATCHERS.team)})`,
)

/** Of the pages asked for in a time, those found in the file cache; nothing (NaN) where none was. */
export function hitRatio(wrap: Wrapped): string {
  const hits = perCompute('cacheHits', wrap)
  return `${hits} / (${hits} + ${perCompute('cacheMisses', wrap)})`
}

/** Connections of the limit, as the rules of dashboards/alerts.yaml record it. */
export const CONNECTION_SHARE = `max ${BY_LABELS.compute} (${recorded(CONNECTION_USE.record, ...MATCHERS.compute)})`

/** Connections of clients, all states together. */
export const connectionsIn = (wrap: Wrapped = asIs): string =>
  `sum ${BY_LABELS.compute} (${perComputeAnd(['state'], 'connections', wrap)})`

/** What a counter of the processes themselves grows by in a second, all processes together. */
export const rateBy = (key: FamilyKey, ...labels: readonly string[]): string =>
  `sum by (${labels.join(', ')}) (${rate(seriesOf(key))})`

/** Seconds since an instant, of the replica that knows of the last one. */
export const since = (key: FamilyKey, ...labels: readonly string[]): string =>
  `time() - max by (${labels.join(', ')}) (${seriesOf(key)})`

/** A quantile of a histogram of the processes themselves. */
export const quantile = (q: number, key: FamilyKey, ...labels: readonly string[]): string =>
  `histogram_quantile(${q}, ${buckets(key, ...labels)})`

/** Its buckets, per second. */
export const buckets = (key: FamilyKey, ...labels: readonly string[]): string =>
  `sum by (${[...labels, 'le'].join(', ')}) (rate(${metricName(key)}_bucket${braced([JOB])}[$__rate_interval]))`

/** Those of what is counted by region, where the chosen computes are: as many replicas as there are show the same. */
export const bucketsByRegion = (key: FamilyKey): string => {
  const each = `max by (region_id, le) (rate(${metricName(key)}_bucket${braced([JOB])}[$__rate_interval]))`
  const here = seriesOf('computeInfo', ...MATCHERS.compute, ...MATCHERS.team)
  return `sum by (le) (${each} and on (region_id) ${here})`
}

/** Whether a query is empty unless `metrics.detail` is full. */
export const needsFull = (expr: string): boolean =>
  FAMILY_KEYS.some((key) => {
    const family = CATALOGUE[key]
    return isPerCompute(family) && !family.basic && expr.includes(`${PREFIX}${family.name}{`)
  })
