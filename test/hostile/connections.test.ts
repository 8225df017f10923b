// Clients that hold connections open.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seconds } from '../../src/model/units.ts'
import { bySize, longTest, splitCases } from '../support/tiers.ts'
import { askFromElsewhere, connected, memoryDuring, openedListeners, type Client } from './listeners.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-connections-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
const WITH_TLS = `, tls: { cert_file: "${certFile}", key_file: "${keyFile}" }, telemetry_auth: { tls: true }`

beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'dormouse' }], {
    keySize: 2048,
  })
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
})

const scrape = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n'

/** First bytes of a TLS record that announces 512 more. */
const HALF_HELLO = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])

const KINDS = [
  ['send nothing', '', ''],
  ['send half a request line', 'GET /met', ''],
  ['send headers for ever', `${scrape}X-Slow: `, ''],
  ['read nothing of large answers', `${scrape}\r\n`.repeat(4), ''],
  ['never finish the TLS handshake', HALF_HELLO, WITH_TLS],
  ['keep a connection without requests', 'GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n', ''],
] as const

async function expectOthersServed(_: string, bytes: string | Buffer, server: string): Promise<void> {
  await using listeners = await openedListeners(bySize(200, 50), server)
  const { telemetry, counts } = listeners
  const clients: Client[] = []
  const memory = await memoryDuring(async () => {
    for (let index = 0; index < 64; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const client = await connected(telemetry, { isReading: false })
      client.socket.write(bytes)
      clients.push(client)
    }
    const probe = await askFromElsewhere(telemetry, '/-/healthy')
    const metrics = await askFromElsewhere(telemetry, '/metrics')
    expect([probe.status, metrics.status]).toEqual([200, 200])
    expect(probe.busy + metrics.busy).toBeLessThan(1000)
  })
  expect(memory.peak - memory.before).toBeLessThan(100 * 2 ** 20)
  const beyond = 'dormouse_http_connections_refused_total{listener="telemetry",limit="address"} 48'
  expect(await counts('dormouse_http_connections_refused_total')).toContain(beyond)
  for (const { socket } of clients) socket.destroy()
}
const [someKinds, otherKinds] = splitCases(KINDS, 4)
test.each(someKinds)('64 connections that %s lock out nobody else', expectOthersServed)
longTest.each(otherKinds)('64 connections that %s lock out nobody else', expectOthersServed)

test.each([
  ['all connections', ''],
  ['all connections of a listener with TLS', WITH_TLS],
])('where clients of many addresses hold %s, probes are answered and others told so', async (_, server) => {
  await using listeners = await openedListeners(1, server)
  const { telemetry, clock, lines } = listeners
  const clients = await Promise.all(
    Array.from({ length: 80 }, (__, index) => connected(telemetry, { from: `127.0.0.${3 + (index % 5)}` })),
  )
  expect((await askFromElsewhere(telemetry, '/-/healthy')).status).toBe(200)
  expect((await askFromElsewhere(telemetry, '/-/ready')).status).toBe(200)
  expect((await askFromElsewhere(telemetry, '/metrics')).status).toBe(503)
  await clock.advance(seconds(5))
  await askFromElsewhere(telemetry, '/-/healthy')
  await clock.advance(seconds(55))
  const logged = () => lines.map((line) => JSON.parse(line) as object).filter((line) => 'connections' in line)
  const line = { listener: 'server.telemetry', msg: 'connections beyond a limit were refused' }
  expect(logged()).toEqual([expect.objectContaining({ ...line, connections: 27 })])
  await clock.advance(seconds(5))
  expect(logged()).toHaveLength(2)
  for (const { socket } of clients) socket.destroy()
})

longTest.each(KINDS)('clients that %s do not hold up the end', async (_, bytes, server) => {
  const listeners = await openedListeners(50, server)
  const clients = await Promise.all(Array.from({ length: 24 }, () => connected(listeners.telemetry)))
  for (const { socket } of clients) socket.write(bytes)
  await askFromElsewhere(listeners.telemetry, '/-/healthy')
  const startedAt = performance.now()
  await listeners[Symbol.asyncDispose]()
  // a daemon has 10 s to stop, which a TLS handshake may wait
  expect(performance.now() - startedAt).toBeLessThan(5000)
  await Promise.all(clients.map(({ closed }) => closed))
})

test('a client that stops reading is cut after 30 s', async () => {
  await using listeners = await openedListeners(400)
  const { telemetry, clock } = listeners
  const { bytes } = await askFromElsewhere(telemetry, '/metrics')
  const client = await connected(telemetry, { isReading: false })
  client.socket.write(`${scrape}\r\n`.repeat(4))
  await askFromElsewhere(telemetry, '/-/healthy')
  await clock.advance(seconds(30))
  expect(client.socket.destroyed).toBe(false)
  await clock.advance(seconds(5))
  client.socket.resume()
  await client.closed
  expect(client.socket.bytesRead).toBeLessThan(4 * bytes)
})

longTest('connections that only wait are closed by the listener', async () => {
  const startedAt = performance.now()
  const closed = KINDS.filter(([kind]) => !kind.startsWith('read')).map(async ([, bytes, server]) => {
    await using listeners = await openedListeners(1, server)
    const clients = await Promise.all(Array.from({ length: 16 }, () => connected(listeners.telemetry)))
    for (const { socket } of clients) socket.write(bytes)
    await Promise.all(clients.map((client) => client.closed))
  })
  await Promise.all(closed)
  // Node looks every 5 s
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
