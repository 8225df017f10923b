import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { generate } from 'selfsigned'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import type { Message } from '../../../src/model/output/message.ts'
import { ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import { createSmtpSink, type SmtpOptions } from '../../../src/outputs/notify/smtp.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const message: Message = {
  key: 'main/2026-W47/boss',
  account: 'main',
  subject: 'Report\r\nBcc: thief@example.org',
  text: 'plain words',
  html: '<p>rich words</p>',
  body: {},
  attachments: [{ name: 'a"b\r\nX: y.csv', type: 'text/csv', body: 'one,two\n' }],
}

const options = (port: number, over: Partial<SmtpOptions> = {}): SmtpOptions => ({
  host: '127.0.0.1',
  port,
  user: undefined,
  password: undefined,
  from: 'dormouse@example.org',
  to: ['boss@example.org', 'team@example.org'],
  insecure: false,
  anyCertificate: true,
  clock: fakeClock(),
  ...over,
})

const signal = new AbortController().signal
const certificate = generate([{ name: 'commonName', value: 'mail.local' }])

type Mailbox = AsyncDisposable & {
  readonly port: number
  readonly mails: readonly { readonly source: string; readonly secure: boolean }[]
}

type Address = { readonly address: string }
type Envelope = { readonly envelope: { readonly rcptTo: readonly Address[] } }

const refusal = (responseCode: number) => Object.assign(new Error('s3cr3t answer'), { responseCode })

const idOf = (source = ''): string | undefined => /^Message-ID: (.*)$/im.exec(source)?.[1]?.trim()

/** A mail server on loopback with STARTTLS and a certificate that nobody vouches for. */
async function mailbox(
  refuse: { readonly data?: number; readonly rcpt?: number } = {},
  over: object = {},
): Promise<Mailbox> {
  const mails: { source: string; secure: boolean }[] = []
  const { cert, private: key } = await certificate
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'me' && password === 'right'
        ? done(null, { user: 'me' })
        : done(new Error('wrong s3cr3t')),
    onRcptTo: (_, __, done) => done(refuse.rcpt === undefined ? null : refusal(refuse.rcpt)),
    onData: (stream, session, done) => {
      let source = ''
      stream.on('data', (chunk: Buffer) => (source += chunk.toString()))
      stream.on('end', () => {
        mails.push({ source, secure: session.secure })
        done(refuse.data === undefined ? null : refusal(refuse.data))
      })
    },
    ...over,
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

test('a mail has text, HTML, attachments, and the same id for every attempt; no text becomes a header', async () => {
  await using box = await mailbox()
  const sink = createSmtpSink(options(box.port, { user: 'me', password: () => ok('right') }))
  expect([await sink(message, signal), await sink(message, signal)]).toEqual([
    { kind: 'delivered' },
    { kind: 'delivered' },
  ])
  const [first, second] = box.mails
  expect(first?.secure).toBe(true)
  expect(idOf(first?.source)).toMatch(/^<main-2026-W47-boss-[0-9a-f]{12}@dormouse>$/)
  expect(idOf(second?.source)).toBe(idOf(first?.source))
  expect(first?.source).toMatch(/^Auto-Submitted: auto-generated$/im)
  expect(first?.source).toContain('plain words')
  expect(first?.source).toContain('<p>rich words</p>')
  expect(first?.source).toContain('text/csv')
  expect(first?.source).not.toMatch(/^(Bcc|X):/im)
})

test('another daemon with an account and a receiver of the same names sends with another id', async () => {
  await using box = await mailbox()
  for (const text of ['spent 10 USD', 'spent 20 USD'])
    // oxlint-disable-next-line no-await-in-loop -- two daemons, one after the other
    await createSmtpSink(options(box.port))({ ...message, text }, signal)
  expect(new Set(box.mails.map(({ source }) => idOf(source))).size).toBe(2)
})

test('without encryption or with an untrusted certificate nothing is sent', async () => {
  await using bare = await mailbox({}, { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
  await using untrusted = await mailbox()
  for (const box of [bare, untrusted]) {
    // oxlint-disable-next-line no-await-in-loop -- one server after the other
    const outcome = await createSmtpSink(options(box.port, { anyCertificate: false }))(message, signal)
    expect(outcome.kind).toBe('retry')
    expect(box.mails).toEqual([])
  }
  expect((await createSmtpSink(options(bare.port))(message, signal)).kind).toBe('retry')
  expect((await createSmtpSink(options(untrusted.port))(message, signal)).kind).toBe('delivered')
  const plain = options(bare.port, { insecure: true, anyCertificate: false })
  expect((await createSmtpSink(plain)(message, signal)).kind).toBe('delivered')
})

test('no password is sent without encryption', async () => {
  const logins: unknown[] = []
  const open = {
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (login: unknown, _: unknown, done: (error: null, found: object) => void) => {
      logins.push(login)
      done(null, { user: 'me' })
    },
  }
  await using bare = await mailbox({}, open)
  for (const insecure of [true, false]) {
    const login = { user: 'me', password: () => ok('right'), insecure }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await createSmtpSink(options(bare.port, login))(message, signal)
  }
  expect(logins).toEqual([])
})

test('of the answer of the server only its code is reported', async () => {
  await using later = await mailbox({ rcpt: 451 })
  await using never = await mailbox({ data: 552 })
  await using closed = await mailbox()
  const password = { user: 'me', password: () => ok('wr0ng') }
  const all = [
    await createSmtpSink(options(later.port))(message, signal),
    await createSmtpSink(options(never.port))(message, signal),
    await createSmtpSink(options(closed.port, password))(message, signal),
  ]
  expect(all).toEqual([
    { kind: 'retry', because: expect.stringContaining('(451)') },
    { kind: 'failed', because: expect.stringContaining('(552)') },
    { kind: 'retry', because: 'mail server: user or password refused (535)' },
  ])
  expect(JSON.stringify(all)).not.toMatch(/s3cr3t|wr0ng|boss/)
})

test('a silent server is given up after ten seconds, one that cuts the connection at once', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined))
  const cutting = createServer((socket) => {
    socket.write('220 hello\r\n')
    socket.once('data', () => socket.destroy())
  })
  for (const server of [silent, cutting]) server.listen(0, '127.0.0.1')
  await Promise.all([silent, cutting].map((server) => once(server, 'listening')))
  const [quiet, cut] = [silent, cutting].map((server) => (server.address() as AddressInfo).port)
  const clock = fakeClock()
  const hung = createSmtpSink(options(quiet ?? 0, { clock }))(message, signal)
  await clock.advance(seconds(10))
  expect(await hung).toEqual({ kind: 'retry', because: 'no answer within 10 s' })
  expect((await createSmtpSink(options(cut ?? 0))(message, signal)).kind).toBe('retry')
  for (const server of [silent, cutting]) server.close()
})

test('a recipient whom the server refuses is tried again alone, until the message has reached all', async () => {
  const given: (readonly string[])[] = []
  const later = new Set(['team@example.org'])
  await using box = await mailbox(
    {},
    {
      onRcptTo: ({ address }: Address, _: unknown, done: (error: Error | null) => void) =>
        done(later.has(address) ? refusal(451) : null),
      onData: (stream: Readable, { envelope }: Envelope, done: () => void) => {
        given.push(envelope.rcptTo.map(({ address }) => address))
        stream.resume().once('end', done)
      },
    },
  )
  const sink = createSmtpSink(options(box.port))
  const outcomes = [await sink(message, signal), await sink(message, signal)]
  later.clear()
  outcomes.push(await sink(message, signal), await sink({ ...message, key: 'main/2026-W48/boss' }, signal))
  expect(outcomes).toEqual([
    { kind: 'retry', because: 'mail server: 1 of 2 recipients refused (451)' },
    { kind: 'retry', because: expect.stringContaining('(451)') },
    { kind: 'delivered' },
    { kind: 'delivered' },
  ])
  expect(given).toEqual([
    ['boss@example.org'],
    ['team@example.org'],
    ['boss@example.org', 'team@example.org'],
  ])
})

test('a server that takes minutes to accept a whole message gets it once', async () => {
  const arrived = Promise.withResolvers<() => void>()
  const onData = (stream: Readable, _: unknown, done: () => void) =>
    stream.resume().once('end', () => arrived.resolve(done))
  await using box = await mailbox({}, { onData })
  const clock = fakeClock()
  const outcome = createSmtpSink(options(box.port, { clock }))(message, signal)
  const accept = await arrived.promise
  await clock.advance(seconds(599))
  accept()
  expect(await outcome).toEqual({ kind: 'delivered' })
})

test('a message that is given up before the server has all of it does not arrive later', async () => {
  const greeted = Promise.withResolvers<() => void>()
  const onMailFrom = (_: unknown, __: unknown, done: () => void) => greeted.resolve(done)
  const box = await mailbox({}, { onMailFrom })
  const clock = fakeClock()
  const outcome = createSmtpSink(options(box.port, { clock }))(message, signal)
  const accept = await greeted.promise
  await clock.advance(seconds(10))
  expect(await outcome).toEqual({ kind: 'retry', because: 'no answer within 10 s' })
  accept()
  // the server ends every session before it has closed
  await box[Symbol.asyncDispose]()
  expect(box.mails).toEqual([])
})
