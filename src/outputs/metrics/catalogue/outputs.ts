// What is told to people and programs outside.
import { selfCounter, selfGauge, type Family } from './family.ts'

export const OUTPUT_FAMILIES = {
  notifications: selfCounter(
    'notifications_total',
    ['sink', 'result'],
    'Attempts to tell a receiver of an event; result: delivered, retry, failed (given up), dropped (too many waited, or the receiver is no more).',
  ),
  reportDeliveries: selfCounter(
    'report_deliveries_total',
    ['sink', 'result'],
    'Attempts to deliver a report; result: delivered, retry, failed (given up), dropped (the receiver is no more).',
  ),
  reportLastSuccess: selfGauge(
    'report_last_success_timestamp_seconds',
    ['account', 'sink'],
    'When a report was delivered last; before the first, since when it is to be.',
  ),
} as const satisfies Readonly<Record<string, Family>>
