// What is said of an event, to whom it matters, and whether it is said again.
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

/** Percent of a budget from which on it is gone, and from which on somebody should look. */
const [GONE, NEAR] = [100, 80]

export function severityOf(event: NotifiableEvent): Severity {
  if (event.kind !== 'budget-rung' || event.rung >= GONE) return SEVERITY_OF[event.kind]
  return event.rung >= NEAR ? 'warning' : 'info'
}

/** Whether a receiver called `sink` wants it. Nobody is told that telling himself failed. */
export function matchesSubscription(
  event: NotifiableEvent,
  owner: Owner,
  { sink, wish }: { readonly sink: string; readonly wish: Subscription },
): boolean {
  if (event.kind === 'delivery-failed' && event.sink === sink) return false
  if (SEVERITIES.indexOf(severityOf(event)) < SEVERITIES.indexOf(wish.minSeverity)) return false
  if (wish.events && !wish.events.includes(event.kind)) return false
  return isOr(wish.team, owner.team) && isOr(wish.channel, owner.channel)
}

const isOr = (wanted: string | undefined, has: string | undefined): boolean =>
  wanted === undefined || wanted === has

/** `last`: what the receiver was last given of the same topic. What turned back in between is told again at once. */
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
  const says = sanitize(eventText(event))
  return {
    key: `${account}/${key}/${sink}`,
    account,
    subject: `[${severity}] ${says} (${account})`,
    text: `${says}\n${severity}, account ${account}, ${toIso(at)}`,
    body: { version: 1, key, kind, severity, account, at: toIso(at), text: says, ...factsOf(event) },
    attachments: [],
  }
}

/** In whole units and with names, as in every other answer. */
function factsOf(event: NotifiableEvent): Readonly<Record<string, unknown>> {
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

/** One line. */
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
      return 'The API key is refused: nothing is seen until it is another one'
    case 'key-accepted':
      return 'The API key is accepted again'
    case 'delivery-failed':
      return `${event.what} could not be delivered to ${event.sink}: ${event.because}`
  }
}

/** `200 USD`, `500 cu_hours`. */
const limitText = (limit: BudgetLimit): string => `${amountInUnit(limit.amount, limit)} ${budgetUnit(limit)}`
