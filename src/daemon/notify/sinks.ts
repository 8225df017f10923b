import type { Receiver } from '../../config/sections/receiver.ts'
import type { Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { createFileSink } from '../../outputs/notify/file.ts'
import { createSmtpSink } from '../../outputs/notify/smtp.ts'
import { createSlackSink, createWebhookSink } from '../../outputs/notify/webhook.ts'

export function createSink(receiver: Receiver, clock: Clock): Sink {
  switch (receiver.type) {
    case 'webhook':
      return createWebhookSink({ ...receiver, url: receiver.url.read, secret: receiver.secret?.read, clock })
    case 'slack':
      return createSlackSink({ ...receiver, url: receiver.url.read, clock })
    case 'smtp':
      return createSmtpSink({ ...receiver, password: receiver.password?.read, clock })
    case 'file':
      return createFileSink(receiver)
  }
}
