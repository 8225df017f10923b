import { ofAll, ofCompute } from './family.ts'

const { basicCounter, basicGauge, counter, gauge } = ofCompute

export const COMPUTE_FAMILIES = {
  project_info: ofAll.basicGauge(
    'Always 1; constant facts of a project, and who answers for it.',
    'project_id project_name region_id platform_id pg_version team tier',
  ),
  project_cpu_used_seconds: ofAll.gauge(
    'CU-seconds as the service reports them, lagging; a gauge because the service may reset it.',
    'project_id',
  ),
  compute_info: basicGauge(
    'Always 1; constant facts of a compute, and who answers for it.',
    'branch_id type region_id team tier pooler_enabled',
  ),
  compute_state: basicGauge(
    '1 for the state the compute is in: init, active, idle, or unknown when the service cannot be asked.',
    'state',
  ),
  compute_state_pending: gauge('Whether a change of state is under way.'),
  compute_disabled: gauge('Whether the compute refuses connections.'),
  compute_cu_min: basicGauge('Least size; a fixed size is both limits.'),
  compute_cu_max: basicGauge('Largest size; a fixed size is both limits.'),
  compute_cu: basicGauge(
    'Current size, 0 when asleep; absent when it is not known within a range.',
    'source',
  ),
  compute_autosuspend_enabled: basicGauge('Whether the compute suspends by itself.'),
  compute_autosuspend_delay_seconds: basicGauge(
    'Inactivity before the service suspends; absent when it never does.',
  ),
  compute_created_timestamp_seconds: gauge('When the compute was made.'),
  compute_last_active_timestamp_seconds: gauge("The service's view of the last activity; lags."),
  compute_started_timestamp_seconds: gauge('The last start, where the service tells it.'),
  compute_awake_since_timestamp_seconds: basicGauge('Start of the open awake interval; absent when asleep.'),
  compute_awake_seconds_total: basicCounter('Time awake, which is what is paid for.'),
  compute_idle_tail_seconds_total: basicCounter(
    'Time awake after the last activity, waiting for the autosuspend delay.',
  ),
  compute_cu_seconds_total: basicCounter('Size times time awake.'),
  compute_wakes_total: basicCounter('Wakes, restarts not counted.'),
  wakes_total: ofAll.basicCounter(
    'Wakes of all computes by who caused them: dormouse by a reading, change inside a change of Dormouse, warm-up by a start ahead of a client, or unknown, because the service names nobody.',
    'initiator',
  ),
  wake_latency_seconds: ofAll.basicHistogram(
    'How long the service took to start computes that slept, from its own record of each start. First starts, restarts and starts without a duration are left out.',
    'region_id',
  ),
  compute_suspends_total: counter('Suspensions.'),
  compute_restarts_total: counter('Restarts: the service stopped it and brought it back.'),
  operations_total: ofAll.counter(
    'Finished operations of the service on known computes, by status; a label value appears with its first operation.',
    'action status',
  ),
  operation_failures_total: ofAll.basicCounter('Failed attempts of finished operations.', 'action'),
  operations_in_progress: ofAll.gauge(
    'Operations of the service in progress, as far as they were read; absent when there is none.',
    'project_id action',
  ),
  operation_oldest_in_progress_timestamp_seconds: ofAll.basicGauge(
    'When the oldest operation in progress began; one that does not end is followed for a day.',
    'project_id action',
  ),
  computes: ofAll.basicGauge('Computes by state.', 'state'),
}

export const SPEND_FAMILIES = {
  compute_spend_total: basicCounter('Money accrued, the likely value.', 'currency'),
  compute_spend_rate_per_hour: gauge('Current spend per hour, the likely value; 0 while asleep.', 'currency'),
  compute_unproductive_spend_total: basicCounter(
    'Money accrued while it was awake for nothing: after its last use, for a client that only kept it awake, for upkeep, or for Dormouse.',
    'currency',
  ),
  unproductive_spend_total: ofAll.basicCounter(
    'Unproductive spend of all computes by cause and by the team that owned the compute at the time, without spend while autosuspend is off.',
    'team currency cause',
  ),
  compute_suspend_blocked: gauge(
    'Always 1; what keeps an awake compute from being suspended, as far as it is seen. Absent while it only waits for its delay.',
    'cause',
  ),
  spend_uncertainty_ratio: ofAll.gauge(
    'Width of the spend of a project, (high − low) ÷ likely.',
    'project_id',
  ),
  ledger_reconciliation_error_ratio: ofAll.basicGauge(
    "How far the CU-seconds metered by the service lie outside of the ledger's bounds; 0 inside, negative when the service metered less. Absent before an hour was metered.",
    'project_id',
  ),
  ledger_assumed_ratio: ofAll.gauge(
    "Share of a project's CU-time since the ledger began that is in awake intervals with an assumed start or end.",
    'project_id',
  ),
}
