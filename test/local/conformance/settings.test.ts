// Postgres settings of a compute, and disabled computes.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Subject, call, query, subject } from '../support.ts'
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
  await settings({ work_mem: '7MB', 'my.word': 'a b' })
  await ended(local(), shop.projectId)
  expect(await startedAt()).not.toBe(startedBefore)
  expect(await query(shop.uri, 'show work_mem')).toEqual([{ work_mem: '7MB' }])
  expect((await shop.record()).settings.pg_settings).toEqual({ work_mem: '7MB', 'my.word': 'a b' })
  const refused = [
    [{ work_mem: 'banana' }, 'work_mem'],
    [{ work_mem: '8MB', no_such_setting: '1' }, 'no_such_setting'],
    [{ max_connections: '9' }, 'max_connections'],
    [{ archive_command: 'rm -rf /' }, 'archive_command'],
    [{ work_mem: "8MB'\nport = 1" }, 'work_mem'],
    [{ 'work_mem=8MB -c x': '1' }, 'work_mem=8MB'],
  ] as const
  for (const [pgSettings, name] of refused) {
    const answer = await settings(pgSettings)
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(name)])
  }
  expect((await shop.record()).settings.pg_settings).toEqual({ work_mem: '7MB', 'my.word': 'a b' })
  await settings({})
  await ended(local(), shop.projectId)
  expect(await query(shop.uri, 'show work_mem')).toEqual([{ work_mem: '4MB' }])
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
