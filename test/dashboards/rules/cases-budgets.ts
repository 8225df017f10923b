import { series, type Case, type Firing, type Series } from './case.ts'

const OFFICE = { budget: 'office', team: 'payments', tier: 'dev' } as const
const DAY = 86_400

const likely = (severity: Firing['severity'], share: string): Firing => ({
  severity,
  labels: OFFICE,
  summary: `Budget office will be exceeded with a probability of ${share}.`,
})

/** A budget whose period ends after 30 days and that is exhausted after `exhausted` days. */
const period = (exhausted: number): readonly Series[] => [
  series('budget_window_end_timestamp_seconds', OFFICE, `${30 * DAY}x120`),
  series('budget_exhaustion_timestamp_seconds', OFFICE, `${exhausted * DAY}x120`),
]

const FORECAST: readonly Case[] = [
  {
    title: 'rather likely, for a day; then not, and an hour later it is over',
    alert: 'BudgetForecastExceeded',
    step: '15m',
    series: [series('budget_overrun_probability', OFFICE, '0.5x101 0.4x20')],
    checks: [
      ['23h', []],
      ['25h', [likely('info', '50%')]],
      ['25h30m', [likely('info', '50%')]],
      ['27h', []],
    ],
  },
  {
    title: 'likely: after six hours a warning, after a day for the review too',
    alert: 'BudgetForecastExceeded',
    step: '15m',
    series: [series('budget_overrun_probability', OFFICE, '0.8x120'), ...period(20)],
    checks: [
      ['5h', []],
      ['7h', [likely('warning', '80%')]],
      ['25h', [likely('warning', '80%'), likely('info', '80%')]],
    ],
  },
  {
    title: 'next to certain, four days early',
    alert: 'BudgetForecastExceeded',
    step: '15m',
    series: [series('budget_overrun_probability', OFFICE, '0.95x120'), ...period(26)],
    checks: [
      ['30m', []],
      ['2h', [likely('critical', '95%')]],
    ],
  },
  {
    title: 'next to certain, three days early',
    alert: 'BudgetForecastExceeded',
    step: '15m',
    series: [series('budget_overrun_probability', OFFICE, '0.95x120'), ...period(27)],
    checks: [['2h', []]],
  },
  {
    title: 'unlikely',
    alert: 'BudgetForecastExceeded',
    step: '15m',
    series: [series('budget_overrun_probability', OFFICE, '0.49x120'), ...period(26)],
    checks: [['30h', []]],
  },
]

const spent = (values: string, unit = 'USD', replica?: string): Series =>
  series('budget_spent', { ...OFFICE, unit }, values, replica)
const limit = (values: string, unit = 'USD', replica?: string): Series =>
  series('budget_limit', { ...OFFICE, unit }, values, replica)

const exhausted = (amount: string): readonly Firing[] => [
  {
    severity: 'critical',
    labels: { ...OFFICE, unit: 'USD' },
    summary: `Budget office is spent: ${amount} USD in this period.`,
  },
]

const EXHAUSTED: readonly Case[] = [
  {
    title: 'spent to the last cent, until the next period',
    alert: 'BudgetExhausted',
    step: '1m',
    series: [spent('1000x10 0+1x10'), limit('1000x20')],
    checks: [
      ['0m', []],
      ['2m', exhausted('1k')],
      ['12m', []],
    ],
  },
  {
    title: 'one cent is left',
    alert: 'BudgetExhausted',
    step: '1m',
    series: [spent('99.99x20'), limit('100x20')],
    checks: [['10m', []]],
  },
  {
    title: 'seen by two replicas',
    alert: 'BudgetExhausted',
    step: '1m',
    series: [
      spent('60x20'),
      limit('100x20'),
      spent('60x20', 'USD', 'two:9477'),
      limit('100x20', 'USD', 'two:9477'),
    ],
    checks: [['10m', []]],
  },
]

export const BUDGET_CASES: readonly Case[] = [...FORECAST, ...EXHAUSTED]
