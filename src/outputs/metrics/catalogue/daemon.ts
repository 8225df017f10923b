// The daemon itself: build, configuration, passes, store, listeners.
import { gauge, selfCounter, selfGauge, selfHistogram, type Family } from './family.ts'

export const DAEMON_FAMILIES = {
  buildInfo: gauge('build_info', ['version', 'node_version', 'tzdata'], 'Always 1; what is running.'),
  configInfo: gauge(
    'config_info',
    ['hash', 'mode'],
    'Always 1; the configuration in effect, told apart by a digest of it, and how far Dormouse may go.',
  ),
  configReloaded: selfGauge(
    'config_last_reload_successful',
    [],
    'Whether the configuration was taken over when it was last read.',
  ),
  configReloadTime: selfGauge(
    'config_last_reload_success_timestamp_seconds',
    [],
    'When the configuration in effect was taken over.',
  ),
  loopLastTick: gauge('loop_last_tick_timestamp_seconds', [], 'When the last pass began.'),
  snapshotTimestamp: gauge('snapshot_timestamp_seconds', [], 'When the state shown here was taken.'),
  series: selfGauge('series', [], 'Series of the snapshot, as last rendered.'),
  seriesDropped: selfCounter(
    'series_dropped_total',
    ['family'],
    'Series that metrics.max_series left out, at most, summed over snapshots.',
  ),
  seriesDuplicate: selfCounter(
    'series_duplicate_total',
    ['family'],
    'Series left out because a later one has the same labels; each is a fault of Dormouse.',
  ),
  renderDuration: selfGauge(
    'render_duration_seconds',
    [],
    'How long the last rendering of a snapshot took, with its pauses.',
  ),
  renderErrors: selfCounter(
    'render_errors_total',
    ['family'],
    'Metrics that could not be rendered and were left out; each is a fault of Dormouse.',
  ),
  selfMetricsError: selfGauge(
    'self_metrics_error',
    [],
    'Whether the metrics of the process itself could not be read for this scrape; then they are not in it.',
  ),
  httpRequests: selfCounter('http_requests_total', ['route', 'code'], 'Answers of both listeners.'),
  httpDuration: selfHistogram(
    'http_request_duration_seconds',
    ['route'],
    'How long an answer took until its body began.',
  ),
  computesDropped: gauge(
    'computes_dropped',
    [],
    'Computes without series of their own, because of metrics.max_series or metrics.per_compute.',
  ),
  jobSuccess: gauge(
    'job_last_success_timestamp_seconds',
    ['job_name'],
    'When the last successful run ended, of the account that is furthest behind; absent before the first.',
  ),
  jobNext: gauge('job_next_run_timestamp_seconds', ['job_name'], 'When the next run begins.'),
  jobDeadline: gauge(
    'job_deadline_timestamp_seconds',
    ['job_name'],
    'When a run should have succeeded again; after that the metrics are not reliable.',
  ),
  jobRuns: selfCounter('job_runs_total', ['job_name', 'result'], 'Passes by result.'),
  passStageDuration: selfHistogram(
    'pass_stage_duration_seconds',
    ['stage'],
    'How long a stage of a pass took.',
  ),
  jobDuration: selfHistogram('job_duration_seconds', ['job_name'], 'How long a pass took.'),
  storeCommit: selfHistogram('store_commit_seconds', [], 'How long a commit to the store took.'),
} as const satisfies Readonly<Record<string, Family>>
