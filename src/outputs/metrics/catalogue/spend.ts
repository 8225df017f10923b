import { ofAll, ofCompute } from './family.ts'

const { basicCounter, gauge } = ofCompute

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
