// Budgets: limit, spend, forecast.
import { basicCounter, basicGauge, BUDGET_LABELS, gauge, type Family } from './family.ts'

export const BUDGET_FAMILIES = {
  budgetInfo: basicGauge(
    'budget_info',
    [...BUDGET_LABELS, 'account', 'scope', 'per', 'mode'],
    'Always 1; what a budget is about.',
  ),
  budgetLimit: basicGauge(
    'budget_limit',
    [...BUDGET_LABELS, 'unit'],
    'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
  ),
  budgetSpent: basicGauge(
    'budget_spent',
    [...BUDGET_LABELS, 'unit'],
    'Spent in the current period, the likely value.',
  ),
  budgetSpendTotal: basicCounter(
    'budget_spend_total',
    [...BUDGET_LABELS, 'unit'],
    'Spent over all periods, the likely value, provisional usage included. It never falls: after a downward correction it stays flat until real usage catches up.',
  ),
  budgetForecast: basicGauge(
    'budget_forecast',
    [...BUDGET_LABELS, 'unit', 'percentile'],
    'What the current period may have cost at its end; absent before a day is over.',
  ),
  budgetOverrun: basicGauge(
    'budget_overrun_probability',
    BUDGET_LABELS,
    'How likely the current period ends above the limit; absent before a day is over.',
  ),
  budgetExhaustion: basicGauge(
    'budget_exhaustion_timestamp_seconds',
    BUDGET_LABELS,
    'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
  ),
  budgetPeriod: basicGauge(
    'budget_period_seconds',
    BUDGET_LABELS,
    'Length of the current period, changes of the clock included.',
  ),
  budgetStart: basicGauge(
    'budget_window_start_timestamp_seconds',
    BUDGET_LABELS,
    'When the current period began.',
  ),
  budgetEnd: basicGauge(
    'budget_window_end_timestamp_seconds',
    BUDGET_LABELS,
    'When the current period ends.',
  ),
  budgetMaxBurn: basicGauge(
    'budget_max_burn',
    BUDGET_LABELS,
    'How many times too fast the limit would be spent with every compute awake at its largest.',
  ),
  budgetExpectedBurn: basicGauge(
    'budget_expected_burn',
    [...BUDGET_LABELS, 'window'],
    'How fast the limit is usually spent in the window that ends now, by the hours of the week; 1 until two weeks were counted.',
  ),
  budgetTierEnabled: basicGauge(
    'budget_burn_tier_enabled',
    [...BUDGET_LABELS, 'window'],
    'Whether a burn rate that alerts can be reached in the window: 1h, 6h or 1d.',
  ),
  budgetRung: basicGauge(
    'budget_rung',
    [...BUDGET_LABELS, 'rung'],
    'Whether that percentage of the limit was reached in the current period.',
  ),
  forecastError: gauge(
    'forecast_error_ratio',
    BUDGET_LABELS,
    'Mean error of p50 in backtests over finished periods with as many days left, as a share of the spend.',
  ),
  forecastCoverage: gauge(
    'forecast_coverage_ratio',
    BUDGET_LABELS,
    'Share of the same backtests whose spend was between p10 and p90; 0.8 is the target.',
  ),
} as const satisfies Readonly<Record<string, Family>>
