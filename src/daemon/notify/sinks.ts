// Makes the receivers that the configuration names.
import type { Receiver } from '../../config/sections/receiver.ts'
import type { Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports.ts'
import { createFile } from '../../outputs/notify/file.ts'
import { createSlack } from '../../outputs/notify/slack.ts'
import { createSmtp } from '../../outputs/notify/smtp.ts'
import { createWebhook } from '../../outputs/notify/webhook.ts'

export function sinkOf(receiver: Receiver, clock: Clock): Sink {
  switch (receiver.type) {
    case 'webhook':
      return createWebhook({ url: receiver.url.read, secret: receiver.secret?.read, clock })
    case 'slack':
      return createSlack({ url: receiver.url.read, clock })
    case 'smtp':
      return createSmtp({ ...receiver, password: receiver.password?.read, clock })
    case 'file':
      return createFile(receiver)
  }
}
