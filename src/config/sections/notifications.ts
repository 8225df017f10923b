// The section `notifications`: who is told of events.
import { z } from 'zod'
import { NOTIFIABLE_KINDS } from '../../model/output/outbox-event.ts'
import { SEVERITIES, type Subscription } from '../../model/output/subscription.ts'
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
        'webhook: a signed POST of JSON. slack: an incoming webhook, which is of one channel. smtp: mail.',
      ),
    ...receiverKeys,
    events: z
      .array(z.enum(NOTIFIABLE_KINDS))
      .min(1)
      .optional()
      .describe('The kinds of events it is told of; all when absent.'),
    min_severity: z.enum(SEVERITIES).prefault('warning').describe('The least severe it is told of.'),
    team: z.string().min(1).optional().describe('Only what this team of owners answers for.'),
    channel: z
      .string()
      .min(1)
      .optional()
      .describe('Only what belongs to owners with this channel; where it is told is in the address.'),
    repeat_after: durationSchema({ min: '1m', max: '30d' })
      .prefault('4h')
      .describe('The same about one thing is not told again before.'),
  })
  .superRefine(refineReceiver)

export const notificationsSchema = z.array(entrySchema, 'expected a list of receivers')

export type Notification = { readonly name: string; readonly receiver: Receiver; readonly wish: Subscription }

/** Also what is wrong: a name that comes twice, secrets that cannot be read. */
export function buildNotifications(
  entries: z.output<typeof notificationsSchema>,
  surroundings: ConfigContext,
): { readonly notifications: readonly Notification[]; readonly problems: readonly string[] } {
  const { made, problems } = buildReceivers('notifications', entries, surroundings)
  const notifications = made.map(({ entry, receiver }) => ({
    name: entry.name,
    receiver,
    wish: wishOf(entry),
  }))
  return { notifications, problems }
}

const wishOf = (entry: z.output<typeof entrySchema>): Subscription => ({
  events: entry.events,
  minSeverity: entry.min_severity,
  team: entry.team,
  channel: entry.channel,
  repeatAfter: entry.repeat_after,
})
