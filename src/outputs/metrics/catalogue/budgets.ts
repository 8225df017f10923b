// Budgets: what was planned, what is spent, how it may end.
import { inBasicDetail, BUDGET_LABELS, counter, gauge, type Family } from './family.ts'

export const BUDGET_FAMILIES = {
  budgetInfo: inBasicDetail(
    gauge(
      'budget_info',
      [...BUDGET_LABELS, 'account', 'scope', 'per', 'mode'],
      'Always 1; what a budget is about.',
    ),
  ),
  budgetLimit: inBasicDetail(
    gauge(
      'budget_limit',
      [...BUDGET_LABELS, 'unit'],
      'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
    ),
  ),
  budgetSpent: inBasicDetail(
    gauge('budget_spent', [...BUDGET_LABELS, 'unit'], 'Spent in the current period, the likely value.'),
  ),
  budgetSpendTotal: inBasicDetail(
    counter(
      'budget_spend_total',
      [...BUDGET_LABELS, 'unit'],
      'Spent over all periods, the likely value, with what is not settled yet; it never falls, so where that was too high it waits.',
    ),
  ),
  budgetForecast: inBasicDetail(
    gauge(
      'budget_forecast',
      [...BUDGET_LABELS, 'unit', 'percentile'],
      'What the current period may have cost at its end; absent before a day is over.',
    ),
  ),
  budgetOverrun: inBasicDetail(
    gauge(
      'budget_overrun_probability',
      BUDGET_LABELS,
      'How likely the current period ends above the limit; absent before a day is over.',
    ),
  ),
  budgetExhaustion: inBasicDetail(
    gauge(
      'budget_exhaustion_timestamp_seconds',
      BUDGET_LABELS,
      'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
    ),
  ),
  budgetPeriod: inBasicDetail(
    gauge('budget_period_seconds', BUDGET_LABELS, 'Length of the current period, as it really is.'),
  ),
  budgetStart: inBasicDetail(
    gauge('budget_window_start_timestamp_seconds', BUDGET_LABELS, 'When the current period began.'),
  ),
  budgetEnd: inBasicDetail(
    gauge('budget_window_end_timestamp_seconds', BUDGET_LABELS, 'When the current period ends.'),
  ),
  budgetMaxBurn: inBasicDetail(
    gauge(
      'budget_max_burn',
      BUDGET_LABELS,
      'How many times too fast the limit would be spent with every compute awake at its largest.',
    ),
  ),
  budgetExpectedBurn: inBasicDetail(
    gauge(
      'budget_expected_burn',
      [...BUDGET_LABELS, 'window'],
      'How fast the limit is usually spent in the window that ends now, by the hours of the week; 1 until two weeks were counted.',
    ),
  ),
  budgetTierEnabled: inBasicDetail(
    gauge(
      'budget_burn_tier_enabled',
      [...BUDGET_LABELS, 'window'],
      'Whether a burn worth an alert can be reached in a window; 1h, 6h and 1d.',
    ),
  ),
  budgetRung: inBasicDetail(
    gauge(
      'budget_rung',
      [...BUDGET_LABELS, 'rung'],
      'Whether that percentage of the limit was reached in the current period.',
    ),
  ),
  forecastError: gauge(
    'forecast_error_ratio',
    BUDGET_LABELS,
    'How far the middle of such forecasts was off on own finished windows, as long as the days that are left: a mean share of what was spent.',
  ),
  forecastCoverage: gauge(
    'forecast_coverage_ratio',
    BUDGET_LABELS,
    'How often p10 to p90 of such forecasts held on own finished windows; 0.8 when they are as wide as they should be.',
  ),
} as const satisfies Readonly<Record<string, Family>>
