// Requests that are sent without waiting for answers.
import { expect, test } from 'vitest'
import {
  askFromElsewhere,
  connected,
  fiveWeeks,
  memoryDuring,
  openedListeners,
  type Listener,
} from './listeners.ts'

const requests = (path: string, count: number): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count)

/** Statuses in the order of the answers. */
const statuses = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status)

/** The longest wait of five probes, ms. */
async function slowestProbe(url: Listener): Promise<number> {
  let slowest = 0
  for (let index = 0; index < 5; index += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, busy } = await askFromElsewhere(url, '/-/healthy')
    expect(status).toBe(200)
    slowest = Math.max(slowest, busy)
  }
  return slowest
}

test.each([
  ['reads nothing', false],
  ['reads', true],
])('42,000 bytes of scrapes on one connection of a client that %s', async (_, isReading) => {
  await using listeners = await openedListeners(400)
  const count = Math.floor(42_000 / requests('/metrics', 1).length)
  const { bytes } = await askFromElsewhere(listeners.telemetry, '/metrics')
  let slowest = 0
  const memory = await memoryDuring(async () => {
    const client = await connected(listeners.telemetry, { isReading })
    client.socket.write(requests('/metrics', count))
    slowest = await slowestProbe(listeners.telemetry)
    if (isReading) await client.closed
    const scraped = await askFromElsewhere(listeners.telemetry, '/metrics')
    expect(scraped.bytes).toBeGreaterThan(bytes * 0.9)
    client.socket.destroy()
  })
  expect(slowest).toBeLessThan(250)
  expect(memory.peak).toBeLessThan(2 * memory.before)
})

test('400 reports on one connection silence no listener', async () => {
  await using listeners = await openedListeners(10, '', fiveWeeks(200))
  const client = await connected(listeners.api)
  client.socket.write(requests('/api/v1/report?week=2026-W02', 400))
  const slowest = await slowestProbe(listeners.telemetry)
  const other = await askFromElsewhere(listeners.api, '/api/v1/status')
  await client.closed
  expect(other.status).toBe(200)
  expect(slowest).toBeLessThan(250)
  expect(other.busy).toBeLessThan(250)
})

test('two reports are made at a time, others are told when to ask again', async () => {
  await using listeners = await openedListeners(1, '', fiveWeeks(2))
  const client = await connected(listeners.api)
  client.socket.write(requests('/api/v1/report?week=2026-W02', 5))
  await client.closed
  expect(statuses(client.text())).toEqual(['200', '200', '429', '429', '429'])
  expect(client.text()).toContain('retry-after: 5')
})

test('of the requests in flight on a connection the fifth is refused, and the connection closed', async () => {
  await using listeners = await openedListeners(1)
  const client = await connected(listeners.telemetry)
  client.socket.write(requests('/metrics', 5) + requests('/-/healthy', 64))
  await client.closed
  expect(statuses(client.text())).toEqual(['200', '200', '200', '200', '429'])
  const counted = await listeners.counts('dormouse_http_requests_total')
  expect(counted).toContain('dormouse_http_requests_total{route="none",code="429"} 1')
})

test('1,000 requests one after the other are answered on one connection, which is then closed', async () => {
  await using listeners = await openedListeners(1)
  const client = await connected(listeners.telemetry)
  let answered = 0
  client.socket.on('data', () => {
    answered += 1
    client.socket.write(requests('/-/healthy', 1))
  })
  client.socket.write(requests('/-/healthy', 1))
  await client.closed
  expect(answered).toBe(1000)
})
