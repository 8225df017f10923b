import { sanitize, unlinked } from '../../std/sanitize.ts'
import {
  eventText,
  notificationOf,
  subjectOf,
  SEVERITIES,
  type NotifiableEvent,
} from '../../model/output/event-kinds.ts'
import type { OutboxEvent } from '../../model/output/outbox-event.ts'
import type { Message } from '../../model/output/message.ts'
import type { Owner } from '../../model/policy/owner.ts'
import { toIso, toIsoSecond } from '../../model/time.ts'
import type { Seconds } from '../../model/units.ts'
import type { Subscription } from '../../model/output/subscription.ts'

function severityOf(event: NotifiableEvent) {
  const { severity } = notificationOf(event)
  return typeof severity === 'function' ? severity(event) : severity
}

/** A receiver is never notified that its own delivery failed. */
export function matchesSubscription(
  event: NotifiableEvent,
  owner: Owner,
  { sink, subscription }: Readonly<{ sink: string; subscription: Subscription }>,
): boolean {
  const subject = subjectOf(event)
  if (subject.kind === 'receiver' && subject.sink === sink) return false
  if (SEVERITIES.indexOf(severityOf(event)) < SEVERITIES.indexOf(subscription.minSeverity)) return false
  if (subscription.events && !subscription.events.includes(event.kind)) return false
  return matchesName(subscription.team, owner.team) && matchesName(subscription.channel, owner.channel)
}

const matchesName = (wanted?: string, name?: string) => wanted === undefined || wanted === name

/** `last`: of the same topic, queued for the receiver. Only the same kind is a repeat: a change back is sent at once. */
export function isRepeat(event: NotifiableEvent, last: NotifiableEvent | undefined, repeatAfter: Seconds) {
  return last !== undefined && last.kind === event.kind && event.at - last.at < repeatAfter * 1000
}

export function eventMessage({ key, event }: Pick<OutboxEvent, 'key' | 'event'>, sink: string): Message {
  const { account, at, kind } = event
  const severity = severityOf(event)
  const words = sanitize(eventText(event))
  const text = unlinked(words)
  const fields = notificationOf(event).fields?.(event)
  return {
    key: `${account}/${key}/${sink}`,
    account,
    subject: `[${severity}] ${text} (${account})`,
    text: `${text}\n${severity}, account ${account}, ${toIsoSecond(at)}`,
    body: { version: 1, key, kind, severity, account, at: toIso(at), text: words, ...fields },
    attachments: [],
  }
}
