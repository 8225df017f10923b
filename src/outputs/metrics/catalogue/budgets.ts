import { ofBudget } from './family.ts'

const { basicCounter, basicGauge, gauge } = ofBudget

export const BUDGET_FAMILIES = {
  budget_info: basicGauge('Always 1; what a budget is about.', 'account scope per mode'),
  budget_limit: basicGauge(
    'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
    'unit',
  ),
  budget_spent: basicGauge('Spent in the current period, the likely value.', 'unit'),
  budget_spend_total: basicCounter(
    'Spent over all periods, the likely value, provisional usage included. It never falls: after a downward correction it stays flat until real usage catches up. It does not grow by what a compute used before it was first seen.',
    'unit',
  ),
  budget_forecast: basicGauge(
    'What the current period may have cost at its end; absent before a day is over.',
    'unit percentile',
  ),
  budget_overrun_probability: basicGauge(
    'How likely the current period ends above the limit; absent before a day is over.',
  ),
  budget_exhaustion_timestamp_seconds: basicGauge(
    'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
  ),
  budget_period_seconds: basicGauge('Length of the current period, changes of the clock included.'),
  budget_window_start_timestamp_seconds: basicGauge('When the current period began.'),
  budget_window_end_timestamp_seconds: basicGauge('When the current period ends.'),
  budget_max_burn: basicGauge(
    'How many times too fast the limit would be spent with every compute awake at its largest.',
  ),
  budget_expected_burn: basicGauge(
    'How fast the limit is usually spent in the window that ends now, by the hours of the week; 1 until two weeks were counted.',
    'window',
  ),
  budget_burn_tier_enabled: basicGauge(
    'Whether a burn rate that alerts can be reached in the window: 1h, 6h or 1d.',
    'window',
  ),
  budget_rung: basicGauge('Whether that percentage of the limit was reached in the current period.', 'rung'),
  forecast_error_ratio: gauge(
    'Mean error of p50 in backtests over finished periods with as many days left, as a share of the spend.',
  ),
  forecast_coverage_ratio: gauge(
    'Share of the same backtests whose spend was between p10 and p90; 0.8 is the target.',
  ),
}
