// Hosts and connection strings of a malicious service: no address but the allowed ones is asked, no file is opened, and no password is
// sent in clear text.
import fs from 'node:fs'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from '../../src/daemon/clock.ts'
import { explain } from '../../src/daemon/http/api/explain.ts'
import { statusJson } from '../../src/daemon/http/api/status-json.ts'
import { defaultHosts, isHostAllowed } from '../../src/model/service/allowed-hosts.ts'
import { seconds } from '../../src/model/units.ts'
import { createReadings, type ReadingsOptions } from '../../src/observe/reading/readings.ts'
import { ok } from '../../src/std/result.ts'
import { compute } from '../support/build.ts'
import { bodyText, FACTS, partsOf } from '../support/exposed.ts'
import { snapshotOf } from '../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { startHostilePostgres } from './postgres.ts'

const PASSWORD = 'canary-4711'
const never = new AbortController().signal

let asked: unknown[] = []
let opened: unknown[] = []
beforeEach(() => {
  ;[asked, opened] = [[], []]
  const connect: unknown = Reflect.get(Socket.prototype, 'connect')
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function spied(this: Socket, ...given: unknown[]) {
    const [port, host] = given
    asked.push(`${String(host)}:${String(port)}`)
    // nothing of these tests leaves the machine
    const target = typeof port === 'number' && host === '127.0.0.1' ? [port, host] : [1, '127.0.0.1']
    return Reflect.apply(connect as () => Socket, this, target)
  })
  vi.spyOn(fs, 'readFileSync').mockImplementation((path) => {
    opened.push(path)
    return 'no certificate'
  })
})
afterEach(() => vi.restoreAllMocks())

const optionsFor = (over: Partial<ReadingsOptions>): ReadingsOptions => ({
  clock: createClock(),
  dsn: undefined,
  password: () => PASSWORD,
  hosts: defaultHosts('https://console.example.com/api/v2'),
  tls: { sslmode: 'verify-full', sslrootcert: undefined },
  authentication: ['scram-sha-256'],
  database: undefined,
  serviceUsers: [],
  deadline: seconds(0.3),
  ...over,
})

/** `PORT` stands for a server that asks for passwords in clear text. */
const HOSTS = [
  '127.0.0.1:PORT/x?sslmode=disable&a=',
  '127.0.0.1',
  '127.0.0.1:PORT',
  'localhost',
  'evil@127.0.0.1:PORT/x?sslmode=disable&a=',
  'ep-one.example.com:PORT/x?sslmode=disable&host=127.0.0.1&a=',
  'ep-one.example.com/x?host=/var/run/postgresql&a=',
  'ep-one.example.com/x?sslrootcert=/dev/zero&a=',
  'ep-one.example.com?sslkey=/etc/shadow&sslcert=/etc/shadow#',
  'ep-one.example.com#',
  'ep-one.example.com\n127.0.0.1',
  'ep-one.example.com\0.evil.test',
  'ep-one.example.com ',
  'ep-one.example.com.',
  '.example.com',
  'evilexample.com',
  'example.com.evil.test',
  'com',
  '%2Fvar%2Frun%2Fpostgresql',
  '/var/run/postgresql',
  '[::1]',
  '2130706433',
  '0x7f000001',
  '127.1',
  '169.254.169.254',
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(130)}example.com`,
  'EP-ONE.EXAMPLE.COM',
  'ep_one.example.com',
  'еp-one.example.com',
  '-ep.example.com',
  '',
]

test.each(HOSTS)('a record with the host %j is not read, and its server is not asked', async (host) => {
  await using server = await startHostilePostgres(() => 'clear text')
  const { port } = server
  const hostile = compute({ host: host.replaceAll('PORT', String(port)) })
  const readings = createReadings(
    optionsFor({ dsn: `postgresql://dormouse@{host}:${port}/{database}?sslmode=disable` }),
  )
  expect(readings.refusalOf(hostile)).toBe('host-not-allowed')
  expect(await readings.read(hostile, 'light', never)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('host-not-allowed'),
  })
  expect({ asked, opened, connections: server.connections() }).toEqual({
    asked: [],
    opened: [],
    connections: 0,
  })
})

/** With `127.0.0.1` allowed. A string either asks this address by TLS, or nobody. */
const URIS = [
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?sslmode=disable',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?sslmode=no-verify',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?ssl=0',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?ssl=false&sslmode=prefer&uselibpqcompat=true',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?sslmode=verify-full&sslrootcert=/dev/zero',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?sslcert=/etc/passwd&sslkey=/etc/passwd',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?host=10.0.0.1&port=1',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?host=/var/run/postgresql',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?user=postgres&password=other',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?options=-c%20search_path%3Dpublic',
  'postgresql://u:canary-4711@127.0.0.1:PORT/x?replication=database',
  'postgresql://u%00replication%00true:canary-4711@127.0.0.1:PORT/x',
  'postgresql://u:canary-4711@127.0.0.2:PORT/x',
  'postgresql://u:canary-4711@[::1]:PORT/x',
  'postgresql://u:canary-4711@evil.test:PORT/x?sslmode=disable',
  'postgresql://u:canary-4711@127.0.0.1.evil.test/x',
  'postgresql://u:canary-4711@%2Fvar%2Frun/x?sslmode=disable',
  'postgresql:///x?host=127.0.0.1&port=PORT&user=u&password=canary-4711&sslmode=disable',
  'postgresql://u:canary-4711@127.0.0.1:0/x',
  'postgresql://u:canary-4711@127.0.0.1:99999/x',
  'postgresql://u:%ZZ@127.0.0.1:PORT/x',
  'postgresql://127.0.0.1:PORT/x?sslmode=disable',
  'socket:/var/run/postgresql?db=x',
  '/var/run/postgresql x',
  'postgresql://u:canary-4711@127.0.0.1,evil.test:PORT/x',
]

test.each(URIS)('of the connection string %s nothing but login and address is used', async (text) => {
  await using server = await startHostilePostgres(() => 'clear text')
  const { port } = server
  const uri = text.replaceAll('PORT', String(port))
  const readings = createReadings(
    optionsFor({ ask: () => Promise.resolve(ok({ reveal: () => uri })), hosts: ['127.0.0.1', 'local'] }),
  )
  await readings.prepare(compute(), never)
  expect(await readings.read(compute(), 'light', never)).toMatchObject({ kind: 'failed' })
  expect(asked.filter((address) => address !== `127.0.0.1:${port}`)).toEqual([])
  expect(opened).toEqual([])
  expect(server.received()).not.toContain(PASSWORD)
  // only the request for TLS
  expect(server.received().length).toBe(8 * server.connections())
})

test('a host that is not allowed is named in status, explanation and metrics', async () => {
  const snapshot = snapshotOf(2, {
    compute: (index) => ({ host: index === 0 ? 'ep-0.example.com' : 'evil.test' }),
    shown: { hosts: ['example.com'] },
  })
  expect(statusJson(snapshot).accounts).toMatchObject([{ hosts_not_allowed: 1 }])
  const sources = { history: NO_HISTORY, baseUrlOf: () => '', windows: () => new Map() }
  expect(await explain(snapshot, 'ep-1', sources)).toMatchObject({
    value: { compute: { reading_problem: expect.stringContaining('host-not-allowed') } },
  })
  expect(await explain(snapshot, 'ep-0', sources)).toMatchObject({
    value: { compute: { reading_problem: null } },
  })
  expect(bodyText(partsOf(snapshot, FACTS))).toContain(
    'dormouse_computes_unreadable{reason="host_not_allowed"} 1\n',
  )
})

test.each([
  ['https://console.neon.tech/api/v2', 'ep-one.us-east-2.aws.neon.tech', true],
  ['https://console.neon.tech/api/v2', 'neon.tech.evil.test', false],
  ['https://service:8443/api/v2', 'ep-one.service', true],
  ['https://10.1.2.3/api/v2', '10.1.2.3', true],
  ['https://10.1.2.3/api/v2', 'x.10.1.2.3', false],
  ['https://10.1.2.3/api/v2', '10.1.2.4', false],
  ['http://127.0.0.1:4000/api/v2', 'ep-one.local.localhost', true],
  ['http://127.0.0.1:4000/api/v2', '127.17.2.3', true],
  ['http://127.0.0.1:4000/api/v2', '127.evil.test', false],
  ['http://127.0.0.1:4000/api/v2', 'ep-one.example.com', false],
  ['http://localhost:4000/api/v2', 'localhost', true],
  ['http://[::1]:4000/api/v2', 'ep-one.localhost', true],
])('of a service at %s the host %s: %s', (baseUrl, host, allowed) => {
  expect(isHostAllowed(host, defaultHosts(baseUrl))).toBe(allowed)
})
