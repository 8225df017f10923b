// Spend, and how exact it is.
import { basicCounter, basicGauge, COMPUTE_LABELS, gauge, type Family } from './family.ts'

export const SPEND_FAMILIES = {
  computeSpend: basicCounter(
    'compute_spend_total',
    [...COMPUTE_LABELS, 'currency'],
    'Money accrued, the likely value.',
  ),
  spendRate: gauge(
    'compute_spend_rate_per_hour',
    [...COMPUTE_LABELS, 'currency'],
    'Current spend per hour, the likely value; 0 while asleep.',
  ),
  unproductiveCompute: basicCounter(
    'compute_unproductive_spend_total',
    [...COMPUTE_LABELS, 'currency'],
    'Money accrued while it was awake for nothing: after its last use, for a client that only kept it awake, for upkeep, or for Dormouse.',
  ),
  unproductive: basicCounter(
    'unproductive_spend_total',
    ['team', 'currency', 'cause'],
    'Unproductive spend of all computes by cause and by the team that owned the compute at the time, without spend while autosuspend is off.',
  ),
  suspendBlocked: gauge(
    'compute_suspend_blocked',
    [...COMPUTE_LABELS, 'cause'],
    'Always 1; what keeps an awake compute from being suspended, as far as it is seen. Absent while it only waits for its delay.',
  ),
  spendUncertainty: gauge(
    'spend_uncertainty_ratio',
    ['project_id'],
    'Width of the spend of a project, (high − low) ÷ likely.',
  ),
  reconciliationError: basicGauge(
    'ledger_reconciliation_error_ratio',
    ['project_id'],
    "How far the CU-seconds metered by the service lie outside of the ledger's bounds; 0 inside, negative when the service metered less. Absent before an hour was metered.",
  ),
  assumed: gauge(
    'ledger_assumed_ratio',
    ['project_id'],
    "Share of a project's CU-time since the ledger began that is in awake intervals with an assumed start or end.",
  ),
} as const satisfies Readonly<Record<string, Family>>
