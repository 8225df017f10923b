// Projects and computes: facts, state, time awake.
import { basic, times, COMPUTE, counter, gauge, histogram, type Family } from './family.ts'

export const COMPUTES = {
  projectInfo: basic(
    gauge(
      'project_info',
      ['project_id', 'project_name', 'region_id', 'platform_id', 'pg_version', 'team', 'tier'],
      'Always 1; constant facts of a project, and who answers for it.',
    ),
  ),
  projectCpuUsed: gauge(
    'project_cpu_used_seconds',
    ['project_id'],
    'CU-seconds as the service reports them, lagging; a gauge because the service may reset it.',
  ),
  computeInfo: basic(
    gauge(
      'compute_info',
      [...COMPUTE, 'branch_id', 'type', 'region_id', 'team', 'tier', 'pooler_enabled'],
      'Always 1; constant facts of a compute, and who answers for it.',
    ),
  ),
  computeState: basic(
    times(
      4,
      gauge(
        'compute_state',
        [...COMPUTE, 'state'],
        '1 for the state the compute is in: init, active, idle, or unknown when the service cannot be asked.',
      ),
    ),
  ),
  computeStatePending: gauge('compute_state_pending', COMPUTE, 'Whether a change of state is under way.'),
  computeDisabled: gauge('compute_disabled', COMPUTE, 'Whether the compute refuses connections.'),
  computeCuMin: basic(gauge('compute_cu_min', COMPUTE, 'Least size; a fixed size is both limits.')),
  computeCuMax: basic(gauge('compute_cu_max', COMPUTE, 'Largest size; a fixed size is both limits.')),
  computeCu: basic(
    gauge(
      'compute_cu',
      [...COMPUTE, 'source'],
      'Size now, 0 when asleep; absent when a range gives no hint.',
    ),
  ),
  autosuspendEnabled: basic(
    gauge('compute_autosuspend_enabled', COMPUTE, 'Whether the compute suspends by itself.'),
  ),
  autosuspendDelay: basic(
    gauge(
      'compute_autosuspend_delay_seconds',
      COMPUTE,
      'Inactivity before the service suspends; absent when it never does.',
    ),
  ),
  created: gauge('compute_created_timestamp_seconds', COMPUTE, 'When the compute was made.'),
  lastActive: gauge(
    'compute_last_active_timestamp_seconds',
    COMPUTE,
    "The service's view of the last activity; lags.",
  ),
  started: gauge('compute_started_timestamp_seconds', COMPUTE, 'The last start, where the service tells it.'),
  awakeSince: basic(
    gauge(
      'compute_awake_since_timestamp_seconds',
      COMPUTE,
      'Start of the open awake interval; absent when asleep.',
    ),
  ),
  awakeSeconds: basic(
    counter('compute_awake_seconds_total', COMPUTE, 'Time awake, which is what is paid for.'),
  ),
  idleTailSeconds: basic(
    counter(
      'compute_idle_tail_seconds_total',
      COMPUTE,
      'Time awake after the last activity, waiting for the autosuspend delay.',
    ),
  ),
  cuSeconds: basic(counter('compute_cu_seconds_total', COMPUTE, 'Size times time awake.')),
  wakes: basic(counter('compute_wakes_total', COMPUTE, 'Wakes, restarts not counted.')),
  wakesBy: basic(
    counter(
      'wakes_total',
      ['initiator'],
      'Wakes of all computes by who caused them: dormouse, or unknown, because the service names nobody.',
    ),
  ),
  wakeLatency: basic(
    histogram(
      'wake_latency_seconds',
      ['region_id'],
      'How long the service took to start computes that slept, from its own record of each start; first starts and restarts are not among them, nor starts of which it tells no duration.',
    ),
  ),
  suspends: counter('compute_suspends_total', COMPUTE, 'Suspensions.'),
  restarts: counter(
    'compute_restarts_total',
    COMPUTE,
    'Restarts: the service stopped it and brought it back.',
  ),
  operationsEnded: counter(
    'operations_total',
    ['action', 'status'],
    'Operations of the service on computes that were known before, by what became of them; a label value is there from its first one.',
  ),
  operationFailures: basic(counter('operation_failures_total', ['action'], 'Attempts of these that failed.')),
  operationsInProgress: gauge(
    'operations_in_progress',
    ['project_id', 'action'],
    'Operations of the service that go on, as far as they were read; absent when none does.',
  ),
  operationOldest: basic(
    gauge(
      'operation_oldest_in_progress_timestamp_seconds',
      ['project_id', 'action'],
      'When the oldest of them began; one that does not end is asked about for a day.',
    ),
  ),
  computes: basic(gauge('computes', ['state'], 'Computes by state.')),
} as const satisfies Readonly<Record<string, Family>>
