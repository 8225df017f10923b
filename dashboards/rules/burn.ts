// Alerts on burn rates. Each has two windows: the long one is significant, the short one ends the alert soon after the cause.
// Unlike an error budget, spend has a normal burn rate of 1, and an upper bound: all computes awake at their largest size.
import { BY_LABELS, metricName, type Duration, type RecordingRule, type AlertRule } from './rule.ts'
import type { FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

const ofBudget = (key: FamilyKey, matchers = ''): string =>
  `max ${BY_LABELS.budget} (${metricName(key)}${matchers})`

const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d'] as const satisfies readonly Duration[]
type Window = (typeof WINDOWS)[number]

/** Burn rate of a budget; 1 spends exactly the limit in one period. */
const burnName = (window: Window): string => `dormouse:budget_burn:rate${window}`

const burn = (window: Window): RecordingRule => ({
  record: burnName(window),
  expr: `max ${BY_LABELS.budget} (rate(${metricName('budget_spend_total')}[${window}])) * ${ofBudget('budget_period_seconds')} / ${ofBudget('budget_limit')}`,
})

/**
 * Thresholds, as in the daemon (ledger/budgets/burn-rate.ts). The threshold is the factor of the usual multi-window alerts, but at
 * most 80 % of the highest possible burn rate. There is no series where that does not exceed the floor: the window is off.
 */
const TIERS = {
  '1h': { short: '5m', factor: 14.4, floor: 2 },
  '6h': { short: '30m', factor: 6, floor: 1.5 },
  '1d': { short: '2h', factor: 2, floor: 1.25 },
} as const
type Long = keyof typeof TIERS

const thresholdName = (long: Long): string => `dormouse:budget_burn_threshold:${long}`

const threshold = (long: Long): RecordingRule => ({
  record: thresholdName(long),
  expr: `clamp_max(0.8 * ${ofBudget('budget_max_burn')}, ${TIERS[long].factor}) > ${TIERS[long].floor}`,
})

export const BURN_RECORDINGS: readonly RecordingRule[] = [
  ...WINDOWS.map(burn),
  ...(['1h', '6h', '1d'] as const).map(threshold),
]

/** All of: long and short window above the threshold, and the long one above 1.5 times what is usual at this hour of the week. */
function burning(long: Long): string {
  const usual = ofBudget('budget_expected_burn', `{window="${long}"}`)
  return [
    `${burnName(long)} > ${thresholdName(long)}`,
    `${burnName(TIERS[long].short)} > ${thresholdName(long)}`,
    `${burnName(long)} > 1.5 * ${usual}`,
  ].join(' and ')
}

const SUMMARY = 'Budget {{ $labels.budget }} is spent {{ $value | humanize }} times as fast as planned.'

export const BURN_RULES: readonly AlertRule[] = [
  {
    name: 'BudgetBurnFast',
    severity: 'critical',
    about: 'budget',
    core: `(${burning('1h')}) or (${burning('6h')})`,
    for: '2m',
    summary: SUMMARY,
    description:
      'Much faster than usual at this hour. Find what spends most now, and lower its largest size or stop it.',
  },
  {
    name: 'BudgetBurnSlow',
    severity: 'warning',
    about: 'budget',
    core: burning('1d'),
    for: '1h',
    summary: SUMMARY,
    description:
      'For a day, and faster than usual. Compare with last week: what is new, larger, or awake for longer?',
  },
]
