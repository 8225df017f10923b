// Projects and computes: facts, state, awake time, operations.
import { basicCounter, basicGauge, basicHistogram, COMPUTE_LABELS, counter, gauge } from './family.ts'

export const COMPUTE_FAMILIES = {
  project_info: basicGauge(
    ['project_id', 'project_name', 'region_id', 'platform_id', 'pg_version', 'team', 'tier'],
    'Always 1; constant facts of a project, and who answers for it.',
  ),
  project_cpu_used_seconds: gauge(
    ['project_id'],
    'CU-seconds as the service reports them, lagging; a gauge because the service may reset it.',
  ),
  compute_info: basicGauge(
    [...COMPUTE_LABELS, 'branch_id', 'type', 'region_id', 'team', 'tier', 'pooler_enabled'],
    'Always 1; constant facts of a compute, and who answers for it.',
  ),
  compute_state: basicGauge(
    [...COMPUTE_LABELS, 'state'],
    '1 for the state the compute is in: init, active, idle, or unknown when the service cannot be asked.',
  ),
  compute_state_pending: gauge(COMPUTE_LABELS, 'Whether a change of state is under way.'),
  compute_disabled: gauge(COMPUTE_LABELS, 'Whether the compute refuses connections.'),
  compute_cu_min: basicGauge(COMPUTE_LABELS, 'Least size; a fixed size is both limits.'),
  compute_cu_max: basicGauge(COMPUTE_LABELS, 'Largest size; a fixed size is both limits.'),
  compute_cu: basicGauge(
    [...COMPUTE_LABELS, 'source'],
    'Current size, 0 when asleep; absent when it is not known within a range.',
  ),
  compute_autosuspend_enabled: basicGauge(COMPUTE_LABELS, 'Whether the compute suspends by itself.'),
  compute_autosuspend_delay_seconds: basicGauge(
    COMPUTE_LABELS,
    'Inactivity before the service suspends; absent when it never does.',
  ),
  compute_created_timestamp_seconds: gauge(COMPUTE_LABELS, 'When the compute was made.'),
  compute_last_active_timestamp_seconds: gauge(
    COMPUTE_LABELS,
    "The service's view of the last activity; lags.",
  ),
  compute_started_timestamp_seconds: gauge(COMPUTE_LABELS, 'The last start, where the service tells it.'),
  compute_awake_since_timestamp_seconds: basicGauge(
    COMPUTE_LABELS,
    'Start of the open awake interval; absent when asleep.',
  ),
  compute_awake_seconds_total: basicCounter(COMPUTE_LABELS, 'Time awake, which is what is paid for.'),
  compute_idle_tail_seconds_total: basicCounter(
    COMPUTE_LABELS,
    'Time awake after the last activity, waiting for the autosuspend delay.',
  ),
  compute_cu_seconds_total: basicCounter(COMPUTE_LABELS, 'Size times time awake.'),
  compute_wakes_total: basicCounter(COMPUTE_LABELS, 'Wakes, restarts not counted.'),
  wakes_total: basicCounter(
    ['initiator'],
    'Wakes of all computes by who caused them: dormouse, or unknown, because the service names nobody.',
  ),
  wake_latency_seconds: basicHistogram(
    ['region_id'],
    'How long the service took to start computes that slept, from its own record of each start. First starts, restarts and starts without a duration are left out.',
  ),
  compute_suspends_total: counter(COMPUTE_LABELS, 'Suspensions.'),
  compute_restarts_total: counter(COMPUTE_LABELS, 'Restarts: the service stopped it and brought it back.'),
  operations_total: counter(
    ['action', 'status'],
    'Finished operations of the service on known computes, by status; a label value appears with its first operation.',
  ),
  operation_failures_total: basicCounter(['action'], 'Failed attempts of finished operations.'),
  operations_in_progress: gauge(
    ['project_id', 'action'],
    'Operations of the service in progress, as far as they were read; absent when there is none.',
  ),
  operation_oldest_in_progress_timestamp_seconds: basicGauge(
    ['project_id', 'action'],
    'When the oldest operation in progress began; one that does not end is followed for a day.',
  ),
  computes: basicGauge(['state'], 'Computes by state.'),
}
