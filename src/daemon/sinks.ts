// Makes the receivers that the configuration names.
import type { Receiver } from '../config/receiver.ts'
import type { Sink } from '../model/message.ts'
import type { Clock } from '../model/ports.ts'
import { createFile } from '../send/file.ts'
import { createSlack } from '../send/slack.ts'
import { createSmtp } from '../send/smtp.ts'
import { createWebhook } from '../send/webhook.ts'

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
