// Recording rules that several alerts or a board use.
import { BY_LABELS, metricName, perComputeMax, type RecordingRule } from './rule.ts'

const record = (name: string, expr: string): RecordingRule => ({ record: `dormouse:${name}`, expr })

/** Owner of a compute: one series, or one per owner where replicas have different configurations. */
export const COMPUTE_OWNER = record(
  'compute_owner:info',
  `max by (project_id, endpoint_id, team, tier) (${metricName('compute_info')})`,
)
export const PROJECT_OWNER = record(
  'project_owner:info',
  `max by (project_id, team, tier) (${metricName('project_info')})`,
)

const rateOf = (key: 'compute_file_cache_hits_total' | 'compute_file_cache_misses_total'): string =>
  `max ${BY_LABELS.compute} (rate(${metricName(key)}[15m]))`

/** Share of requested pages that were in the file cache; NaN without requests. */
export const HIT_RATIO = record(
  'compute_hit_ratio:rate15m',
  `${rateOf('compute_file_cache_hits_total')} / (${rateOf('compute_file_cache_hits_total')} + ${rateOf('compute_file_cache_misses_total')})`,
)

/**
 * Client connections divided by the connections that clients may have. At the smallest size 7 of 104 are reserved, so that clients would
 * never reach 0.95 of the limit itself. Until the first reading no connection counts as reserved.
 */
export const CONNECTION_USE = record(
  'compute_connection_utilization:ratio',
  `sum ${BY_LABELS.compute} (max by (project_id, endpoint_id, state) (${metricName('compute_connections')})) / ` +
    `(${perComputeMax('compute_max_connections')} - (${perComputeMax('compute_reserved_connections')} or 0 * ${perComputeMax('compute_max_connections')}))`,
)
