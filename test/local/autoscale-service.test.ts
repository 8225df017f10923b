// Autoscaling and the file cache on real Postgres.
import type { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Local } from '../../src/local/start.ts'
import { type Subject, call, connected, query, quickLocal, subject, subjectOf, until } from './support.ts'

/** A minute of the autoscaler's averages lasts 2.4 s; 0.25 CU has a file cache of 13 MB here. */
const SMALL = { cacheScale: 64, autoscaleEvery: 0.2 } as const

async function sized(local: Local, shop: Subject, [min, max]: readonly [number, number]): Promise<void> {
  await call(local, `PATCH ${shop.path}`, {
    body: { endpoint: { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } },
  })
  await shop.settled('active')
}

async function openSession(uri: string): Promise<Client> {
  const client = await connected(uri)
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

const value = async (session: Client, sql: string): Promise<string> =>
  String(Object.values((await session.query(sql)).rows[0])[0])

const STARTED = 'select pg_postmaster_start_time()::text'

const COUNTERS = `select file_cache_misses::int as misses, file_cache_hits::int as hits, file_cache_used::int as used,
  file_cache_hit_ratio::float8 as ratio from neon_stat_file_cache`

type Counters = {
  readonly misses: number
  readonly hits: number
  readonly used: number
  readonly ratio: number | null
}

const counters = async (session: Client): Promise<Counters> => (await session.query(COUNTERS)).rows[0]

const fill = (megabytes: number): string =>
  `create table big as select n, repeat('x', 900) as filler from generate_series(1, ${1000 * megabytes}) n`

/** Scans the table; resolves with the counters when they show the scans, except for pages in shared buffers. */
async function scanned(uri: string, times: number): Promise<Counters> {
  const [before] = await query(uri, COUNTERS)
  const pages = Number((await query(uri, `select pg_relation_size('big') / 8192 as pages`))[0].pages)
  for (let scan = 0; scan < times; scan += 1) await query(uri, 'select count(filler) from big')
  const session = await connected(uri)
  const now = await until('the counters show the scans', async () => {
    const after = await counters(session)
    return after.hits + after.misses - before.hits - before.misses >= times * pages * 0.8 && after
  })
  await session.end()
  return now
}

/** The hit ratio of three scans, after four that filled the cache. */
async function windowedRatio(uri: string): Promise<number> {
  const before = await scanned(uri, 4)
  const after = await scanned(uri, 3)
  return (after.hits - before.hits) / (after.hits - before.hits + after.misses - before.misses)
}

test('S-67: load moves the size inside the range and back, without a restart or a disconnect; the meter follows', async () => {
  const local = await quickLocal({ ...SMALL, autoscaleEvery: 0.1 })
  const shop = await subject(local)
  await shop.settled('active')
  await sized(local, shop, [0.25, 2])
  const session = await openSession(shop.uri)
  const startedAt = await value(session, STARTED)
  expect(await value(session, 'show neon.file_cache_size_limit')).toBe('819MB')

  const worker = await openSession(shop.uri)
  const pid = await value(worker, 'select pg_backend_pid()')
  const work = worker.query('select count(*) from generate_series(1, 1000000000000) n where n % 7 = 0').then(
    () => 'finished',
    (error: Error) => error.message,
  )
  await until('the compute has 1 CU', () => shop.truth().intervals.some(({ cu }) => cu >= 1))
  await until('its server knows', async () => {
    const limit = Number.parseInt(await value(session, 'show neon.file_cache_size_limit'), 10)
    return limit >= 3276
  })
  expect(
    await value(
      session,
      `select setting::int * 8 / 1024 >= 3276 from pg_settings where name = 'effective_cache_size'`,
    ),
  ).toBe('true')
  expect(await value(session, 'show max_connections')).toBe('112')
  await session.query(`select pg_cancel_backend(${pid})`)
  expect(await work).toMatch(/canceling statement/)
  await until('the compute is back at its minimum', () => shop.truth().intervals.at(-1)?.cu === 0.25)

  expect(await value(session, STARTED)).toBe(startedAt)
  const truth = shop.truth()
  const inRange = truth.intervals.slice(1)
  expect(inRange.length).toBeGreaterThanOrEqual(3)
  for (const [at, later] of inRange.slice(1).entries()) expect(later.from).toBe(inRange[at]?.to)
  expect(truth.suspends).toBe(1)
  expect(truth.wakes).toHaveLength(2)
})

test.each([
  ['S-64: the size of a fixed compute', [0.25, 0.25], [0.5, 0.5]],
  ['S-65: the minimum of a range', [0.25, 1], [0.5, 1]],
  ['S-66: the maximum of a range', [0.25, 1], [0.25, 2]],
] as const)('%s: a change restarts the compute and drops its connections', async (_, before, after) => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  await sized(local, shop, before)
  const session = await openSession(shop.uri)
  const startedAt = await value(session, STARTED)
  const ended = new Promise((resolve) => void session.once('end', resolve))
  await sized(local, shop, after)
  await ended
  expect(await value(await openSession(shop.uri), STARTED)).not.toBe(startedAt)
})

test('S-68: a changed delay keeps the session and the server', async () => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  const session = await openSession(shop.uri)
  const startedAt = await value(session, STARTED)
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { suspend_timeout_seconds: 3600 } } })
  await shop.settled('active')
  expect(await value(session, STARTED)).toBe(startedAt)
})

test('a working set too large for the file cache: more CU raise the hit ratio, fewer lower it', async () => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  await query(shop.uri, fill(40))
  const small = await windowedRatio(shop.uri)
  await sized(local, shop, [1, 1])
  const large = await windowedRatio(shop.uri)
  await sized(local, shop, [0.5, 0.5])
  const medium = await windowedRatio(shop.uri)
  expect(small).toBeLessThan(0.4)
  expect(medium).toBeGreaterThan(small + 0.2)
  expect(medium).toBeLessThan(0.8)
  expect(large).toBeGreaterThan(0.9)
})

test('the working set alone makes a compute grow inside its range, and the hit ratio with it', async () => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  await query(shop.uri, fill(40))
  await sized(local, shop, [0.25, 2])
  await scanned(shop.uri, 1)
  await until('the compute has grown', () => (shop.truth().intervals.at(-1)?.cu ?? 0) >= 0.75)
  expect(await windowedRatio(shop.uri)).toBeGreaterThan(0.8)
})

test('counters restart at each start, with a ratio of null; reading them opens no session in the database', async () => {
  const problems: unknown[] = []
  const local = await quickLocal({
    ...SMALL,
    projects: [{ name: 'shop', suspendTimeoutSeconds: 1 }],
    log: (event) => void (event.kind === 'problem' && problems.push(event)),
  })
  const shop = await subject(local)
  await query(shop.uri, fill(5))
  const { hits, misses, used } = await scanned(shop.uri, 3)
  expect(hits).toBeGreaterThan(0)
  expect(misses).toBeGreaterThan(0)
  expect(used).toBeGreaterThan(64 * 3)
  const outside = new URL(shop.uri)
  outside.pathname = '/postgres'
  const session = await openSession(outside.href)
  const sessions = `select sessions::int from pg_stat_database where datname = 'app'`
  const worker = await openSession(shop.uri)
  const before = await counters(worker)
  await worker.query('select count(filler) from big')
  await worker.query('select pg_stat_force_next_flush()')
  await worker.query('select 1')
  const opened = await value(session, sessions)
  await until(
    'the counters moved',
    async () => (await counters(worker)).misses + (await counters(worker)).hits > before.hits + before.misses,
  )
  expect(await value(session, sessions)).toBe(opened)
  await shop.settled('idle')
  expect((await query(shop.uri, COUNTERS))[0]).toEqual({ misses: 0, hits: 0, used: 0, ratio: null })
  expect(problems).toEqual([])
})

test('an altered table does not stop the counters of others, and a dropped database frees its room', async () => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  await query(shop.uri, fill(5))
  await query(shop.uri, 'create table locked as select 1 as n')
  const session = await openSession(shop.uri)
  await session.query('begin; alter table locked add column more text')
  await scanned(shop.uri, 2)
  await session.query('commit')
  const databases = `/projects/${shop.projectId}/branches/${shop.branchId}/databases`
  await call(local, `POST ${databases}`, { body: { database: { name: 'other', owner_name: 'app_owner' } } })
  const other = new URL(shop.uri)
  other.pathname = '/other'
  await until('the database is there', () => query(other.href, 'select 1').catch(() => undefined))
  await query(other.href, fill(5))
  const { used } = await scanned(other.href, 2)
  await until('the other database is gone', async () => {
    const { status } = await call(local, `DELETE ${databases}/other`)
    return status === 200
  })
  await until('its room is free', async () => {
    await query(shop.uri, 'select count(filler) from big')
    return (await query(shop.uri, COUNTERS))[0].used < used * 0.7
  })
})

test('a replica has a file cache of its own', async () => {
  const local = await quickLocal(SMALL)
  const shop = await subject(local)
  await shop.settled('active')
  await query(shop.uri, fill(5))
  const { body } = await call(local, `POST /projects/${shop.projectId}/endpoints`, {
    body: { endpoint: { branch_id: shop.branchId, type: 'read_only' } },
  })
  const replica = await subjectOf(local, body.endpoint)
  await replica.settled('active')
  const { misses, hits } = await scanned(replica.uri, 3)
  expect(misses).toBeGreaterThan(0)
  expect(hits).toBeGreaterThan(misses)
  expect((await query(shop.uri, COUNTERS))[0].hits).toBeLessThan(hits / 2)
})
