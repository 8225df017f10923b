// Real clients over real Postgres: with and without TLS, by name and by IP address.
import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { readFileSync, rmSync } from 'node:fs'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import { QUICK, type Subject, call, makeFolder, query, quickLocal, subject, until } from '../support.ts'
import { psql, run, start, waysTo } from './programs.ts'
import { bySize, longTest, splitCases, testWith } from '../../support/tiers.ts'

const test = testWith('psql', 'pgbench')

const SSL = `select ssl, current_setting('application_name') from pg_stat_ssl where pid = pg_backend_pid()`

let local: Local
let shop: Subject
let ways: ReturnType<typeof waysTo>
const folder = makeFolder()

beforeAll(async () => {
  local = await startQuickly({ folder, ...QUICK })
  shop = await subject(local)
  await shop.settled('active')
  ways = waysTo(shop.uri, (await shop.record()).host)
})

afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true })
})

const without = (uri: string): string => uri.replace('verify-full', 'disable')

describe('psql', () => {
  test.each([
    ['as copied', () => ways.byIp, 't|psql'],
    ['as copied, with channel binding', () => `${ways.byIp}&channel_binding=require`, 't|psql'],
    ['by name', () => ways.byName(), 't|psql'],
    ['by name, with channel binding', () => `${ways.byName()} channel_binding=require`, 't|psql'],
    ['without TLS', () => without(ways.byIp), 'f|psql'],
    ['with require alone', () => ways.byIp.replace(/verify-full.*/, 'require'), 't|psql'],
    ['without saying', () => ways.byIp.replace(/&sslmode.*/, ''), 't|psql'],
  ])('%s', async (_, connection, answer) => {
    expect(await psql(connection(), SSL)).toBe(answer)
  })

  test('through the compute’s own port', async () => {
    const own = new URL(shop.uri)
    own.port = String(shop.truth().port)
    own.searchParams.delete('options')
    expect(await psql(own.href, SSL)).toBe('t|psql')
    expect(await psql(without(own.href), SSL)).toBe('f|psql')
  })

  test('with a wrong password, a wrong name, or a certificate of somebody else', async () => {
    expect(await psql(ways.byName().replace('password=', 'password=x'), SSL)).toMatch(
      /password authentication/,
    )
    const other = 'ep-none.local.localhost'
    expect(await psql(ways.byName(other), SSL)).toMatch(/endpoint not found: ep-none/)
    expect(await psql(ways.byName('elsewhere.example'), SSL)).toMatch(/does not match host name/)
  })
})

async function expectServed(_: string, mode: string, to: () => string): Promise<void> {
  const { status, out } = await run('/usr/bin/pgbench', ['-nM', mode, '-c4', '-t25', to()])
  expect([status, out]).toEqual([0, expect.stringContaining('processed: 100/100')])
}

describe('pgbench', () => {
  beforeAll(() => run('/usr/bin/pgbench', ['-iq', ways.byIp]))
  const modes = ['simple', 'extended', 'prepared']
  const places = [
    ['by IP', () => ways.byIp],
    ['by name', () => ways.byName()],
    ['without TLS', () => without(ways.byIp)],
  ] as const
  // one case of four: each place and each mode
  const [short, others] = splitCases(
    places.flatMap(([place, to]) => modes.map((mode) => [place, mode, to] as const)),
    modes.length + 1,
  )
  test.each(short)('%s, %s', expectServed)
  longTest.each(others)('%s, %s', expectServed)
})

/** A connection by host name without a resolver: the name goes into TLS only. */
function byName(name: string): ClientConfig {
  const { port, username, password, searchParams } = new URL(shop.uri)
  const ssl = { ca: readFileSync(searchParams.get('sslrootcert') ?? '', 'utf8'), servername: name }
  return { host: '127.0.0.1', port: Number(port), user: username, password, database: 'app', ssl }
}

describe('node pg', () => {
  test.each([
    ['as copied', () => ({ connectionString: shop.uri }), true],
    ['with channel binding', () => ({ connectionString: shop.uri, enableChannelBinding: true }), true],
    ['with direct TLS', () => ({ connectionString: `${shop.uri}&sslnegotiation=direct` }), true],
    ['without TLS', () => ({ connectionString: without(shop.uri) }), false],
    ['by name', () => byName(`${shop.endpointId}.local.localhost`), true],
    [
      'by name with channel binding',
      () => ({ ...byName(`${shop.endpointId}.local.localhost`), enableChannelBinding: true }),
      true,
    ],
    ['by another name', () => ({ ...byName('localhost'), options: `endpoint=${shop.endpointId}` }), true],
  ])('%s', async (_, config, ssl) => {
    const client = new Client({ ...config(), application_name: 'node' })
    await client.connect()
    expect((await client.query(SSL)).rows).toEqual([{ ssl, current_setting: 'node' }])
    expect((await client.query('select $1::int + 1 as n', [1])).rows).toEqual([{ n: 2 }])
    await client.end()
  })
})

/** In full more than there are connections. */
const CROWD = bySize(200, 40)

test('many clients at once, by every kind of name, are served by one start', async () => {
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const { wakes } = shop.truth()
  const config = { connectionTimeoutMillis: 30_000, application_name: 'crowd' }
  const clients = Array.from({ length: CROWD }, (_, n) => {
    const connectionString = n % 2 === 0 ? shop.uri : without(shop.uri)
    const client = new Client({ connectionString, ...config })
    client.on('error', () => undefined)
    return client
  })
  const answers = await Promise.all(
    clients.map(async (client) => {
      try {
        await client.connect()
        return (await client.query('select 1 as one')).rows[0].one
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      } finally {
        await client.end()
      }
    }),
  )
  const full = answers.filter((answer) => /too many|remaining connection slots/.test(String(answer)))
  expect(answers.filter((answer) => answer === 1).length + full.length).toBe(CROWD)
  expect(answers).toContain(1)
  expect(shop.truth().wakes.slice(wakes.length)).toMatchObject([
    { cause: 'client', applicationName: 'crowd', user: 'app_owner' },
  ])
})

test('a query that wakes a compute by its host name is answered', async () => {
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const { wakes } = shop.truth()
  expect(await psql(ways.byName(), SSL)).toBe('t|psql')
  expect(shop.truth().wakes.slice(wakes.length)).toMatchObject([
    { cause: 'client', applicationName: 'psql', user: 'app_owner' },
  ])
})

test.each([
  ['by IP', () => ways.byIp],
  ['by name', () => ways.byName()],
  ['without TLS', () => without(ways.byIp)],
])('Ctrl-C in psql ends the query, %s', async (_, connection) => {
  const { child, ran } = start('psql', ['-XAtc', 'select pg_sleep(60)', connection()])
  await until('the query runs', async () => {
    const sleeping = `select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
    return (await query(shop.uri, sleeping))[0].n === 1
  })
  child.kill('SIGINT')
  expect((await ran).err).toMatch(/canceling statement/)
})

test('the suffix of host names is that of the option, in records, certificate and proxy', async () => {
  const other = await quickLocal({ hostSuffix: 'db.example' })
  const its = await subject(other)
  const { host, proxy_host: proxyHost } = await its.record()
  expect([host, proxyHost]).toEqual([`${its.endpointId}.db.example`, 'db.example'])
  expect(await psql(waysTo(its.uri, host).byName(), SSL)).toBe('t|psql')
})
