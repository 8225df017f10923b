// Every metric Dormouse exports, in the order of the exposition: the one table that the renderer, the reference and the tests read.

export const PREFIX = 'dormouse_'

export type Family = {
  /** Without the prefix. */
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** `snapshot`: rendered from the snapshot. `self`: an event of this process, kept by the client library, 0 at its start. */
  readonly owner: 'snapshot' | 'self'
}

const COMPUTE = ['project_id', 'endpoint_id']

const gauge = (name: string, labels: readonly string[], help: string): Family => ({
  name,
  type: 'gauge',
  labels,
  help,
  owner: 'snapshot',
})
const counter = (name: string, labels: readonly string[], help: string): Family => ({
  name,
  type: 'counter',
  labels,
  help,
  owner: 'snapshot',
})
const self =
  (type: Family['type']) =>
  (name: string, labels: readonly string[], help: string): Family => ({
    name,
    type,
    labels,
    help,
    owner: 'self',
  })
const selfCounter = self('counter')
const selfGauge = self('gauge')
const selfHistogram = self('histogram')

export const CATALOGUE = {
  buildInfo: gauge('build_info', ['version', 'node_version'], 'Always 1; what is running.'),
  configInfo: gauge('config_info', ['mode'], 'Always 1; how far Dormouse may go.'),
  loopLastTick: gauge('loop_last_tick_timestamp_seconds', [], 'When the last pass began.'),
  snapshotTimestamp: gauge('snapshot_timestamp_seconds', [], 'When the state shown here was taken.'),
  series: gauge('series', [], 'Series rendered from the snapshot, this one included.'),
  computesDropped: gauge(
    'computes_dropped',
    [],
    'Computes without series of their own, because metrics.max_series is reached.',
  ),

  projectInfo: gauge(
    'project_info',
    ['project_id', 'project_name', 'region_id', 'platform_id', 'pg_version'],
    'Always 1; constant facts of a project.',
  ),
  projectCpuUsed: gauge(
    'project_cpu_used_seconds',
    ['project_id'],
    'CU-seconds as the service reports them, lagging; a gauge because the service may reset it.',
  ),

  computeInfo: gauge(
    'compute_info',
    [...COMPUTE, 'branch_id', 'type', 'region_id', 'pooler_enabled'],
    'Always 1; constant facts of a compute.',
  ),
  computeState: gauge(
    'compute_state',
    [...COMPUTE, 'state'],
    '1 for the state the compute is in: init, active, idle, or unknown when the service cannot be asked.',
  ),
  computeStatePending: gauge('compute_state_pending', COMPUTE, 'Whether a change of state is under way.'),
  computeDisabled: gauge('compute_disabled', COMPUTE, 'Whether the compute refuses connections.'),
  computeCuMin: gauge('compute_cu_min', COMPUTE, 'Least size; a fixed size is both limits.'),
  computeCuMax: gauge('compute_cu_max', COMPUTE, 'Largest size; a fixed size is both limits.'),
  computeCu: gauge(
    'compute_cu',
    [...COMPUTE, 'source'],
    'Size now, 0 when asleep; absent when a range gives no hint.',
  ),
  autosuspendEnabled: gauge(
    'compute_autosuspend_enabled',
    COMPUTE,
    'Whether the compute suspends by itself.',
  ),
  autosuspendDelay: gauge(
    'compute_autosuspend_delay_seconds',
    COMPUTE,
    'Inactivity before the service suspends; absent when it never does.',
  ),
  created: gauge('compute_created_timestamp_seconds', COMPUTE, 'When the compute was made.'),
  lastActive: gauge(
    'compute_last_active_timestamp_seconds',
    COMPUTE,
    "The service's view of the last activity; lags.",
  ),
  started: gauge('compute_started_timestamp_seconds', COMPUTE, 'The last start, where the service tells it.'),
  awakeSince: gauge(
    'compute_awake_since_timestamp_seconds',
    COMPUTE,
    'Start of the open awake interval; absent when asleep.',
  ),
  awakeSeconds: counter('compute_awake_seconds_total', COMPUTE, 'Time awake, which is what is paid for.'),
  idleTailSeconds: counter(
    'compute_idle_tail_seconds_total',
    COMPUTE,
    'Time awake after the last activity, waiting for the autosuspend delay.',
  ),
  cuSeconds: counter('compute_cu_seconds_total', COMPUTE, 'Size times time awake.'),
  wakes: counter('compute_wakes_total', COMPUTE, 'Wakes, restarts not counted.'),
  suspends: counter('compute_suspends_total', COMPUTE, 'Suspensions.'),
  restarts: counter(
    'compute_restarts_total',
    COMPUTE,
    'Restarts: the service stopped it and brought it back.',
  ),
  computes: gauge('computes', ['state'], 'Computes by state.'),

  computeSpend: counter('compute_spend_total', [...COMPUTE, 'currency'], 'Money accrued, the likely value.'),
  spendUncertainty: gauge(
    'spend_uncertainty_ratio',
    ['project_id'],
    'Width of the spend of a project, (high − low) ÷ likely.',
  ),

  budgetInfo: gauge(
    'budget_info',
    ['budget', 'account', 'scope', 'per', 'mode'],
    'Always 1; what a budget is about.',
  ),
  budgetLimit: gauge(
    'budget_limit',
    ['budget', 'unit'],
    'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
  ),
  budgetSpent: gauge('budget_spent', ['budget', 'unit'], 'Spent in the current period, the likely value.'),
  budgetSpendTotal: counter(
    'budget_spend_total',
    ['budget', 'unit'],
    'Spent over all periods, as far as it is settled: the last quarter of an hour or so is missing.',
  ),
  budgetForecast: gauge(
    'budget_forecast',
    ['budget', 'unit', 'percentile'],
    'What the current period may have cost at its end; absent before a day is over.',
  ),
  budgetOverrun: gauge(
    'budget_overrun_probability',
    ['budget'],
    'How likely the current period ends above the limit; absent before a day is over.',
  ),
  budgetExhaustion: gauge(
    'budget_exhaustion_timestamp_seconds',
    ['budget'],
    'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
  ),
  budgetPeriod: gauge('budget_period_seconds', ['budget'], 'Length of the current period, as it really is.'),
  budgetStart: gauge('budget_window_start_timestamp_seconds', ['budget'], 'When the current period began.'),
  budgetEnd: gauge('budget_window_end_timestamp_seconds', ['budget'], 'When the current period ends.'),
  budgetMaxBurn: gauge(
    'budget_max_burn',
    ['budget'],
    'How many times too fast the limit would be spent with every compute awake at its largest.',
  ),
  budgetTierEnabled: gauge(
    'budget_burn_tier_enabled',
    ['budget', 'window'],
    'Whether a burn worth an alert can be reached in a window; 1h, 6h and 1d.',
  ),
  budgetRung: gauge(
    'budget_rung',
    ['budget', 'rung'],
    'Whether that percentage of the limit was reached in the current period.',
  ),

  cacheHits: counter(
    'compute_file_cache_hits_total',
    COMPUTE,
    'Pages found in the file cache, summed over restarts of the compute.',
  ),
  cacheMisses: counter(
    'compute_file_cache_misses_total',
    COMPUTE,
    'Pages not found in the file cache, summed over restarts of the compute.',
  ),
  cacheWrites: counter(
    'compute_file_cache_writes_total',
    COMPUTE,
    'Pages written to the file cache, summed over restarts of the compute.',
  ),
  cacheUsed: gauge('compute_file_cache_used_bytes', COMPUTE, 'File cache in use at the last reading.'),
  cacheSize: gauge('compute_file_cache_size_bytes', COMPUTE, 'Limit of the file cache at the last reading.'),
  connections: gauge(
    'compute_connections',
    [...COMPUTE, 'state'],
    'Client connections at the last reading, without service users and Dormouse; 0 when asleep, absent when never read.',
  ),
  maxConnections: gauge(
    'compute_max_connections',
    COMPUTE,
    'Connection limit: as read, else as the preset says. It follows the least size.',
  ),
  reservedConnections: gauge('compute_reserved_connections', COMPUTE, 'Connections kept for superusers.'),
  readingSuccess: gauge(
    'compute_reading_success',
    COMPUTE,
    'Whether the last reading that was tried succeeded; absent when none was.',
  ),
  readingTimestamp: gauge('compute_reading_timestamp_seconds', COMPUTE, 'The last successful reading.'),
  readings: counter(
    'readings_total',
    ['result'],
    'Readings by result; skipped_… is the quiet rule at work, not an error.',
  ),
  wakeupsCaused: counter(
    'wakeups_caused_total',
    ['project_id', 'reason'],
    'Wakes that observing caused. Must stay 0.',
  ),
  awakeExtension: counter(
    'compute_awake_extension_seconds_total',
    COMPUTE,
    'Awake time that our own readings added.',
  ),
  workingSet: gauge(
    'compute_working_set_bytes',
    [...COMPUTE, 'window'],
    'Distinct bytes touched within the window, seconds, at the last full reading.',
  ),
  averageActive: gauge(
    'compute_average_active_sessions',
    COMPUTE,
    'Statements running at a time, between the last two readings of one start.',
  ),
  longestTransaction: gauge(
    'compute_longest_transaction_seconds',
    COMPUTE,
    'Age of the oldest open transaction of a client at the last reading; absent when there was none.',
  ),
  activityLag: gauge(
    'activity_lag_seconds',
    ['account'],
    'How late the service shows activity, measured; absent until it is.',
  ),
  observerSpend: counter(
    'observer_spend_total',
    ['currency'],
    'What the awake time that readings added cost.',
  ),
  apiLastRejected: gauge(
    'api_last_rejected_timestamp_seconds',
    ['key'],
    'When the service last refused the API key of an account; absent until then.',
  ),
  listAge: gauge(
    'project_list_age_seconds',
    ['key'],
    'Age of what the list tells of the project that was listed longest ago; absent before the first whole list.',
  ),
  pollBacklog: gauge(
    'poll_backlog',
    ['key', 'urgency'],
    'Projects that the last sweep left for the next one, by why their computes were to be looked at.',
  ),

  jobRuns: selfCounter('job_runs_total', ['job_name', 'result'], 'Passes by result.'),
  jobDuration: selfHistogram('job_duration_seconds', ['job_name'], 'How long a pass took.'),
  apiRequests: selfCounter(
    'api_requests_total',
    ['operation', 'code', 'priority'],
    'Requests to the service by status, or network, or timeout, and by whom they are for: verify, apply, poll, report.',
  ),
  apiDuration: selfHistogram(
    'api_request_duration_seconds',
    ['operation'],
    'How long the service took to answer.',
  ),
  apiRetries: selfCounter('api_retries_total', ['operation'], 'Repeated requests; only reads are repeated.'),
  apiLimited: selfCounter(
    'api_rate_limited_seconds_total',
    ['priority'],
    'Time that requests waited for the request budget or for a 429 to end.',
  ),
  apiRate: selfGauge(
    'api_rate_ratio',
    ['key', 'operation'],
    'Share of the request budget that 429 answers left an operation, at its last answer; it grows back over 10 minutes.',
  ),
  storeCommit: selfHistogram('store_commit_seconds', [], 'How long a commit to the store took.'),
} as const satisfies Readonly<Record<string, Family>>

export type FamilyKey = keyof typeof CATALOGUE
