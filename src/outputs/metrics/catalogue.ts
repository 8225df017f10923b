// Renderer, reference, alert rules, boards and tests read this table.
import { BUDGET_FAMILIES } from './catalogue/budgets.ts'
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
  ...SERVICE_FAMILIES,
  ...OUTPUT_FAMILIES,
} as const satisfies Readonly<Record<string, Family>>

export type FamilyKey = keyof typeof CATALOGUE

export const FAMILY_KEYS = Object.keys(CATALOGUE) as readonly FamilyKey[]

/** Then `each` is of one recommendation. */
export const isPerRecommendation = ({ each, labels }: Family): boolean => each > 0 && labels.includes('kind')

export const isPerCompute = ({ each }: Family): boolean => each > 0
