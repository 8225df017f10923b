// Readings inside Postgres, and the overhead of the observer.
import { basicCounter, basicGauge, COMPUTE_LABELS, counter, gauge, selfHistogram } from './family.ts'

export const READING_FAMILIES = {
  compute_file_cache_hits_total: basicCounter(
    COMPUTE_LABELS,
    'Pages found in the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_misses_total: basicCounter(
    COMPUTE_LABELS,
    'Pages not found in the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_writes_total: counter(
    COMPUTE_LABELS,
    'Pages written to the file cache, summed over restarts of the compute.',
  ),
  compute_file_cache_lifetime_hit_ratio: gauge(
    COMPUTE_LABELS,
    'Share of pages found in the file cache since the compute started, as it says itself; for display only, absent while it sleeps.',
  ),
  compute_file_cache_used_bytes: gauge(COMPUTE_LABELS, 'File cache in use at the last reading.'),
  compute_file_cache_size_bytes: gauge(COMPUTE_LABELS, 'Limit of the file cache at the last reading.'),
  compute_connections: basicGauge(
    [...COMPUTE_LABELS, 'state'],
    'Client connections at the last reading, without service users and Dormouse; 0 when asleep, absent when never read.',
  ),
  compute_max_connections: basicGauge(
    COMPUTE_LABELS,
    'Connection limit: as read, else as the preset says. It follows the least size.',
  ),
  compute_reserved_connections: basicGauge(
    COMPUTE_LABELS,
    'Connections of the limit that clients may not have.',
  ),
  compute_preset_mismatch: gauge(
    [...COMPUTE_LABELS, 'what'],
    'Whether the last reading since the start differs from service.preset: max_connections, or file_cache that fits no size of the range. What was read is used.',
  ),
  current_size_unknown_total: counter(
    COMPUTE_LABELS,
    'Readings whose file cache limit is more than 10 % away from every size of the range, so that the current size is not known.',
  ),
  reading_duration_seconds: selfHistogram(
    ['kind'],
    'How long readings took, light or full, failed ones too.',
  ),
  compute_reading_success: basicGauge(
    COMPUTE_LABELS,
    'Whether the last reading that was tried succeeded; absent when none was.',
  ),
  computes_unreadable: basicGauge(
    ['reason'],
    'Computes that were never read, and why: mode_off, no_dsn, failing, or not_yet while they sleep or must not be disturbed.',
  ),
  compute_reading_timestamp_seconds: gauge(COMPUTE_LABELS, 'The last successful reading.'),
  compute_working_set_bytes: gauge(
    [...COMPUTE_LABELS, 'window'],
    'Distinct bytes touched within the window, 1m, 5m, 15m or 1h, at the last full reading.',
  ),
  compute_average_active_sessions: gauge(
    COMPUTE_LABELS,
    'Statements running at a time, between the last two readings of one start.',
  ),
  compute_longest_transaction_seconds: gauge(
    COMPUTE_LABELS,
    'Age of the oldest open transaction of a client at the last reading; absent when there was none.',
  ),
  readings_total: basicCounter(
    ['result'],
    'Readings by result; skipped_… is the quiet rule at work, not an error.',
  ),
  wakeups_caused_total: basicCounter(['project_id', 'reason'], 'Wakes that observing caused. Must stay 0.'),
  compute_awake_extension_seconds_total: basicCounter(
    COMPUTE_LABELS,
    'Awake time that our own readings added.',
  ),
  activity_lag_seconds: basicGauge(
    ['account'],
    'How late the service shows activity, measured; absent until it is.',
  ),
  observer_spend_total: basicCounter(['currency'], 'What the awake time that readings added cost.'),
}
