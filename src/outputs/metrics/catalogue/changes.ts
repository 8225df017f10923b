import { ofAll, ofCompute } from './family.ts'

const { basicGauge, counter, gauge } = ofCompute

export const CHANGE_FAMILIES = {
  changes_open: ofAll.basicGauge(
    'Open changes by state: proposed (waits for approval), scheduled, applying, verifying.',
    'state',
  ),
  changes_total: ofAll.basicCounter(
    'Changes that ended, by outcome: done, failed, superseded, expired, cancelled, rejected, reverted (its effect was bad, and another change takes it back), or unknown, when nobody can tell whether it took effect.',
    'kind outcome',
  ),
  verdicts_total: ofAll.selfCounter(
    'Verdicts on changes of size that policies made, since the process started: keep (readings showed nothing worse), revert (they did), undecided (it stays, because within seven days too few readings told, or the compute is deleted).',
    'verdict',
  ),
  compute_change_pending_since_timestamp_seconds: basicGauge(
    'When the open change of a kind was made; absent without one.',
    'kind',
  ),
  compute_change_last_failure_timestamp_seconds: basicGauge(
    'When a change of a kind last ended as failed or unknown; absent when none did.',
    'kind',
  ),
  compute_change_last_success_timestamp_seconds: gauge(
    'When a change of a kind was last done; absent when none was.',
    'kind',
  ),
  connections_interrupted_total: counter(
    'Client sessions that changes interrupted, without those of the pooler, counted right before each request; one without a count leaves it. Absent before the first change.',
  ),
  restarts_avoided_total: ofAll.basicCounter(
    'Changes done that restart a compute, sizing or restart, and interrupted no client session.',
  ),
  holds: ofAll.basicGauge(
    'Computes, and projects with changes of their defaults, whose open changes wait, by the reason; absent where none does.',
    'reason',
  ),
  compute_saved_total: counter(
    'Money that changes saved: the setting before each replayed over what came, less what was spent, counted up to 28 days from the change. Absent before the first change.',
    'currency',
  ),
  compute_extra_spend_total: counter(
    'Money spent beyond what the settings before changes would have cost, counted as what they saved.',
    'currency',
  ),
  saved_total: ofAll.basicCounter(
    'Money that changes saved, by the team that owned the compute when it was counted.',
    'team currency',
  ),
  extra_spend_total: ofAll.basicCounter(
    'Money spent beyond what the settings before changes would have cost, by team.',
    'team currency',
  ),
  warmups_total: ofAll.basicCounter(
    'Computes started ahead of clients, by result: used (a client came while it was awake), unused, or failed (the service did not start it). Absent before the first.',
    'account result',
  ),
  window_active: ofAll.gauge('Whether a window of the configuration is open, freezes included.', 'window'),
  brake_engaged: ofAll.basicGauge(
    'Whether a brake holds changes back. kill_switch: nothing is sent. freeze: a window in which nothing is changed is open. hold: a person holds changes of some computes. fleet: policies want to restart too many computes. breaker: changes of policies or requests to the service failed; afterwards they go one by one until one is done. demoted: the savings of a kind of change did not come. controller: something else keeps setting a compute. hold_off: policies restart nothing right after a start.',
    'brake',
  ),
}
