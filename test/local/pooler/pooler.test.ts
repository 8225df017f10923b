// The pooled host over real Postgres and the PgBouncer of this machine.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { findPgBouncer, poolerOf } from '../../../src/local/pooler/pooler.ts'
import type { LocalOptions } from '../../../src/local/start.ts'
import { psql, run, start, waysTo } from '../proxy/programs.ts'
import {
  type Service,
  type Subject,
  call,
  connected,
  freshFolder,
  query,
  quickLocal,
  subject,
  until,
} from '../support.ts'
import { testWith } from '../../support/tiers.ts'

const test = testWith('pgbouncer', 'psql', 'pgbench')

type Scene = { readonly shop: Subject; readonly folder: string; readonly pooled: string }

/** A compute whose pooled host is open, and its pooled URI. */
async function scene(options: Partial<LocalOptions> = {}): Promise<Scene> {
  const folder = freshFolder()
  const local = await quickLocal({ folder, ...options })
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { pooler_enabled: true } } })
  await shop.settled('active')
  const route = `/projects/${shop.projectId}/connection_uri?database_name=app&role_name=app_owner&pooled=true`
  return { shop, folder, pooled: (await call(local, `GET ${route}`)).body.uri }
}

/** Process ids of the poolers that run on this folder. */
const poolersIn = (folder: string): number[] =>
  readdirSync(join(folder, 'poolers')).flatMap((name) => poolerOf(join(folder, 'poolers', name)) ?? [])

test('the pooled host is served by name, by option and without TLS, each transaction by any server connection', async () => {
  const { shop, folder, pooled } = await scene()
  const ways = waysTo(pooled, `${shop.endpointId}-pooler.local.localhost`)
  for (const connection of [pooled, ways.byName(), pooled.replace('verify-full', 'disable')])
    expect(await psql(connection, 'select 1')).toBe('1')
  expect(poolersIn(folder)).toHaveLength(1)
  // no channel binding there, as the pooler terminates the login
  expect(await psql(`${pooled}&channel_binding=require`, 'select 1')).toMatch(/channel binding/)
  expect(await psql(pooled.replace(/:[^:@]*@/, ':wrong@'), 'select 1')).toMatch(/authentication failed/)
  for (const mode of ['simple', 'extended']) {
    if (mode === 'simple') await run('/usr/bin/pgbench', ['-iq', shop.uri])
    const { status, out } = await run('/usr/bin/pgbench', ['-nM', mode, '-c8', '-t25', pooled])
    expect([status, out]).toEqual([0, expect.stringContaining('processed: 200/200')])
  }
  const [one, other] = [await connected(pooled), await connected(pooled)]
  const pid = `select pg_backend_pid() as pid`
  expect((await one.query(pid)).rows).toEqual((await other.query(pid)).rows)
  await one.end()
  await other.end()
})

test('a password changed in SQL applies at once', async () => {
  const { shop, pooled } = await scene()
  expect(await psql(pooled, 'select 1')).toBe('1')
  await query(shop.uri, `alter role current_user password 'changed-in-sql'`)
  expect(await psql(pooled.replace(/:[^:@]*@/, ':changed-in-sql@'), 'select current_user')).toBe('app_owner')
})

test('a sleeping compute is woken by its pooled host; its pooler ends with it, and its clients are disconnected', async () => {
  const { shop, folder, pooled } = await scene({ projects: [{ name: 'shop', suspendTimeoutSeconds: 2 }] })
  await shop.settled('idle')
  const session = await connected(pooled, 'kept open')
  const ended = new Promise((resolve) => void session.once('end', resolve))
  await session.query('select 1')
  expect(poolersIn(folder)).toHaveLength(1)
  // an open session without queries and its idle server connection do not keep the compute awake
  await shop.settled('idle')
  await ended
  await until('the pooler is gone', () => poolersIn(folder).length === 0)
  const { wakes } = shop.truth()
  expect(wakes.at(-1)).toMatchObject({ cause: 'client', applicationName: 'kept open', user: 'app_owner' })
  expect(await psql(pooled, 'select 1')).toBe('1')
})

test('without PgBouncer the refusal says what to install, and the direct host serves', async () => {
  vi.stubEnv('PGBOUNCER', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { shop, pooled } = await scene()
  expect(await psql(pooled, 'select 1')).toMatch(/needs? PgBouncer.*apt install pgbouncer/s)
  expect(await psql(shop.uri, 'select 1')).toBe('1')
})

test('a pooler that dies disconnects its clients, and the next client gets another', async () => {
  const { folder, pooled } = await scene()
  const session = await connected(pooled)
  const ended = new Promise((resolve) => void session.once('end', resolve))
  const [pid = 0] = poolersIn(folder)
  process.kill(pid, 'SIGKILL')
  await ended
  await until('a new one serves', async () => (await psql(pooled, 'select 1')) === '1')
  expect(poolersIn(folder)).not.toContain(pid)
})

test('Ctrl-C reaches a query behind the pooler', async () => {
  const { shop, pooled } = await scene()
  const { child, ran } = start('psql', ['-XAtc', 'select pg_sleep(60)', pooled])
  const active = `select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
  await until('the query runs', async () => (await query(shop.uri, active))[0].n === 1)
  child.kill('SIGINT')
  expect((await ran).err).toMatch(/canceling statement/)
})

test('no pooler runs after stop', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { pooler_enabled: true } } })
  await shop.settled('active')
  expect(await psql(shop.uri.replace(shop.endpointId, `${shop.endpointId}-pooler`), 'select 1')).toBe('1')
  const [pid] = poolersIn(folder)
  await local.stop()
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false)
  expect(readdirSync(join(folder, 'poolers'))).toEqual([])
})

test('a pooler that outlives a killed service is ended by the next start', async () => {
  const folder = freshFolder()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../serve.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = await new Promise<Buffer>((resolve) => void child.stdout.once('data', resolve))
  const service: Service = { ...JSON.parse(String(said)), truth: () => ({ now: '', computes: [] }) }
  const shop = await subject(service)
  await shop.settled('active')
  await call(service, `PATCH ${shop.path}`, { body: { endpoint: { pooler_enabled: true } } })
  await shop.settled('active')
  expect(await psql(shop.uri.replace(shop.endpointId, `${shop.endpointId}-pooler`), 'select 1')).toBe('1')
  const [pid = 0] = poolersIn(folder)
  const exited = new Promise((resolve) => void child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
  expect(poolersIn(folder)).toEqual([pid])

  const stopped: number[] = []
  await quickLocal({
    folder,
    log: (event) => void (event.kind === 'orphan-stopped' && stopped.push(event.pid)),
  })
  expect(stopped).toContain(pid)
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false)
  expect(readdirSync(join(folder, 'poolers'))).toEqual([])
})

test.each([
  [{ PGBOUNCER: '/bin/sh', PATH: '/nowhere' }, '/bin/sh'],
  [{ PGBOUNCER: '/nowhere' }, undefined],
  [{ PATH: '/nowhere' }, '/usr/sbin/pgbouncer'],
])('in the environment %o PgBouncer is %s', (environment, found) => {
  expect(findPgBouncer(environment)).toBe(found)
})
