// Spend, and how exact it is.
import { basicCounter, basicGauge, COMPUTE_LABELS, gauge } from './family.ts'

export const SPEND_FAMILIES = {
  compute_spend_total: basicCounter([...COMPUTE_LABELS, 'currency'], 'Money accrued, the likely value.'),
  compute_spend_rate_per_hour: gauge(
    [...COMPUTE_LABELS, 'currency'],
    'Current spend per hour, the likely value; 0 while asleep.',
  ),
  compute_unproductive_spend_total: basicCounter(
    [...COMPUTE_LABELS, 'currency'],
    'Money accrued while it was awake for nothing: after its last use, for a client that only kept it awake, for upkeep, or for Dormouse.',
  ),
  unproductive_spend_total: basicCounter(
    ['team', 'currency', 'cause'],
    'Unproductive spend of all computes by cause and by the team that owned the compute at the time, without spend while autosuspend is off.',
  ),
  compute_suspend_blocked: gauge(
    [...COMPUTE_LABELS, 'cause'],
    'Always 1; what keeps an awake compute from being suspended, as far as it is seen. Absent while it only waits for its delay.',
  ),
  spend_uncertainty_ratio: gauge(['project_id'], 'Width of the spend of a project, (high − low) ÷ likely.'),
  ledger_reconciliation_error_ratio: basicGauge(
    ['project_id'],
    "How far the CU-seconds metered by the service lie outside of the ledger's bounds; 0 inside, negative when the service metered less. Absent before an hour was metered.",
  ),
  ledger_assumed_ratio: gauge(
    ['project_id'],
    "Share of a project's CU-time since the ledger began that is in awake intervals with an assumed start or end.",
  ),
}
