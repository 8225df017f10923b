import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Message, DeliveryOutcome } from '../../../src/model/output/message.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import { createFileSink } from '../../../src/outputs/notify/file.ts'

import { createSlackSink, createWebhookSink, headerKey } from '../../../src/outputs/notify/webhook.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { receiver, SECRET_PATH, type Answer } from './http-receiver.ts'

const message = (over: Partial<Message> = {}): Message => ({
  key: 'main/budget/all/1/100/ops',
  account: 'main',
  subject: 'Budget all: 100 % reached',
  text: 'Budget all: 100 % reached <!channel> & more',
  body: { kind: 'budget-rung', budget: 'all' },
  attachments: [],
  ...over,
})

const signal = new AbortController().signal

test('a webhook gets the body, signed, with a stable key', async () => {
  await using ears = await receiver()
  const clock = fakeClock()
  const sink = createWebhookSink({ url: () => ok(ears.url), secret: () => ok('shared'), clock })
  expect(await sink(message(), signal)).toEqual({ kind: 'delivered' })
  expect(await sink(message(), signal)).toEqual({ kind: 'delivered' })
  const [first, second] = ears.heard
  expect(JSON.parse(first?.body ?? '')).toEqual({ kind: 'budget-rung', budget: 'all' })
  const at = Math.floor(clock.now() / 1000)
  const hex = createHmac('sha256', 'shared').update(`${at}.${first?.body}`).digest('hex')
  expect(first?.headers['x-dormouse-signature']).toBe(`t=${at},v1=${hex}`)
  expect([first, second].map((one) => one?.headers['idempotency-key'])).toEqual([
    'main/budget/all/1/100/ops',
    'main/budget/all/1/100/ops',
  ])
})

test.each<[string, string]>([
  ['a/b:2026-W47+x@y', 'a/b:2026-W47+x@y'],
  ['problem/a\r\nX-Evil: 1', 'sha256:'],
  ['ä', 'sha256:'],
])('a header carries the key %j', (key, begins) => {
  expect(headerKey(key)).toMatch(new RegExp(`^${begins.replaceAll('+', String.raw`\+`)}`))
  expect(headerKey(key)).toMatch(/^[\x21-\x7e]{1,200}$/)
})

test.each<[Answer, DeliveryOutcome]>([
  [204, { kind: 'delivered' }],
  [500, { kind: 'retry', because: 'answered 500' }],
  [404, { kind: 'retry', because: 'answered 404' }],
  [422, { kind: 'failed', because: 'answered 422' }],
  [[429, { 'retry-after': '7' }], { kind: 'retry', because: 'answered 429', after: seconds(7) }],
  [
    [503, { 'retry-after': 'Mon, 05 Jan 2026 00:01:00 GMT' }],
    { kind: 'retry', because: 'answered 503', after: seconds(60) },
  ],
  [[429, { 'retry-after': '999999' }], { kind: 'retry', because: 'answered 429', after: seconds(3600) }],
  [[429, { 'retry-after': 'soon' }], { kind: 'retry', because: 'answered 429' }],
  ['cut', { kind: 'retry', because: 'failed: connection cut' }],
])('an answer of %j', async (answer, outcome) => {
  await using ears = await receiver(answer)
  const options = { url: () => ok(ears.url), secret: undefined, clock: fakeClock() }
  expect(await createWebhookSink(options)(message(), signal)).toEqual(outcome)
  expect(await createSlackSink(options)(message(), signal)).toEqual(outcome)
  expect(ears.heard).toHaveLength(2)
})

test('a redirect is not followed', async () => {
  await using other = await receiver()
  await using ears = await receiver([307, { location: other.url }])
  const sink = createWebhookSink({ url: () => ok(ears.url), secret: undefined, clock: fakeClock() })
  expect(await sink(message(), signal)).toEqual({
    kind: 'retry',
    because: 'answered 307: redirects are not followed',
  })
  expect(other.heard).toEqual([])
})

test('a receiver that hangs is given up after ten seconds, and at once when the daemon stops', async () => {
  await using ears = await receiver('hang')
  const clock = fakeClock()
  const sink = createWebhookSink({ url: () => ok(ears.url), secret: undefined, clock })
  const hung = sink(message(), signal)
  await clock.advance(seconds(10))
  expect(await hung).toEqual({ kind: 'retry', because: 'no answer within 10 s' })
  const stop = new AbortController()
  const stopped = sink(message(), stop.signal)
  stop.abort()
  expect((await stopped).kind).toBe('retry')
})

const away = (insecure: boolean) => {
  const address = `http://receiver.invalid${SECRET_PATH}`
  const options = { url: () => ok(address), secret: undefined, insecure, clock: fakeClock() }
  return [createWebhookSink(options), createSlackSink(options)]
}

test('nothing is sent to an http address outside of loopback, unless it may be', async () => {
  for (const sink of away(false))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await sink(message(), signal)).toEqual({
      kind: 'retry',
      because: 'its address is http: expected https, or insecure: true',
    })
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const sink of away(true))
    expect(await sink(message(), signal)).toMatchObject({ because: 'failed: unknown host' })
})

test('a failure is reported without the address', async () => {
  const ears = await receiver()
  await ears[Symbol.asyncDispose]()
  const clock = fakeClock()
  const told = async (url: () => ReturnType<typeof ok<string>> | ReturnType<typeof failed<string>>) =>
    createWebhookSink({ url, secret: undefined, clock })(message(), signal)
  const all = [
    await told(() => ok(ears.url)),
    await told(() => ok(`ftp://host${SECRET_PATH}`)),
    await told(() => ok(SECRET_PATH)),
    await told(() => failed('file /run/url cannot be read: there is no such file')),
  ]
  expect(all.map((outcome) => outcome.kind)).toEqual(['retry', 'retry', 'retry', 'retry'])
  expect(JSON.stringify(all)).not.toContain('s3cr3t')
  expect(JSON.stringify(all)).not.toContain('127.0.0.1')
  expect(all[0]).toEqual({ kind: 'retry', because: 'failed: connection refused' })
})

test('Slack gets text without links and mentions, or the blocks made for it', async () => {
  await using ears = await receiver()
  const sink = createSlackSink({ url: () => ok(ears.url), clock: fakeClock() })
  await sink(message(), signal)
  await sink(message({ text: 'x'.repeat(9000) }), signal)
  await sink(message({ slack: { text: 'made', blocks: [] } }), signal)
  const [plain, long, made] = ears.heard.map(
    ({ body }) => JSON.parse(body) as { text: string; blocks?: unknown },
  )
  expect(plain).toEqual({
    text: '```\nBudget all: 100 % reached &lt;!channel&gt; &amp; more\n```',
  })
  expect(long?.text).toHaveLength(3000)
  expect(made).toEqual({ text: 'made', blocks: [] })
})

function inFolder(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-file-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

test('a file is complete, named after its week, and the oldest of many is removed', async () => {
  using place = inFolder()
  writeFileSync(join(place.folder, 'notes.md'), 'mine')
  const sink = createFileSink({ path: join(place.folder, '{account}-{slot}.md'), keep: 3 })
  for (const slot of ['2026-W01', '2026-W02', '2026-W03', '2026-W03-manual-1', '2026-W04']) {
    const attachments = [{ name: 'report.md', type: 'text/markdown', body: `week ${slot}` }]
    // oxlint-disable-next-line no-await-in-loop -- one week after the other
    expect(await sink(message({ slot, attachments }), signal)).toEqual({ kind: 'delivered' })
  }
  expect(readdirSync(place.folder).toSorted()).toEqual([
    'main-2026-W03-manual-1.md',
    'main-2026-W03.md',
    'main-2026-W04.md',
    'notes.md',
  ])
  expect(readFileSync(join(place.folder, 'main-2026-W04.md'), 'utf8')).toBe('week 2026-W04')
})

test('files of another account or receiver whose name ends alike are neither counted nor removed', async () => {
  using place = inFolder()
  const others = ['2026-W01-eu-main.md', '2026-W02-eu-main.md', '2026-W01-payments-main.md']
  for (const name of others) writeFileSync(join(place.folder, name), 'theirs')
  const sink = createFileSink({ path: join(place.folder, '{slot}-{account}.md'), keep: 2 })
  for (const slot of ['2026-W03', '2026-W04', '2026-W05'])
    // oxlint-disable-next-line no-await-in-loop -- one week after the other
    expect(await sink(message({ slot }), signal)).toEqual({ kind: 'delivered' })
  expect(readdirSync(place.folder).toSorted()).toEqual(
    [...others, '2026-W04-main.md', '2026-W05-main.md'].toSorted(),
  )
})

test('no name leads out of the folder', async () => {
  using place = inFolder()
  const inner = join(place.folder, 'inner')
  const sink = createFileSink({ path: join(inner, '{account}-{slot}.md'), keep: 3 })
  await sink(message({ account: '../..', slot: '../../x\0/y' }), signal)
  expect(readdirSync(place.folder)).toEqual(['inner'])
  expect(readdirSync(inner)).toEqual(['_____-______x__y.md'])
})

test('a folder that cannot be written to leaves nothing behind', async () => {
  using place = inFolder()
  mkdirSync(join(place.folder, 'main.md'))
  const outcome = await createFileSink({ path: join(place.folder, '{account}.md'), keep: 3 })(
    message(),
    signal,
  )
  expect(outcome.kind).toBe('retry')
  expect(JSON.stringify(outcome)).not.toContain(place.folder)
  expect(readdirSync(place.folder)).toEqual(['main.md'])
})
