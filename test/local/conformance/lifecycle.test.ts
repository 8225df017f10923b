// States and transitions, effects of changes, and the rules of the compute routes.
import type { Client } from 'pg'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Subject, call, connected, query, subject, until } from '../support.ts'
import { ended, freshBranch, serviceFor } from './service.ts'

const local = serviceFor()
let shop: Subject
let endpoints: string

beforeAll(async () => {
  shop = await subject(local())
  endpoints = `/projects/${shop.projectId}/endpoints`
})

/** Each test starts with an active compute and no operation in progress. */
beforeEach(async () => {
  await ended(local(), shop.projectId)
  await call(local(), `POST ${shop.path}/start`)
  await ended(local(), shop.projectId)
})

const patch = (endpoint: Record<string, unknown>): ReturnType<typeof call> =>
  call(local(), `PATCH ${shop.path}`, { body: { endpoint } })

const create = (endpoint: Record<string, unknown>): ReturnType<typeof call> =>
  call(local(), `POST ${endpoints}`, { body: { endpoint } })

async function idle(): Promise<void> {
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
}

/** Newest first. */
async function actions(): Promise<readonly string[]> {
  const { operations } = (await call(local(), `GET /projects/${shop.projectId}/operations`)).body
  return operations.map(({ action, status }) => `${action} ${status}`)
}

type Watched = { readonly session: Client; readonly isDropped: () => boolean }

/** A session, and whether the server ended it. */
async function watched(): Promise<Watched> {
  const session = await connected(shop.uri)
  let dropped = false
  session.once('end', () => (dropped = true))
  return { session, isDropped: () => dropped }
}

const startedAt = async (): Promise<unknown> =>
  (await query(shop.uri, 'select pg_postmaster_start_time()::text as at'))[0]

/** Changes the compute while a session is open. Returns whether the session was dropped and the server replaced. */
async function effectOf(
  change: () => Promise<unknown>,
): Promise<readonly [dropped: boolean, restarted: boolean]> {
  const before = await startedAt()
  const { session, isDropped } = await watched()
  await change()
  await ended(local(), shop.projectId)
  const restarted = JSON.stringify(await startedAt()) !== JSON.stringify(before)
  if (restarted) await until('the session ends', () => isDropped())
  else await session.query('select 1')
  const dropped = isDropped()
  await session.end()
  return [dropped, restarted]
}

test('S-05 a branch has at most one primary read-write compute', async () => {
  expect((await create({ branch_id: shop.branchId, type: 'read_write' })).status).toBe(409)
  const { endpoints: all } = (await call(local(), `GET ${endpoints}`)).body
  expect(all.filter(({ branch_id: of }) => of === shop.branchId)).toHaveLength(1)
})

test('S-09 a compute suspends itself after inactivity and starts again on the next access', async () => {
  await patch({ suspend_timeout_seconds: 1 })
  await shop.settled('idle')
  expect(await query(shop.uri, 'select 1 as again')).toEqual([{ again: 1 }])
  await ended(local(), shop.projectId)
  await patch({ suspend_timeout_seconds: -1 })
})

test('S-48 creation returns init, pending active, and a running start_compute', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  const { body, status } = await create({ branch_id: branchId, type: 'read_write' })
  expect([status, body]).toMatchObject([
    201,
    {
      endpoint: { current_state: 'init', pending_state: 'active' },
      operations: [{ action: 'start_compute', status: 'running' }],
    },
  ])
})

test('S-53 a suspension by inactivity is recorded as suspend_compute', async () => {
  await patch({ suspend_timeout_seconds: 1 })
  await shop.settled('idle')
  expect((await actions())[0]).toBe('suspend_compute finished')
  await patch({ suspend_timeout_seconds: -1 })
})

test('S-54 idle becomes active on a query', async () => {
  await idle()
  await query(shop.uri, 'select 1')
  expect((await shop.record()).current_state).toBe('active')
})

test('S-55 that wake is recorded as start_compute', async () => {
  await idle()
  await query(shop.uri, 'select 1')
  expect((await actions())[0]).toBe('start_compute finished')
})

test('S-57 an update keeps current_state in the response', async () => {
  expect((await patch({ name: 'fifty-seven' })).body.endpoint.current_state).toBe('active')
  await ended(local(), shop.projectId)
  await idle()
  expect((await patch({ name: 'idle' })).body.endpoint).toMatchObject({
    current_state: 'idle',
    pending_state: 'active',
  })
})

test('S-58 an update returns apply_config running and suspend_compute scheduling', async () => {
  const { operations } = (await patch({ name: 'fifty-eight' })).body
  expect(operations.map(({ action, status }) => [action, status])).toEqual([
    ['apply_config', 'running'],
    ['suspend_compute', 'scheduling'],
  ])
})

test('S-59 restart ends active', async () => {
  await call(local(), `POST ${shop.path}/restart`)
  await ended(local(), shop.projectId)
  expect((await shop.record()).current_state).toBe('active')
})

test('S-60 suspension followed by new activity has the effect of a restart', async () => {
  const before = await startedAt()
  await idle()
  expect(await startedAt()).not.toEqual(before)
})

test('S-61 restart interrupts existing connections', async () => {
  expect(await effectOf(() => call(local(), `POST ${shop.path}/restart`))).toEqual([true, true])
})

test('S-62 delete removes the compute from the list', async () => {
  const { body } = await create({
    branch_id: await freshBranch(local(), shop.projectId),
    type: 'read_write',
    disabled: true,
  })
  await call(local(), `DELETE ${endpoints}/${body.endpoint.id}`)
  const { endpoints: all } = (await call(local(), `GET ${endpoints}`)).body
  expect(all.map(({ id }) => id)).not.toContain(body.endpoint.id)
})

test('S-63 delete returns the record and an empty operations array', async () => {
  const { endpoint } = (
    await create({
      branch_id: await freshBranch(local(), shop.projectId),
      type: 'read_write',
      disabled: true,
    })
  ).body
  expect((await call(local(), `DELETE ${endpoints}/${endpoint.id}`)).body).toMatchObject({
    endpoint: { id: endpoint.id },
    operations: [],
  })
})

test('S-64 changing the size of a fixed compute restarts it and drops its connections', async () => {
  const size = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 }
  expect(await effectOf(() => patch(size))).toEqual([true, true])
})

test('S-65 changing the autoscaling minimum restarts it and drops its connections', async () => {
  await patch({ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 })
  await ended(local(), shop.projectId)
  expect(await effectOf(() => patch({ autoscaling_limit_min_cu: 1 }))).toEqual([true, true])
})

test('S-66 changing the autoscaling maximum restarts it and drops its connections', async () => {
  await patch({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 })
  await ended(local(), shop.projectId)
  expect(await effectOf(() => patch({ autoscaling_limit_max_cu: 2 }))).toEqual([true, true])
})

test('S-68 changing the autosuspend setting restarts nothing, and connections survive', async () => {
  expect(await effectOf(() => patch({ suspend_timeout_seconds: 3600 }))).toEqual([false, false])
  expect(await effectOf(() => patch({ suspend_timeout_seconds: -1 }))).toEqual([false, false])
})

test('S-70 deletion is permanent: the id stays unknown', async () => {
  const { endpoint } = (
    await create({
      branch_id: await freshBranch(local(), shop.projectId),
      type: 'read_write',
      disabled: true,
    })
  ).body
  const path = `${endpoints}/${endpoint.id}`
  await call(local(), `DELETE ${path}`)
  expect((await call(local(), `GET ${path}`)).status).toBe(404)
  expect((await call(local(), `POST ${path}/start`)).status).toBe(404)
  expect((await call(local(), `DELETE ${path}`)).status).toBe(204)
})

test('S-79 creation takes branch_id and type, both required, and answers endpoint and operations', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  expect((await create({ branch_id: branchId })).body.message).toContain('endpoint.type')
  expect((await create({ type: 'read_write' })).body.message).toContain('endpoint.branch_id')
  const { body } = await create({ branch_id: branchId, type: 'read_write' })
  expect(body).toMatchObject({ endpoint: { branch_id: branchId, type: 'read_write' }, operations: [{}] })
})

test('S-81 an update takes the changed fields and answers endpoint and operations', async () => {
  const { body } = await patch({ suspend_timeout_seconds: 600, name: 'eighty-one' })
  expect(body).toMatchObject({
    endpoint: { suspend_timeout_seconds: 600, name: 'eighty-one' },
    operations: [{}, {}],
  })
  await ended(local(), shop.projectId)
  expect(await shop.record()).toMatchObject({ suspend_timeout_seconds: 600, name: 'eighty-one' })
})

test('S-82 delete has no body and answers endpoint and no operations', async () => {
  const { endpoint } = (
    await create({ branch_id: await freshBranch(local(), shop.projectId), type: 'read_write' })
  ).body
  await ended(local(), shop.projectId)
  const { body, status } = await call(local(), `DELETE ${endpoints}/${endpoint.id}`)
  expect([status, body.endpoint.id, body.operations]).toEqual([200, endpoint.id, []])
})

test('S-83 restart has no body', async () => {
  const { status, body } = await call(local(), `POST ${shop.path}/restart`)
  expect([status, body.endpoint.id]).toEqual([200, shop.endpointId])
})

test('S-84 creation is refused when the branch has a primary compute', async () => {
  const answer = await create({ branch_id: shop.branchId, type: 'read_write' })
  expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining(shop.branchId)])
})

test('S-86 creation without a branch is refused', async () => {
  expect((await create({ type: 'read_write' })).status).toBe(400)
  expect((await create({ type: 'read_write', branch_id: 'br-none' })).status).toBe(404)
})

test('S-87 an update of branch_id moves the compute: it serves the data of the new branch', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  await query(shop.uri, 'create table only_on_main as select 1 as n')
  const { body } = await patch({ branch_id: branchId })
  expect(body.endpoint.branch_id).toBe(branchId)
  await ended(local(), shop.projectId)
  expect((await shop.record()).branch_id).toBe(branchId)
  await expect(query(shop.uri, 'select n from only_on_main')).rejects.toThrow('does not exist')
  await patch({ branch_id: shop.branchId })
  await ended(local(), shop.projectId)
  expect(await query(shop.uri, 'select n from only_on_main')).toEqual([{ n: 1 }])
})

test('S-88 an update of branch_id is refused when the target has a primary compute', async () => {
  const branchId = await freshBranch(local(), shop.projectId)
  await create({ branch_id: branchId, type: 'read_write', disabled: true })
  await ended(local(), shop.projectId)
  const answer = await patch({ branch_id: branchId })
  expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining(branchId)])
  expect((await shop.record()).branch_id).toBe(shop.branchId)
})

test('S-89 the update response lists the resulting operations', async () => {
  const { operations } = (await patch({ name: 'eighty-nine' })).body
  await ended(local(), shop.projectId)
  const { operations: all } = (await call(local(), `GET /projects/${shop.projectId}/operations`)).body
  expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(operations.map(({ id }) => id)))
})
