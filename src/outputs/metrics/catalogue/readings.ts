// Readings inside Postgres, and the overhead of the observer.
import {
  basicCounter,
  basicGauge,
  COMPUTE_LABELS,
  counter,
  gauge,
  selfHistogram,
  withSeriesPerCompute,
  type Family,
} from './family.ts'

export const READING_FAMILIES = {
  cacheHits: basicCounter(
    'compute_file_cache_hits_total',
    COMPUTE_LABELS,
    'Pages found in the file cache, summed over restarts of the compute.',
  ),
  cacheMisses: basicCounter(
    'compute_file_cache_misses_total',
    COMPUTE_LABELS,
    'Pages not found in the file cache, summed over restarts of the compute.',
  ),
  cacheWrites: counter(
    'compute_file_cache_writes_total',
    COMPUTE_LABELS,
    'Pages written to the file cache, summed over restarts of the compute.',
  ),
  cacheLifetimeRatio: gauge(
    'compute_file_cache_lifetime_hit_ratio',
    COMPUTE_LABELS,
    'Share of pages found in the file cache since the compute started, as it says itself; for display only, absent while it sleeps.',
  ),
  cacheUsed: gauge('compute_file_cache_used_bytes', COMPUTE_LABELS, 'File cache in use at the last reading.'),
  cacheSize: gauge(
    'compute_file_cache_size_bytes',
    COMPUTE_LABELS,
    'Limit of the file cache at the last reading.',
  ),
  connections: withSeriesPerCompute(
    4,
    basicGauge(
      'compute_connections',
      [...COMPUTE_LABELS, 'state'],
      'Client connections at the last reading, without service users and Dormouse; 0 when asleep, absent when never read.',
    ),
  ),
  maxConnections: basicGauge(
    'compute_max_connections',
    COMPUTE_LABELS,
    'Connection limit: as read, else as the preset says. It follows the least size.',
  ),
  reservedConnections: basicGauge(
    'compute_reserved_connections',
    COMPUTE_LABELS,
    'Connections of the limit that clients may not have.',
  ),
  presetMismatch: withSeriesPerCompute(
    2,
    gauge(
      'compute_preset_mismatch',
      [...COMPUTE_LABELS, 'what'],
      'Whether the last reading since the start differs from service.preset: max_connections, or file_cache that fits no size of the range. What was read is used.',
    ),
  ),
  sizeUnknown: counter(
    'current_size_unknown_total',
    COMPUTE_LABELS,
    'Readings whose file cache limit is more than 10 % away from every size of the range, so that the current size is not known.',
  ),
  readingDuration: selfHistogram(
    'reading_duration_seconds',
    ['kind'],
    'How long readings took, light or full, failed ones too.',
  ),
  readingSuccess: basicGauge(
    'compute_reading_success',
    COMPUTE_LABELS,
    'Whether the last reading that was tried succeeded; absent when none was.',
  ),
  computesUnreadable: basicGauge(
    'computes_unreadable',
    ['reason'],
    'Computes that were never read, and why: mode_off, no_dsn, failing, or not_yet while they sleep or must not be disturbed.',
  ),
  readingTimestamp: gauge(
    'compute_reading_timestamp_seconds',
    COMPUTE_LABELS,
    'The last successful reading.',
  ),
  workingSet: withSeriesPerCompute(
    4,
    gauge(
      'compute_working_set_bytes',
      [...COMPUTE_LABELS, 'window'],
      'Distinct bytes touched within the window, 1m, 5m, 15m or 1h, at the last full reading.',
    ),
  ),
  averageActive: gauge(
    'compute_average_active_sessions',
    COMPUTE_LABELS,
    'Statements running at a time, between the last two readings of one start.',
  ),
  longestTransaction: gauge(
    'compute_longest_transaction_seconds',
    COMPUTE_LABELS,
    'Age of the oldest open transaction of a client at the last reading; absent when there was none.',
  ),
  readings: basicCounter(
    'readings_total',
    ['result'],
    'Readings by result; skipped_… is the quiet rule at work, not an error.',
  ),
  wakeupsCaused: basicCounter(
    'wakeups_caused_total',
    ['project_id', 'reason'],
    'Wakes that observing caused. Must stay 0.',
  ),
  awakeExtension: basicCounter(
    'compute_awake_extension_seconds_total',
    COMPUTE_LABELS,
    'Awake time that our own readings added.',
  ),
  activityLag: basicGauge(
    'activity_lag_seconds',
    ['account'],
    'How late the service shows activity, measured; absent until it is.',
  ),
  observerSpend: basicCounter(
    'observer_spend_total',
    ['currency'],
    'What the awake time that readings added cost.',
  ),
} as const satisfies Readonly<Record<string, Family>>
