// Budgets: limit, spend, forecast.
import { basicCounter, basicGauge, BUDGET_LABELS, gauge } from './family.ts'

export const BUDGET_FAMILIES = {
  budget_info: basicGauge(
    [...BUDGET_LABELS, 'account', 'scope', 'per', 'mode'],
    'Always 1; what a budget is about.',
  ),
  budget_limit: basicGauge(
    [...BUDGET_LABELS, 'unit'],
    'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
  ),
  budget_spent: basicGauge([...BUDGET_LABELS, 'unit'], 'Spent in the current period, the likely value.'),
  budget_spend_total: basicCounter(
    [...BUDGET_LABELS, 'unit'],
    'Spent over all periods, the likely value, provisional usage included. It never falls: after a downward correction it stays flat until real usage catches up.',
  ),
  budget_forecast: basicGauge(
    [...BUDGET_LABELS, 'unit', 'percentile'],
    'What the current period may have cost at its end; absent before a day is over.',
  ),
  budget_overrun_probability: basicGauge(
    BUDGET_LABELS,
    'How likely the current period ends above the limit; absent before a day is over.',
  ),
  budget_exhaustion_timestamp_seconds: basicGauge(
    BUDGET_LABELS,
    'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
  ),
  budget_period_seconds: basicGauge(
    BUDGET_LABELS,
    'Length of the current period, changes of the clock included.',
  ),
  budget_window_start_timestamp_seconds: basicGauge(BUDGET_LABELS, 'When the current period began.'),
  budget_window_end_timestamp_seconds: basicGauge(BUDGET_LABELS, 'When the current period ends.'),
  budget_max_burn: basicGauge(
    BUDGET_LABELS,
    'How many times too fast the limit would be spent with every compute awake at its largest.',
  ),
  budget_expected_burn: basicGauge(
    [...BUDGET_LABELS, 'window'],
    'How fast the limit is usually spent in the window that ends now, by the hours of the week; 1 until two weeks were counted.',
  ),
  budget_burn_tier_enabled: basicGauge(
    [...BUDGET_LABELS, 'window'],
    'Whether a burn rate that alerts can be reached in the window: 1h, 6h or 1d.',
  ),
  budget_rung: basicGauge(
    [...BUDGET_LABELS, 'rung'],
    'Whether that percentage of the limit was reached in the current period.',
  ),
  forecast_error_ratio: gauge(
    BUDGET_LABELS,
    'Mean error of p50 in backtests over finished periods with as many days left, as a share of the spend.',
  ),
  forecast_coverage_ratio: gauge(
    BUDGET_LABELS,
    'Share of the same backtests whose spend was between p10 and p90; 0.8 is the target.',
  ),
}
