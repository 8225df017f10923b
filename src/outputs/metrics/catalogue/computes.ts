// Projects and computes: facts, state, awake time, operations.
import {
  basicCounter,
  basicGauge,
  basicHistogram,
  COMPUTE_LABELS,
  counter,
  gauge,
  withSeriesPerCompute,
  type Family,
} from './family.ts'

export const COMPUTE_FAMILIES = {
  projectInfo: basicGauge(
    'project_info',
    ['project_id', 'project_name', 'region_id', 'platform_id', 'pg_version', 'team', 'tier'],
    'Always 1; constant facts of a project, and who answers for it.',
  ),
  projectCpuUsed: gauge(
    'project_cpu_used_seconds',
    ['project_id'],
    'CU-seconds as the service reports them, lagging; a gauge because the service may reset it.',
  ),
  computeInfo: basicGauge(
    'compute_info',
    [...COMPUTE_LABELS, 'branch_id', 'type', 'region_id', 'team', 'tier', 'pooler_enabled'],
    'Always 1; constant facts of a compute, and who answers for it.',
  ),
  computeState: withSeriesPerCompute(
    4,
    basicGauge(
      'compute_state',
      [...COMPUTE_LABELS, 'state'],
      '1 for the state the compute is in: init, active, idle, or unknown when the service cannot be asked.',
    ),
  ),
  computeStatePending: gauge(
    'compute_state_pending',
    COMPUTE_LABELS,
    'Whether a change of state is under way.',
  ),
  computeDisabled: gauge('compute_disabled', COMPUTE_LABELS, 'Whether the compute refuses connections.'),
  computeCuMin: basicGauge('compute_cu_min', COMPUTE_LABELS, 'Least size; a fixed size is both limits.'),
  computeCuMax: basicGauge('compute_cu_max', COMPUTE_LABELS, 'Largest size; a fixed size is both limits.'),
  computeCu: basicGauge(
    'compute_cu',
    [...COMPUTE_LABELS, 'source'],
    'Current size, 0 when asleep; absent when it is not known within a range.',
  ),
  autosuspendEnabled: basicGauge(
    'compute_autosuspend_enabled',
    COMPUTE_LABELS,
    'Whether the compute suspends by itself.',
  ),
  autosuspendDelay: basicGauge(
    'compute_autosuspend_delay_seconds',
    COMPUTE_LABELS,
    'Inactivity before the service suspends; absent when it never does.',
  ),
  created: gauge('compute_created_timestamp_seconds', COMPUTE_LABELS, 'When the compute was made.'),
  lastActive: gauge(
    'compute_last_active_timestamp_seconds',
    COMPUTE_LABELS,
    "The service's view of the last activity; lags.",
  ),
  started: gauge(
    'compute_started_timestamp_seconds',
    COMPUTE_LABELS,
    'The last start, where the service tells it.',
  ),
  awakeSince: basicGauge(
    'compute_awake_since_timestamp_seconds',
    COMPUTE_LABELS,
    'Start of the open awake interval; absent when asleep.',
  ),
  awakeSeconds: basicCounter(
    'compute_awake_seconds_total',
    COMPUTE_LABELS,
    'Time awake, which is what is paid for.',
  ),
  idleTailSeconds: basicCounter(
    'compute_idle_tail_seconds_total',
    COMPUTE_LABELS,
    'Time awake after the last activity, waiting for the autosuspend delay.',
  ),
  cuSeconds: basicCounter('compute_cu_seconds_total', COMPUTE_LABELS, 'Size times time awake.'),
  wakes: basicCounter('compute_wakes_total', COMPUTE_LABELS, 'Wakes, restarts not counted.'),
  wakesBy: basicCounter(
    'wakes_total',
    ['initiator'],
    'Wakes of all computes by who caused them: dormouse, or unknown, because the service names nobody.',
  ),
  wakeLatency: basicHistogram(
    'wake_latency_seconds',
    ['region_id'],
    'How long the service took to start computes that slept, from its own record of each start. First starts, restarts and starts without a duration are left out.',
  ),
  suspends: counter('compute_suspends_total', COMPUTE_LABELS, 'Suspensions.'),
  restarts: counter(
    'compute_restarts_total',
    COMPUTE_LABELS,
    'Restarts: the service stopped it and brought it back.',
  ),
  operationsEnded: counter(
    'operations_total',
    ['action', 'status'],
    'Finished operations of the service on known computes, by status; a label value appears with its first operation.',
  ),
  operationFailures: basicCounter(
    'operation_failures_total',
    ['action'],
    'Failed attempts of finished operations.',
  ),
  operationsInProgress: gauge(
    'operations_in_progress',
    ['project_id', 'action'],
    'Operations of the service in progress, as far as they were read; absent when there is none.',
  ),
  operationOldest: basicGauge(
    'operation_oldest_in_progress_timestamp_seconds',
    ['project_id', 'action'],
    'When the oldest operation in progress began; one that does not end is followed for a day.',
  ),
  computes: basicGauge('computes', ['state'], 'Computes by state.'),
} as const satisfies Readonly<Record<string, Family>>
