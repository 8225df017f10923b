// Messages about events: severity, which subscriptions match, repeats, text and fields.
import { sanitize } from '../../std/sanitize.ts'
import type { OutboxEvent, NotifiableEvent } from '../../model/output/outbox-event.ts'
import { budgetUnit, amountInUnit, type BudgetLimit } from '../../model/policy/budget.ts'
import type { Message } from '../../model/output/message.ts'
import type { Owner } from '../../model/policy/owner.ts'
import { toIso } from '../../model/time.ts'
import type { Seconds } from '../../model/units.ts'
import { SEVERITIES, type Severity, type Subscription } from '../../model/output/subscription.ts'

const SEVERITY_OF = {
  'wake-caused': 'critical',
  'key-refused': 'critical',
  'key-accepted': 'info',
  'service-unavailable': 'warning',
  'service-available': 'info',
  'count-off': 'warning',
  'count-agrees': 'info',
  problem: 'warning',
  'delivery-failed': 'warning',
  'budget-rung': 'critical',
} as const satisfies Readonly<Record<NotifiableEvent['kind'], Severity>>

/** Rungs from which a budget event is critical, and from which it is a warning. */
const [CRITICAL_RUNG, WARNING_RUNG] = [100, 80]

export function severityOf(event: NotifiableEvent): Severity {
  if (event.kind !== 'budget-rung' || event.rung >= CRITICAL_RUNG) return SEVERITY_OF[event.kind]
  return event.rung >= WARNING_RUNG ? 'warning' : 'info'
}

/** Whether the receiver `sink` is notified. A receiver is never notified that its own delivery failed. */
export function matchesSubscription(
  event: NotifiableEvent,
  owner: Owner,
  { sink, subscription }: { readonly sink: string; readonly subscription: Subscription },
): boolean {
  if (event.kind === 'delivery-failed' && event.sink === sink) return false
  if (SEVERITIES.indexOf(severityOf(event)) < SEVERITIES.indexOf(subscription.minSeverity)) return false
  if (subscription.events && !subscription.events.includes(event.kind)) return false
  return matchesName(subscription.team, owner.team) && matchesName(subscription.channel, owner.channel)
}

const matchesName = (wanted: string | undefined, name: string | undefined): boolean =>
  wanted === undefined || wanted === name

/** `last`: the last event of the same topic that was queued for the receiver. Only the same kind is a repeat: a change back is sent at once. */
export function isRepeat(
  event: NotifiableEvent,
  last: NotifiableEvent | undefined,
  repeatAfter: Seconds,
): boolean {
  return last !== undefined && last.kind === event.kind && event.at - last.at < repeatAfter * 1000
}

export function eventMessage({ key, event }: Pick<OutboxEvent, 'key' | 'event'>, sink: string): Message {
  const { account, at, kind } = event
  const severity = severityOf(event)
  const text = sanitize(eventText(event))
  return {
    key: `${account}/${key}/${sink}`,
    account,
    subject: `[${severity}] ${text} (${account})`,
    text: `${text}\n${severity}, account ${account}, ${toIso(at)}`,
    body: { version: 1, key, kind, severity, account, at: toIso(at), text, ...fieldsOf(event) },
    attachments: [],
  }
}

/** Fields of the webhook body, in whole units. */
function fieldsOf(event: NotifiableEvent): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case 'wake-caused':
      return { project_id: event.ref.projectId, endpoint_id: event.ref.endpointId }
    case 'budget-rung': {
      const { budget, rung, spent, limit, period } = event
      return {
        budget,
        rung,
        limit: amountInUnit(limit.amount, limit),
        unit: budgetUnit(limit),
        spent: {
          low: amountInUnit(spent.low, limit),
          likely: amountInUnit(spent.likely, limit),
          high: amountInUnit(spent.high, limit),
        },
        from: toIso(period.from),
        to: toIso(period.to),
      }
    }
    case 'problem':
      return { where: event.where, message: event.message }
    case 'service-unavailable':
      return { message: event.message }
    case 'count-off':
    case 'count-agrees':
      return { project_id: event.projectId }
    case 'delivery-failed':
      return { sink: event.sink, what: event.what, because: event.because }
    case 'key-refused':
    case 'key-accepted':
    case 'service-available':
      return {}
  }
}

/** The event in a line of text. */
export function eventText(event: NotifiableEvent): string {
  switch (event.kind) {
    case 'wake-caused':
      return `A reading woke compute ${event.ref.endpointId}: a fault of Dormouse, set reading.mode: off and report it`
    case 'budget-rung':
      return `Budget ${event.budget}: ${event.rung} % of ${limitText(event.limit)} reached`
    case 'problem':
      return `Part of the account could not be seen: ${event.where}: ${event.message}`
    case 'count-off':
      return `The service's count of project ${event.projectId} and the ledger do not agree`
    case 'count-agrees':
      return `The service's count of project ${event.projectId} and the ledger agree again`
    case 'service-unavailable':
      return `The service cannot be reached: ${event.message}`
    case 'service-available':
      return 'The service answers again'
    case 'key-refused':
      return 'The API key is refused: nothing is observed until it is replaced'
    case 'key-accepted':
      return 'The API key is accepted again'
    case 'delivery-failed':
      return `${event.what} could not be delivered to ${event.sink}: ${event.because}`
  }
}

/** `200 USD`, `500 cu_hours`. */
const limitText = (limit: BudgetLimit): string => `${amountInUnit(limit.amount, limit)} ${budgetUnit(limit)}`
