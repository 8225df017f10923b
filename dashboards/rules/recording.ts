// Recording rules that several alerts or a board use.
import { BY_LABELS, metricName, perComputeMax, type RecordingRule } from './rule.ts'

const record = (name: string, expr: string): RecordingRule => ({ record: `dormouse:${name}`, expr })

/** Owner of a compute: one series, or one per owner where replicas have different configurations. */
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

/** Share of requested pages that were in the file cache; NaN without requests. */
export const HIT_RATIO = record(
  'compute_hit_ratio:rate15m',
  `${rateOf('cacheHits')} / (${rateOf('cacheHits')} + ${rateOf('cacheMisses')})`,
)

/**
 * Client connections divided by the connections that clients may have. At the smallest size 7 of 104 are reserved, so that clients would
 * never reach 0.95 of the limit itself. Until the first reading no connection counts as reserved.
 */
export const CONNECTION_USE = record(
  'compute_connection_utilization:ratio',
  `sum ${BY_LABELS.compute} (max by (project_id, endpoint_id, state) (${metricName('connections')})) / ` +
    `(${perComputeMax('maxConnections')} - (${perComputeMax('reservedConnections')} or 0 * ${perComputeMax('maxConnections')}))`,
)
