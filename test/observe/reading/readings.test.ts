import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Reading, ReadingResult } from '../../../src/model/observation.ts'
import { seconds } from '../../../src/model/units.ts'
import { clientsQuery } from '../../../src/observe/reading/clients-query.ts'
import { FIND_EXTENSION } from '../../../src/observe/reading/cache-query.ts'
import { LIMITS_QUERY, USAGE_QUERY, WORKERS_QUERY } from '../../../src/observe/reading/server-query.ts'
import { createReadings, serverReading, type ReadingsOptions } from '../../../src/observe/reading/readings.ts'
import { until, uriOf } from '../../end-to-end/support.ts'
import { makeFolder } from '../../local/support.ts'
import { compute } from '../../support/build.ts'
import { longTest } from '../../support/tiers.ts'

const folder = makeFolder()
let local: Local
let target: Compute
let owner: Client

beforeAll(async () => {
  local = await startQuickly({
    folder,
    projects: [{ name: 'one', cu: 0.25 }],
    wakeLatency: { min: 0, max: 0 },
    cacheScale: 64,
  })
  const real = await until('a started compute', () => local.truth().computes[0])
  target = compute({ projectId: real.projectId, endpointId: real.endpointId, state: 'active' })
  owner = new Client({ connectionString: await uriOf(local, real.projectId), application_name: 'web' })
  await owner.connect()
  await owner.query(
    'create table item as select n, repeat(md5(n::text), 9) as filler from generate_series(1, 20000) n',
  )
})
afterAll(async () => {
  await owner.end()
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

const never = new AbortController().signal

const readingOptions = (over: Partial<ReadingsOptions> = {}): ReadingsOptions => ({
  clock: createClock(),
  dsn: `postgresql://dormouse@127.0.0.1:${local.proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable`,
  password: () => local.monitoringPassword,
  // the builder's compute is `ep-one.local`
  hosts: ['local'],
  tls: { sslmode: 'verify-full', sslrootcert: undefined },
  authentication: ['scram-sha-256'],
  database: 'app',
  serviceUsers: ['cloud_admin'],
  deadline: seconds(5),
  ...over,
})

const read = (kind: Reading['kind'], over: Partial<ReadingsOptions> = {}): Promise<ReadingResult> =>
  createReadings(readingOptions(over)).read(target, kind, never)

async function readingOf(kind: Reading['kind'], over: Partial<ReadingsOptions> = {}): Promise<Reading> {
  const result = await read(kind, over)
  if (result.kind !== 'read') throw new Error(`expected a reading, got ${JSON.stringify(result)}`)
  return result.reading
}

test('a full reading has limits, clients, causes and the counters of the file cache', async () => {
  await owner.query('select count(*) from item')
  const reading = await until('the service to have counted', async () => {
    const seen = await readingOf('full')
    return 'missing' in seen.cache || seen.cache.misses > 0 ? seen : undefined
  })
  expect(reading).toMatchObject({
    kind: 'full',
    maxConnections: 112,
    reservedConnections: 3,
    cacheLimit: 819 * 2 ** 20,
    connections: { active: 0, idle: 1, idleInTransaction: 0, other: 0 },
    causes: { working: 0, replication: 0, subscriptions: 0, autovacuum: 0, prepared: 0 },
    clients: [{ application: 'web', user: 'app_owner', database: 'app', connections: 1, working: 0 }],
    workingSet: [60, 300, 900, 3600].map((window) => ({ window, size: expect.any(Number) })),
  })
  expect(reading.postmasterStartedAt).toBeLessThan(Date.now())
  expect('missing' in reading.cache ? reading.cache : reading.cache.misses).toBeGreaterThan(0)
})

const LIGHT = { missing: 'a light reading' }

test('a light reading sees the clients of every database, and leaves the cache alone', async () => {
  const reading = await readingOf('light')
  expect(reading.connections).toEqual({ active: 0, idle: 1, idleInTransaction: 0, other: 0 })
  expect(reading).toMatchObject({ cache: LIGHT, workingSet: LIGHT })
})

test('a light reading is made in the maintenance database whatever database the dsn names, a full one in that', async () => {
  const { dsn = '' } = readingOptions()
  const naming = (name: string) => ({ dsn: dsn.replace('{database}', name) })
  expect(await read('light', naming('nowhere'))).toMatchObject({ kind: 'read' })
  expect(await read('full', naming('nowhere'))).toMatchObject({
    kind: 'failed',
    message: 'database "nowhere" does not exist',
  })
  for (const name of ['app', 'postgres'])
    // oxlint-disable-next-line no-await-in-loop -- one session after the other
    expect(await readingOf('full', naming(name))).toMatchObject({ cache: { hits: expect.any(Number) } })
})

test('a transaction that is left open is seen, and neither we nor service users are clients', async () => {
  await owner.query('begin')
  const seen = await readingOf('light')
  const hidden = await readingOf('light', { serviceUsers: ['cloud_admin', 'app_owner'] })
  await owner.query('rollback')
  expect(seen).toMatchObject({
    connections: { idleInTransaction: 1 },
    causes: { idleInTransaction: 1, longestTransaction: expect.any(Number) },
    clients: [{ application: 'web', idleInTransaction: 1 }],
  })
  expect(hidden).toMatchObject({
    connections: { active: 0, idle: 0, idleInTransaction: 0, other: 0 },
    clients: [],
  })
})

const LIMITS = LIMITS_QUERY.row.parse({
  max_connections: 112,
  reserved_connections: 3,
  started_ms: Date.UTC(2026),
  now_ms: Date.UTC(2026),
  cache_limit: null,
  sees_all: true,
})
const CLIENTS = clientsQuery([]).row.parse({
  total: 0,
  active: 0,
  idle: 0,
  idle_in_transaction: 0,
  working: 0,
  last_statement_ms: null,
  longest_transaction: null,
  groups: null,
})
const WORKERS = { replication: 0, subscriptions: 0, autovacuum: 0, prepared: 0 }
const USAGE = USAGE_QUERY.row.parse({ sessions: 7, active_ms: 40 })
const ROWS = { limits: LIMITS, clients: CLIENTS, workers: WORKERS, use: USAGE }

test('a role that may not see other clients says so instead of counting none', () => {
  const missing = { missing: expect.stringContaining('pg_monitor') }
  expect(serverReading({ ...ROWS, limits: { ...LIMITS, seesAll: false } })).toMatchObject({
    maxConnections: 112,
    connections: missing,
    causes: missing,
    clients: missing,
    usage: { sessions: 7, activeTime: 40 },
  })
})

test.each([
  ['clients', ['connections', 'causes', 'clients']],
  ['workers', ['causes']],
  ['use', ['usage']],
] as const)('without %s only what rests on it is missing', (part, expected) => {
  const reading = serverReading({ ...ROWS, [part]: { missing: 'permission denied' } })
  const missing = Object.entries(reading).flatMap(([key, value]) =>
    typeof value === 'object' && 'missing' in value ? [key] : [],
  )
  expect(missing).toEqual(expected)
})

test('a database without the extension leaves the rest of the reading standing', async () => {
  const reading = await readingOf('full', { database: 'postgres' })
  expect(reading.cache).toEqual({ missing: expect.stringContaining('create extension neon') })
  expect(reading.maxConnections).toBe(112)
})

test('without a word on TLS the connection is encrypted and verified, or there is none', async () => {
  const dsn = readingOptions().dsn?.replace('&sslmode=disable', '')
  expect(await read('light', { dsn })).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/SSL|certificate/),
  })
})

test('a wrong password and a missing one are failures that say what to do', async () => {
  expect(await read('light', { password: () => 'wrong' })).toMatchObject({
    kind: 'failed',
    because: 'error',
    message: expect.stringMatching(/password authentication failed.*: check role and password in dsn/),
  })
  expect(await read('light', { password: () => undefined })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('dsn_password_file'),
  })
})

test('a server that accepts and never answers is a time-out, and its connection is closed', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = once(server, 'connection')
  const dsn = `postgresql://dormouse@127.0.0.1:${(server.address() as AddressInfo).port}/{database}?sslmode=disable`
  expect(await read('light', { dsn, deadline: seconds(0.2) })).toMatchObject({
    kind: 'failed',
    because: 'timeout',
  })
  const [socket] = (await connection) as [Socket]
  if (!socket.closed) await once(socket.resume(), 'close')
  server.close()
})

test('what a reading saw stands where the connection is not closed from the other side', async () => {
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect(local.proxyPort, '127.0.0.1')
    client.pipe(server)
    server.pipe(client, { end: false })
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const opened = once(relay, 'connection')
  const { dsn = '' } = readingOptions()
  const { port } = relay.address() as AddressInfo
  expect(await readingOf('light', { dsn: dsn.replace(String(local.proxyPort), String(port)) })).toMatchObject(
    {
      connections: { idle: 1 },
    },
  )
  const [socket] = (await opened) as [Socket]
  if (!socket.closed) socket.destroy()
  relay.close()
})

longTest('a server with no connection left is at its limit, which is an answer', async () => {
  const crowd: Client[] = []
  let refusal: unknown
  while (refusal === undefined && crowd.length <= 112) {
    const client = new Client(connection())
    client.on('error', () => undefined)
    refusal = await client.connect().then(
      () => void crowd.push(client),
      (error: unknown) => error,
    )
  }
  expect(refusal).toMatchObject({ code: '53300' })
  expect(await read('light')).toEqual({ kind: 'at-limit' })
  await Promise.allSettled(crowd.map((client) => client.end()))
})

/** Functions and operators of others that fit what readings call, each of which notes who ran it. */
const TRAPS = `
  create table public.loot (who name, what text);
  grant insert on public.loot to public;
  create function public.note(what text) returns void language plpgsql as
    $$ begin insert into public.loot values (current_user, what); end $$;
  create function public.times(numeric, integer) returns numeric language plpgsql as
    $$ begin perform public.note('*'); return pg_catalog.numeric_mul($1, $2::numeric); end $$;
  create operator public.* (leftarg = numeric, rightarg = integer, function = public.times);
  create function public.differs(text, text) returns boolean language plpgsql as
    $$ begin perform public.note('<>'); return pg_catalog.textne($1, $2); end $$;
  create operator public.<> (leftarg = text, rightarg = text, function = public.differs);
  create function public.equals(text, text) returns boolean language plpgsql as
    $$ begin perform public.note('='); return pg_catalog.texteq($1, $2); end $$;
  create operator public.= (leftarg = text, rightarg = text, function = public.equals);
  create function public.alike(text, text) returns boolean language plpgsql as
    $$ begin perform public.note('like'); return pg_catalog.textlike($1, $2); end $$;
  create operator public.~~ (leftarg = text, rightarg = text, function = public.alike);
  create function public.current_setting(text) returns text language plpgsql as
    $$ begin perform public.note('current_setting'); return pg_catalog.current_setting($1); end $$;
  create function public.starts_with(text, text) returns boolean language plpgsql as
    $$ begin perform public.note('starts_with'); return pg_catalog.starts_with($1, $2); end $$;
  create domain public.float8 as pg_catalog.float8;
  alter database app set search_path = public, pg_catalog;
`

test('functions and operators that others planted are not run, whatever the search path (CVE-2018-1058)', async () => {
  await owner.query(TRAPS)
  expect((await readingOf('full')).kind).toBe('full')
  // as behind a pooler that drops start-up options: the statements alone, with the search path of the database
  const behind = new Client({ ...connection(), user: 'dormouse', password: local.monitoringPassword })
  await behind.connect()
  const queries = [LIMITS_QUERY, clientsQuery(['x']), WORKERS_QUERY, USAGE_QUERY, FIND_EXTENSION]
  for (const { sql } of queries) await behind.query(sql)
  await behind.end()
  expect((await owner.query('select distinct who, what from public.loot')).rows).toEqual([])
})

const connection = (): ClientConfig => ({
  host: '127.0.0.1',
  port: local.proxyPort,
  user: 'app_owner',
  password: owner.password ?? '',
  database: 'app',
  options: `endpoint=${target.endpointId}`,
})
