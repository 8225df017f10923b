import { array, enum as oneOf, strictObject, type z } from 'zod'
import { NOTIFIABLE_KINDS, SEVERITIES } from '../../model/output/event-kinds.ts'
import type { Subscription } from '../../model/output/subscription.ts'
import { example, optionalText } from '../parts.ts'
import type { ConfigContext } from '../secrets.ts'
import { durationSchema } from '../units.ts'
import { unknownChannel, unknownTeam, type OwnerNames } from './owners.ts'
import { receiverKeys, receiverName, buildReceivers, refineReceiver, type Receiver } from './receiver.ts'

const entrySchema = strictObject({
  name: receiverName,
  type: oneOf(['webhook', 'slack', 'smtp']).describe(
    'webhook: a signed POST of JSON. slack: an incoming webhook, which belongs to one channel. smtp: mail.',
  ),
  ...receiverKeys,
  events: array(oneOf(NOTIFIABLE_KINDS))
    .min(1)
    .optional()
    .describe('The kinds of events it receives; by default all.'),
  min_severity: oneOf(SEVERITIES)
    .optional()
    .meta(example('warning'))
    .describe('The lowest severity it receives; by default warning, and info where events is given.'),
  team: optionalText.describe('Only events of computes and budgets of this team of owners.'),
  channel: optionalText.describe(
    'Only events of owners with this channel. Where messages appear is decided by the address.',
  ),
  repeat_after: durationSchema({ min: '1m', max: '30d' })
    .prefault('4h')
    .describe('The same event about the same thing is not repeated before this time.'),
}).superRefine(refineReceiver)

export const notificationsSchema = array(entrySchema, 'expected a list of receivers')

export type Notification = Readonly<{ name: string; receiver: Receiver; subscription: Subscription }>

export function buildNotifications(
  entries: z.output<typeof notificationsSchema>,
  { teams, channels }: OwnerNames,
  context: ConfigContext,
) {
  const { built, problems } = buildReceivers('notifications', entries, context)
  const notifications = built.map(({ entry, receiver }) => ({
    name: entry.name,
    receiver,
    subscription: {
      events: entry.events,
      // whoever names kinds of events means all of them, and some are never above info
      minSeverity: entry.min_severity ?? (entry.events ? 'info' : 'warning'),
      team: entry.team,
      channel: entry.channel,
      repeatAfter: entry.repeat_after,
    },
  }))
  const unknownOwners = entries.flatMap(({ team, channel }, index) => [
    ...unknownTeam(`notifications[${index}].team`, team, teams),
    ...unknownChannel(`notifications[${index}].channel`, channel, channels),
  ])
  return { notifications, problems: [...problems, ...unknownOwners] }
}
