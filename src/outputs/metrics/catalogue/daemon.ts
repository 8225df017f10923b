import { ofAll } from './family.ts'

const { gauge, selfCounter, selfGauge, selfHistogram } = ofAll

export const DAEMON_FAMILIES = {
  build_info: gauge('Always 1; what is running.', 'version node_version tzdata'),
  config_info: gauge(
    'Always 1; the configuration in effect, told apart by a digest of it, and how far Dormouse may go.',
    'hash mode',
  ),
  config_insecure: gauge(
    'Always 1; a setting in effect that gives up encryption or authentication, such as accounts.main.',
    'setting',
  ),
  config_last_reload_successful: selfGauge('Whether the configuration was taken over when it was last read.'),
  config_last_reload_success_timestamp_seconds: selfGauge('When the configuration in effect was taken over.'),
  loop_last_tick_timestamp_seconds: gauge('When the last pass began.'),
  snapshot_timestamp_seconds: gauge('When the state shown here was taken.'),
  series: selfGauge('Series of the snapshot, as last rendered.'),
  series_dropped_total: selfCounter(
    'Series that metrics.max_series left out, at most, summed over snapshots.',
    'family',
  ),
  series_duplicate_total: selfCounter(
    'Series left out because a later one has the same labels; each is a fault of Dormouse.',
    'family',
  ),
  render_duration_seconds: selfGauge('How long the last rendering of a snapshot took, with its pauses.'),
  render_errors_total: selfCounter(
    'Metrics that could not be rendered and were left out; each is a fault of Dormouse.',
    'family',
  ),
  self_metrics_error: selfGauge(
    'Whether the metrics of the process itself could not be read for this scrape; then they are not in it.',
  ),
  http_requests_total: selfCounter('Answers of both listeners.', 'route code'),
  http_request_duration_seconds: selfHistogram('How long an answer took until its body began.', 'route'),
  http_connections_refused_total: selfCounter(
    'Connections beyond a limit of a listener (telemetry, api), which may ask for health only; limit: address (16 of one), listener (56 of all).',
    'listener limit',
  ),
  computes_dropped: gauge(
    'Computes without series of their own, because of metrics.max_series or metrics.per_compute.',
  ),
  job_last_success_timestamp_seconds: gauge(
    'When the last successful run ended, of the account that is furthest behind; absent before the first.',
    'job_name',
  ),
  job_next_run_timestamp_seconds: gauge('When the next run begins.', 'job_name'),
  job_deadline_timestamp_seconds: gauge(
    'When a run should have succeeded again; after that the metrics are not reliable.',
    'job_name',
  ),
  job_runs_total: selfCounter('Passes by result.', 'job_name result'),
  pass_stage_duration_seconds: selfHistogram('How long a stage of a pass took.', 'stage'),
  job_duration_seconds: selfHistogram('How long a pass took.', 'job_name'),
  store_commit_seconds: selfHistogram('How long a commit to the store took.'),
}
