import { ofAll, ofCompute } from './family.ts'

const { basicCounter, basicGauge, counter, gauge } = ofCompute

export const READING_FAMILIES = {
  compute_file_cache_hits_total: basicCounter(
    'Pages found in the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_misses_total: basicCounter(
    'Pages not found in the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_writes_total: counter(
    'Pages written to the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_lifetime_hit_ratio: gauge(
    'Share of pages found in the file cache since the compute started, as it says itself; for display only, absent while it sleeps.',
  ),
  compute_file_cache_used_bytes: gauge('File cache in use at the last reading.'),
  compute_file_cache_size_bytes: gauge('Limit of the file cache at the last reading.'),
  compute_connections: basicGauge(
    'Client connections at the last reading, without service users and Dormouse; 0 when asleep, absent when never read.',
    'state',
  ),
  compute_max_connections: basicGauge(
    'Connection limit: as read, else as the preset says. It follows the least size.',
  ),
  compute_reserved_connections: basicGauge('Connections of the limit that clients may not have.'),
  compute_preset_mismatch: gauge(
    'Whether the last reading since the start differs from service.preset: max_connections, or file_cache that fits no size of the range. What was read is used.',
    'what',
  ),
  current_size_unknown_total: counter(
    'Readings whose file cache limit is more than 10 % away from every size of the range, so that the current size is not known.',
  ),
  reading_duration_seconds: ofAll.selfHistogram(
    'How long readings took, light or full, failed ones too.',
    'kind',
  ),
  compute_reading_success: basicGauge(
    'Whether the last reading that was tried succeeded; absent when none was.',
  ),
  computes_unreadable: ofAll.basicGauge(
    'Computes that were never read, and why: mode_off, no_dsn, host_not_allowed, failing, or not_yet while they sleep or must not be disturbed.',
    'reason',
  ),
  compute_reading_timestamp_seconds: gauge('The last successful reading.'),
  compute_working_set_bytes: gauge(
    'Distinct bytes touched within the window, 1m, 5m, 15m or 1h, at the last full reading.',
    'window',
  ),
  compute_average_active_sessions: gauge(
    'Statements running at a time, between the last two readings of one start.',
  ),
  compute_longest_transaction_seconds: gauge(
    'Age of the oldest open transaction of a client at the last reading; absent when there was none.',
  ),
  readings_total: ofAll.basicCounter(
    'Readings by result; skipped_… is the quiet rule at work, not an error.',
    'result',
  ),
  wakeups_caused_total: ofAll.basicCounter(
    'Wakes that Dormouse caused. By a reading: must stay 0. By a change: the service may wake a compute for it. By a warm-up, reason warm: that is what it is for.',
    'project_id reason',
  ),
  compute_awake_extension_seconds_total: basicCounter('Awake time that our own readings added.'),
  activity_lag_seconds: ofAll.basicGauge(
    'How late the service shows activity, measured; absent until it is.',
    'account',
  ),
  observer_spend_total: ofAll.basicCounter('What the awake time that readings added cost.', 'currency'),
}
