// Alerts on budgets: burn rate, forecast, limit.
import { BURN_RECORDINGS, BURN_RULES } from './burn.ts'
import { BY_LABELS, metricName, type RuleGroup } from './rule.ts'
import type { FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

const BUDGET = 'Budget {{ $labels.budget }}'
const ofBudget = (key: FamilyKey): string => `max ${BY_LABELS.budget} (${metricName(key)})`
/** In the unit of the budget. */
const ofLimit = (key: 'budget_spent' | 'budget_limit'): string =>
  `max by (budget, team, tier, unit) (${metricName(key)})`

/** Kept firing for an hour: the probability changes with every day of history and would make the alert flap. */
const FORECAST = {
  name: 'BudgetForecastExceeded',
  about: 'budget',
  keepFiringFor: '1h',
  summary: `${BUDGET} will be exceeded with a probability of {{ $value | humanizePercentage }}.`,
} as const

export const BUDGET_RULES: RuleGroup = {
  name: 'dormouse-budgets',
  recordings: BURN_RECORDINGS,
  rules: [
    ...BURN_RULES,
    {
      ...FORECAST,
      severity: 'info',
      core: `${ofBudget('budget_overrun_probability')} >= 0.5`,
      for: '1d',
      description:
        'It may end above its limit. Accept it, raise the limit, or save: `dormouse audit` shows where.',
    },
    {
      ...FORECAST,
      severity: 'warning',
      core: `${ofBudget('budget_overrun_probability')} >= 0.8`,
      for: '6h',
      description: 'It will probably end above its limit. Accept it, raise the limit, or save now.',
    },
    {
      ...FORECAST,
      severity: 'critical',
      core: `${ofBudget('budget_overrun_probability')} >= 0.95 and on (budget, team, tier) ${ofBudget('budget_window_end_timestamp_seconds')} - ${ofBudget('budget_exhaustion_timestamp_seconds')} > 3 * 86400`,
      for: '1h',
      description:
        'It will be spent more than three days before its period ends. Stop what spends most, or raise the limit.',
    },
    {
      name: 'BudgetExhausted',
      severity: 'critical',
      about: 'budget',
      core: `${ofLimit('budget_spent')} >= ${ofLimit('budget_limit')}`,
      for: '1m',
      summary: `${BUDGET} is spent: {{ $value | humanize }} {{ $labels.unit }} in this period.`,
      description: 'Everything its computes spend from now on is above the limit. Find what spends most.',
    },
  ],
}
