// Names that mean harm, to whoever is told of an event: as JSON, in Slack, and as mail.
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NotifiableEvent } from '../../../src/model/output/event-kinds.ts'
import type { Message } from '../../../src/model/output/message.ts'
import { ok } from '../../../src/std/result.ts'
import { micros } from '../../../src/model/units.ts'
import { eventMessage } from '../../../src/outputs/notify/messages.ts'

import { createSmtpSink } from '../../../src/outputs/notify/smtp.ts'
import { createSlackSink, createWebhookSink } from '../../../src/outputs/notify/webhook.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { HOSTILE } from '../../support/hostile-names.ts'
import { receiver, type Receiver } from './http-receiver.ts'
import { longTest } from '../../support/tiers.ts'

const signal = new AbortController().signal
const about = { account: 'main', at: at(0) } as const

/** Every event whose words hold what others chose. */
const eventsNamed = (name: string): readonly NotifiableEvent[] => [
  { ...about, kind: 'problem', where: name, message: name },
  { ...about, kind: 'service-unavailable', message: name },
  { ...about, kind: 'wake-caused', ref: { account: 'main', projectId: name, endpointId: name } },
  { ...about, kind: 'delivery-failed', sink: name, what: 'event', because: name },
  {
    ...about,
    kind: 'budget-rung',
    budget: name,
    rung: 100,
    spent: { low: 1, likely: 1, high: 1 },
    limit: { unit: 'money', amount: micros(1_000_000), currency: 'USD' },
    period: { from: at(0), to: at(60) },
  },
]

const messages: readonly Message[] = HOSTILE.flatMap((name) =>
  eventsNamed(name).map((event) => eventMessage({ key: `${event.kind}/${name}`, event }, 'ops')),
)

const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\u{E0001}]/u

test('subject and lines of a message do not control a terminal or reverse text', () => {
  expect(messages.length).toBe(5 * HOSTILE.length)
  for (const { subject, text } of messages) {
    expect(subject).not.toMatch(STEERING)
    expect(text.split('\n')).toHaveLength(2)
    expect(text.replace('\n', '')).not.toMatch(STEERING)
    expect(`${subject}${text}`.isWellFormed()).toBe(true)
    expect(`${subject}${text}`).not.toMatch(/:\/\/|www\./)
  }
})

describe('over the wire', () => {
  let ears: Receiver
  beforeAll(async () => {
    ears = await receiver()
  })
  afterAll(() => ears[Symbol.asyncDispose]())

  test('a webhook gets equal JSON and ASCII headers', async () => {
    const sink = createWebhookSink({
      url: () => ok(ears.url),
      secret: () => ok('shared'),
      clock: fakeClock(),
    })
    const before = ears.heard.length
    for (const message of messages) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await sink(message, signal)).toEqual({ kind: 'delivered' })
    }
    const heard = ears.heard.slice(before)
    expect(heard.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      messages.map(({ body }) => JSON.parse(JSON.stringify(body)) as unknown),
    )
    for (const { headers } of heard) {
      expect(headers['idempotency-key']).toMatch(/^[\x21-\x7e]{1,200}$/)
      expect(Object.keys(headers).filter((name) => /evil|bcc|thief/i.test(name))).toEqual([])
    }
  })

  test('Slack gets nothing that becomes a link, a mention or markup', async () => {
    const sink = createSlackSink({ url: () => ok(ears.url), clock: fakeClock() })
    const before = ears.heard.length
    for (const message of messages) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await sink(message, signal)
    }
    for (const { body } of ears.heard.slice(before)) {
      const { text } = JSON.parse(body) as { text: string }
      expect(text).toMatch(/^```\n[^`]*\n```$/)
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|:\/\/|www\./)
      expect(text.length).toBeLessThanOrEqual(3000)
    }
  })
})

longTest('a mail has its usual headers, all ASCII', async () => {
  const sources: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _, done) => {
      let source = ''
      stream.on('data', (chunk: Buffer) => (source += chunk.toString('latin1')))
      stream.on('end', () => {
        sources.push(source)
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const sink = createSmtpSink({
    host: '127.0.0.1',
    port: (listening.address() as AddressInfo).port,
    user: undefined,
    password: undefined,
    from: 'dormouse@example.org',
    to: ['boss@example.org'],
    insecure: true,
    anyCertificate: true,
    clock: fakeClock(),
  })
  for (const message of messages.filter((_, index) => index % 5 === 0 || index % 5 === 4)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await sink(message, signal)).toEqual({ kind: 'delivered' })
  }
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // unfolded: a long value goes on in lines that begin with a space
  const heads = sources.map((source) =>
    source.slice(0, source.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' '),
  )
  const names = heads.map((head) =>
    [...head.matchAll(/^([^\s:]+):/gm)].map(([, name = '']) => name).toSorted(),
  )
  expect(heads.length).toBeGreaterThan(30)
  for (const [index, head] of heads.entries()) {
    expect(head.replaceAll('\r\n', '')).toMatch(/^[\x20-\x7e\t]*$/)
    expect(names[index]).toEqual([
      'Auto-Submitted',
      'Content-Transfer-Encoding',
      'Content-Type',
      'Date',
      'From',
      'MIME-Version',
      'Message-ID',
      'Subject',
      'To',
    ])
    expect(head.match(/^Message-ID:\s+(.*)$/m)?.[1]).toMatch(/^<[\w.-]+@dormouse>\r?$/)
  }
})
