// Budgets: what was planned, what is spent, how it may end.
import { basic, BUDGET, counter, gauge, type Family } from './family.ts'

export const BUDGETS = {
  budgetInfo: basic(
    gauge('budget_info', [...BUDGET, 'account', 'scope', 'per', 'mode'], 'Always 1; what a budget is about.'),
  ),
  budgetLimit: basic(
    gauge(
      'budget_limit',
      [...BUDGET, 'unit'],
      'What may be spent in one period; the unit is that of the budget: a currency, cu_hours or awake_hours.',
    ),
  ),
  budgetSpent: basic(
    gauge('budget_spent', [...BUDGET, 'unit'], 'Spent in the current period, the likely value.'),
  ),
  budgetSpendTotal: basic(
    counter(
      'budget_spend_total',
      [...BUDGET, 'unit'],
      'Spent over all periods, the likely value, with what is not settled yet; it never falls, so where that was too high it waits.',
    ),
  ),
  budgetForecast: basic(
    gauge(
      'budget_forecast',
      [...BUDGET, 'unit', 'percentile'],
      'What the current period may have cost at its end; absent before a day is over.',
    ),
  ),
  budgetOverrun: basic(
    gauge(
      'budget_overrun_probability',
      BUDGET,
      'How likely the current period ends above the limit; absent before a day is over.',
    ),
  ),
  budgetExhaustion: basic(
    gauge(
      'budget_exhaustion_timestamp_seconds',
      BUDGET,
      'When the limit is reached if spend runs as expected; absent once it is reached, and if not within the current period.',
    ),
  ),
  budgetPeriod: basic(
    gauge('budget_period_seconds', BUDGET, 'Length of the current period, as it really is.'),
  ),
  budgetStart: basic(
    gauge('budget_window_start_timestamp_seconds', BUDGET, 'When the current period began.'),
  ),
  budgetEnd: basic(gauge('budget_window_end_timestamp_seconds', BUDGET, 'When the current period ends.')),
  budgetMaxBurn: basic(
    gauge(
      'budget_max_burn',
      BUDGET,
      'How many times too fast the limit would be spent with every compute awake at its largest.',
    ),
  ),
  budgetExpectedBurn: basic(
    gauge(
      'budget_expected_burn',
      [...BUDGET, 'window'],
      'How fast the limit is usually spent in the window that ends now, by the hours of the week; 1 until two weeks were counted.',
    ),
  ),
  budgetTierEnabled: basic(
    gauge(
      'budget_burn_tier_enabled',
      [...BUDGET, 'window'],
      'Whether a burn worth an alert can be reached in a window; 1h, 6h and 1d.',
    ),
  ),
  budgetRung: basic(
    gauge(
      'budget_rung',
      [...BUDGET, 'rung'],
      'Whether that percentage of the limit was reached in the current period.',
    ),
  ),
  forecastError: gauge(
    'forecast_error_ratio',
    BUDGET,
    'How far the middle of such forecasts was off on own finished windows, as long as the days that are left: a mean share of what was spent.',
  ),
  forecastCoverage: gauge(
    'forecast_coverage_ratio',
    BUDGET,
    'How often p10 to p90 of such forecasts held on own finished windows; 0.8 when they are as wide as they should be.',
  ),
} as const satisfies Readonly<Record<string, Family>>
