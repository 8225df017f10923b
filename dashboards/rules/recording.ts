// What more than one rule, or a dashboard, needs.
import { BY_LABELS, metricName, perComputeMax, type RecordingRule } from './rule.ts'

const record = (name: string, expr: string): RecordingRule => ({ record: `dormouse:${name}`, expr })

/** Whose a compute or a project is: one series, or one of each owner that replicas of different configurations name. */
export const COMPUTE_OWNER = record(
  'compute_owner:info',
  `max by (project_id, endpoint_id, team, tier) (${metricName('computeInfo')})`,
)
export const PROJECT_OWNER = record(
  'project_owner:info',
  `max by (project_id, team, tier) (${metricName('projectInfo')})`,
)

const rateOf = (key: 'cacheHits' | 'cacheMisses'): string =>
  `max ${BY_LABELS.compute} (rate(${metricName(key)}[15m]))`

/** Of the pages asked for; nothing (NaN) where none was. */
export const HIT_RATIO = record(
  'compute_hit_ratio:rate15m',
  `${rateOf('cacheHits')} / (${rateOf('cacheHits')} + ${rateOf('cacheMisses')})`,
)

/**
 * Connections of clients, by what clients may have: of 104 at the smallest size of the service seven are kept, so that of the bare limit
 * clients never reach 0.95. Where nothing was read yet, none is known to be kept.
 */
export const CONNECTION_USE = record(
  'compute_connection_utilization:ratio',
  `sum ${BY_LABELS.compute} (max by (project_id, endpoint_id, state) (${metricName('connections')})) / ` +
    `(${perComputeMax('maxConnections')} - (${perComputeMax('reservedConnections')} or 0 * ${perComputeMax('maxConnections')}))`,
)
