// The section `notifications`: receivers of events.
import { z } from 'zod'
import { NOTIFIABLE_KINDS, SEVERITIES } from '../../model/output/event-kinds.ts'
import type { Subscription } from '../../model/output/subscription.ts'
import {
  receiverKeys,
  receiverName,
  buildReceivers,
  refineReceiver,
  type Receiver,
  type ConfigContext,
} from './receiver.ts'
import { durationSchema } from '../units.ts'

const entrySchema = z
  .strictObject({
    name: receiverName,
    type: z
      .enum(['webhook', 'slack', 'smtp'])
      .describe(
        'webhook: a signed POST of JSON. slack: an incoming webhook, which belongs to one channel. smtp: mail.',
      ),
    ...receiverKeys,
    events: z
      .array(z.enum(NOTIFIABLE_KINDS))
      .min(1)
      .optional()
      .describe('The kinds of events it receives; by default all.'),
    min_severity: z.enum(SEVERITIES).prefault('warning').describe('The lowest severity it receives.'),
    team: z
      .string()
      .min(1)
      .optional()
      .describe('Only events of computes and budgets of this team of owners.'),
    channel: z
      .string()
      .min(1)
      .optional()
      .describe('Only events of owners with this channel. Where messages appear is decided by the address.'),
    repeat_after: durationSchema({ min: '1m', max: '30d' })
      .prefault('4h')
      .describe('The same event about the same thing is not repeated before this time.'),
  })
  .superRefine(refineReceiver)

export const notificationsSchema = z.array(entrySchema, 'expected a list of receivers')

export type Notification = {
  readonly name: string
  readonly receiver: Receiver
  readonly subscription: Subscription
}

/** The notifications, and their problems: repeated names, secrets that cannot be read. */
export function buildNotifications(
  entries: z.output<typeof notificationsSchema>,
  context: ConfigContext,
): { readonly notifications: readonly Notification[]; readonly problems: readonly string[] } {
  const { built, problems } = buildReceivers('notifications', entries, context)
  const notifications = built.map(({ entry, receiver }) => ({
    name: entry.name,
    receiver,
    subscription: subscriptionOf(entry),
  }))
  return { notifications, problems }
}

const subscriptionOf = (entry: z.output<typeof entrySchema>): Subscription => ({
  events: entry.events,
  minSeverity: entry.min_severity,
  team: entry.team,
  channel: entry.channel,
  repeatAfter: entry.repeat_after,
})
