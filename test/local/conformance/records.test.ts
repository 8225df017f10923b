// Projects, branches, computes and operations as records, and the routes that list them.
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Subject, call, query, subject } from '../support.ts'
import { ended, freshBranch, serviceFor } from './service.ts'
import { longTest } from '../../support/tiers.ts'

const local = serviceFor()
let shop: Subject

beforeAll(async () => {
  shop = await subject(local())
  await shop.settled('active')
})

beforeEach(() => ended(local(), shop.projectId))

type Record_ = Readonly<Record<string, unknown>>

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

async function project(): Promise<Record_> {
  return { ...(await call(local(), 'GET /projects')).body.projects[0] }
}

async function compute(): Promise<Record_> {
  return { ...(await shop.record()) }
}

async function operations(): Promise<readonly Record_[]> {
  return (await call(local(), `GET /projects/${shop.projectId}/operations`)).body.operations.map((one) => ({
    ...one,
  }))
}

const typesOf = (record: Record_, fields: readonly string[]): unknown[] =>
  fields.map((field) => (Number.isInteger(record[field]) ? 'integer' : typeof record[field]))

test('S-01 the base address ends with /api/v2 and every path is relative to it', async () => {
  expect(local().baseUrl).toMatch(/\/api\/v2$/)
  const { origin } = new URL(local().baseUrl)
  expect((await call({ ...local(), baseUrl: `${origin}/api/v1` }, 'GET /projects')).status).toBe(404)
  expect((await call(local(), 'GET /projects')).status).toBe(200)
})

test('S-02 a default branch comes with a primary read-write compute', async () => {
  const made = (await call(local(), 'POST /projects', { body: { project: { name: 'two' } } })).body
  expect(made.endpoints).toMatchObject([{ type: 'read_write', branch_id: made.branch.id }])
  expect(made.branch.default).toBe(true)
})

longTest('S-03 a database is reached only through a compute of the branch that holds it', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  const base = `/projects/${shop.projectId}/connection_uri?database_name=app&role_name=app_owner`
  expect((await call(local(), `GET ${base}&branch_id=${branchId}`)).status).toBe(404)
  expect((await call(local(), `GET ${base}&branch_id=${shop.branchId}`)).status).toBe(200)
})

test('S-04 a compute is associated with exactly one branch', async () => {
  const { branches } = (await call(local(), `GET /projects/${shop.projectId}/branches`)).body
  const computes = await Promise.all(
    branches.map(async ({ id }) => {
      const path = `GET /projects/${shop.projectId}/branches/${id}/endpoints`
      return (await call(local(), path)).body.endpoints.map((one) => one.id)
    }),
  )
  expect(computes.flat()).toEqual([shop.endpointId])
})

test('S-11 timestamps are YYYY-MM-DDTHH:MM:SSZ, UTC', async () => {
  const records = [await project(), await compute(), ...(await operations())]
  const stamps = records.flatMap((record) =>
    Object.entries(record).filter(([field]) => /_at$|^last_active$/.test(field)),
  )
  expect(stamps.length).toBeGreaterThan(6)
  for (const [, stamp] of stamps) expect(stamp).toMatch(STAMP)
  const age = Date.now() - Date.parse(String((await compute())['started_at']))
  expect(age).toBeLessThan(60_000)
})

test('S-20 ids, names and hosts of a project are strings', async () => {
  const record = await project()
  const fields = ['id', 'name', 'platform_id', 'region_id', 'provisioner', 'proxy_host']
  expect(typesOf(record, fields)).toEqual(fields.map(() => 'string'))
  expect(record['proxy_host']).toMatch(/^[a-z0-9.-]+$/)
})

test('S-21 cpu_used_sec, pg_version and branch_logical_size_limit are integers', async () => {
  const fields = ['cpu_used_sec', 'pg_version', 'branch_logical_size_limit']
  expect(typesOf(await project(), fields)).toEqual(fields.map(() => 'integer'))
})

test('S-22 locked is boolean', async () => {
  expect(typesOf(await project(), ['locked'])).toEqual(['boolean'])
})

test('S-23 created_at and updated_at of a project are timestamps', async () => {
  const record = await project()
  expect([record['created_at'], record['updated_at']]).toEqual([
    expect.stringMatching(STAMP),
    expect.stringMatching(STAMP),
  ])
})

test('S-24 a branch id starts with br-', async () => {
  const { branches } = (await call(local(), `GET /projects/${shop.projectId}/branches`)).body
  for (const { id } of branches) expect(id).toMatch(/^br-/)
})

test('S-25 a compute id starts with ep-', async () => {
  expect((await compute())['id']).toMatch(/^ep-/)
})

test('S-26 host is the host name to connect to', async () => {
  expect((await compute())['host']).toMatch(new RegExp(`^${shop.endpointId}\\.[a-z0-9.-]+$`))
})

test('S-27 a compute names its project, its branch and its region', async () => {
  expect(await compute()).toMatchObject({
    project_id: shop.projectId,
    branch_id: expect.stringMatching(/^br-/),
    region_id: expect.any(String),
  })
})

test('S-28 the type of a primary compute is read_write', async () => {
  expect((await compute())['type']).toBe('read_write')
})

test('S-29 current_state is init, active or idle', async () => {
  const made = (await call(local(), 'POST /projects', { body: { project: {} } })).body
  const twin = { ...shop, path: `/projects/${made.project.id}/endpoints/${made.endpoints[0]?.id}` }
  expect(made.endpoints[0]?.current_state).toBe('init')
  expect((await compute())['current_state']).toBe('active')
  const states = new Set<unknown>()
  for (let looks = 0; looks < 50; looks += 1)
    states.add((await call(local(), `GET ${twin.path}`)).body.endpoint.current_state)
  for (const state of states) expect(['init', 'active', 'idle']).toContain(state)
})

/** Seconds that every operation locks its project: long enough to be observed. */
async function holdOperations(lockTime: number): Promise<void> {
  const answer = await fetch(new URL('/_control', local().baseUrl), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults: { lockTime } }),
  })
  expect(answer.status).toBe(200)
}

test('S-30 pending_state is there while a change is under way and absent otherwise', async () => {
  onTestFinished(() => holdOperations(0))
  await holdOperations(0.5)
  expect(await compute()).not.toHaveProperty('pending_state')
  await call(local(), `POST ${shop.path}/suspend`)
  expect(await compute()).toMatchObject({ current_state: 'active', pending_state: 'idle' })
  expect(await shop.settled('idle')).not.toHaveProperty('pending_state')
  await call(local(), `POST ${shop.path}/start`)
  expect(await compute()).toMatchObject({ current_state: 'idle', pending_state: 'active' })
  expect(await shop.settled('active')).not.toHaveProperty('pending_state')
})

test('S-31 the limits are numbers, in CU', async () => {
  expect(await compute()).toMatchObject({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 })
})

test('S-32 settings contains pg_settings, empty by default', async () => {
  expect((await compute())['settings']).toEqual({ pg_settings: {} })
})

test('S-33 pooler_enabled is boolean and pooler_mode a string', async () => {
  expect(await compute()).toMatchObject({ pooler_enabled: expect.any(Boolean), pooler_mode: 'transaction' })
})

test('S-34 disabled and passwordless_access are boolean', async () => {
  expect(typesOf(await compute(), ['disabled', 'passwordless_access'])).toEqual(['boolean', 'boolean'])
})

test('S-35 last_active is absent until the compute has been active', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  const body = { endpoint: { branch_id: branchId, type: 'read_write', disabled: true } }
  const made = await call(local(), `POST /projects/${shop.projectId}/endpoints`, { body })
  expect(made.body.endpoint).not.toHaveProperty('last_active')
  expect((await compute())['last_active']).toMatch(STAMP)
})

test('S-36 created_at and updated_at of a compute are timestamps, proxy_host is a string', async () => {
  expect(await compute()).toMatchObject({
    created_at: expect.stringMatching(STAMP),
    updated_at: expect.stringMatching(STAMP),
    proxy_host: expect.any(String),
  })
})

test('S-38 an operation id is a UUID', async () => {
  for (const { id } of await operations()) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

test('S-39 an operation names project, branch and the compute concerned', async () => {
  const ofCompute = (await operations()).filter(({ action }) => action !== 'create_branch')
  for (const operation of ofCompute) {
    expect(operation).toMatchObject({
      project_id: shop.projectId,
      branch_id: shop.branchId,
      endpoint_id: shop.endpointId,
    })
  }
})

test('S-40 actions are start_compute, apply_config and suspend_compute', async () => {
  await call(local(), `PATCH ${shop.path}`, { body: { endpoint: { name: 'forty' } } })
  await ended(local(), shop.projectId)
  const actions = new Set((await operations()).map(({ action }) => action))
  expect([...actions]).toEqual(expect.arrayContaining(['start_compute', 'apply_config', 'suspend_compute']))
})

test('S-41 statuses are running and scheduling while work is open', async () => {
  const { operations: open } = (
    await call(local(), `PATCH ${shop.path}`, { body: { endpoint: { name: 'forty-one' } } })
  ).body
  expect(open.map(({ status }) => status)).toEqual(['running', 'scheduling'])
  await shop.settled('active')
})

test('S-42 failures_count is an integer that starts at 0', async () => {
  for (const operation of await operations()) expect(operation['failures_count']).toBe(0)
})

test('S-43 created_at and updated_at of an operation are timestamps', async () => {
  for (const operation of await operations()) {
    expect(operation['created_at']).toMatch(STAMP)
    expect(operation['updated_at']).toMatch(STAMP)
  }
})

test('S-74 requests send and accept JSON, and all bodies are JSON', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const body = { endpoint: { name: 'seventy-four' } }
  const answer = await call(local(), `PATCH ${shop.path}`, { body, headers })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const text = { ...headers, 'content-type': 'text/plain' }
  expect((await call(local(), `PATCH ${shop.path}`, { body, headers: text })).status).toBe(415)
  expect((await call(local(), 'GET /projects', { headers: { accept: 'text/html' } })).status).toBe(406)
  await shop.settled('active')
})

test('S-78 the project list needs no parameters', async () => {
  const { body, status } = await call(local(), 'GET /projects')
  expect([status, body.projects.map(({ name }) => name)]).toEqual([200, expect.arrayContaining(['shop'])])
})

test('S-80 the compute list has all computes of the project', async () => {
  const { endpoints } = (await call(local(), `GET /projects/${shop.projectId}/endpoints`)).body
  expect(endpoints.map(({ id }) => id)).toContain(shop.endpointId)
  expect(new Set(endpoints.map(({ project_id: of }) => of))).toEqual(new Set([shop.projectId]))
})

test('S-97 background work is visible as operation records', async () => {
  const before = (await operations()).length
  await call(local(), `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  await query(shop.uri, 'select 1')
  expect((await operations()).slice(0, -before).map(({ action }) => action)).toEqual([
    'start_compute',
    'suspend_compute',
  ])
})
