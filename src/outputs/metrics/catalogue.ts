// Renderer, reference, alert rules, boards and tests read this table.
import { BUDGET_FAMILIES } from './catalogue/budgets.ts'
import { CHANGE_FAMILIES } from './catalogue/changes.ts'
import { COMPUTE_FAMILIES } from './catalogue/computes.ts'
import { DAEMON_FAMILIES } from './catalogue/daemon.ts'
import { ofAll, type Family } from './catalogue/family.ts'
import { READING_FAMILIES } from './catalogue/readings.ts'
import { RECOMMENDATION_FAMILIES } from './catalogue/recommendations.ts'
import { SERVICE_FAMILIES } from './catalogue/service.ts'
import { SPEND_FAMILIES } from './catalogue/computes.ts'

export const PREFIX = 'dormouse_'

const OUTPUT_FAMILIES = {
  notifications_total: ofAll.selfCounter(
    'Attempts to notify a receiver of an event; result: delivered, retry, failed (given up), dropped (too many waited, or the receiver was removed).',
    'sink result',
  ),
  report_deliveries_total: ofAll.selfCounter(
    'Attempts to deliver a report; result: delivered, retry, failed (given up), dropped (the receiver was removed).',
    'sink result',
  ),
  report_due_timestamp_seconds: ofAll.selfGauge(
    'When a report was last due by report.schedule: the first time that it names in a week, as a week is reported once.',
  ),
  report_last_success_timestamp_seconds: ofAll.selfGauge(
    'When a report was last delivered; before the first, when the receiver was added.',
    'account sink',
  ),
}

/** Name without the prefix → family. */
export const CATALOGUE = {
  ...DAEMON_FAMILIES,
  ...COMPUTE_FAMILIES,
  ...SPEND_FAMILIES,
  ...BUDGET_FAMILIES,
  ...READING_FAMILIES,
  ...RECOMMENDATION_FAMILIES,
  ...CHANGE_FAMILIES,
  ...SERVICE_FAMILIES,
  ...OUTPUT_FAMILIES,
} as const satisfies Readonly<Record<string, Family>>

export type FamilyKey = keyof typeof CATALOGUE

export const FAMILY_KEYS = Object.keys(CATALOGUE) as readonly FamilyKey[]

/** What `each` of a family counts: series of a compute or project, of one recommendation, or of the changes of one kind. */
export function seriesSubjectOf(key: FamilyKey): 'compute' | 'recommendation' | 'change' {
  if (!CATALOGUE[key].labels.some((label) => label === 'kind')) return 'compute'
  return key in RECOMMENDATION_FAMILIES ? 'recommendation' : 'change'
}

export const isPerCompute = ({ each }: Family): boolean => each > 0
