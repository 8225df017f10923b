// Read replicas: real standbys with processes, ports and data of their own.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Local, startLocal } from '../../src/local/start.ts'
import {
  type Answered,
  QUICK,
  type Subject,
  call,
  connected,
  freshFolder,
  query,
  quickLocal,
  subject,
  subjectOf,
  until,
} from './support.ts'

const ask = (local: Local, { projectId, branchId }: Subject, more: object = {}): Promise<Answered> =>
  call(local, `POST /projects/${projectId}/endpoints`, {
    body: { endpoint: { branch_id: branchId, type: 'read_only', suspend_timeout_seconds: -1, ...more } },
  })

/** A replica of the compute, awake. */
async function replicaOf(local: Local, primary: Subject, more: object = {}): Promise<Subject> {
  const { status, body } = await ask(local, primary, more)
  expect(status).toBe(201)
  const replica = await subjectOf(local, body.endpoint)
  await replica.settled('active')
  return replica
}

const suspend = async (local: Local, compute: Subject): Promise<void> => {
  await call(local, `POST ${compute.path}/suspend`)
  await compute.settled('idle')
}

const shopOf = async (local: Local): Promise<Subject> => {
  const shop = await subject(local)
  await shop.settled('active')
  return shop
}

const SLOTS = 'select slot_name::text as name from pg_replication_slots'

test('S-06, S-85: several replicas follow one primary, and a write through one fails', async () => {
  const local = await quickLocal()
  const shop = await shopOf(local)
  await query(shop.uri, 'create table kept as select 1 as n')
  const first = await replicaOf(local, shop)
  const second = await replicaOf(local, shop)
  expect([(await first.record()).type, (await shop.record()).type]).toEqual(['read_only', 'read_write'])
  await query(shop.uri, 'insert into kept values (2)')
  for (const replica of [first, second])
    await until('the replica shows the row', async () => {
      const rows = await query(replica.uri, 'select n from kept order by n')
      return rows.length === 2
    })
  await expect(query(first.uri, 'insert into kept values (3)')).rejects.toThrow('read-only transaction')
  expect(new Set([shop, first, second].map((compute) => compute.truth().port)).size).toBe(3)
})

test('a replica that sleeps while the primary writes and falls asleep shows the row when it wakes', async () => {
  const local = await quickLocal({ folder: join(freshFolder(), `it's "100%"`) })
  const shop = await shopOf(local)
  const replica = await replicaOf(local, shop)
  await suspend(local, replica)
  await query(shop.uri, 'create table kept as select generate_series(1, 100000) as n')
  await suspend(local, shop)
  expect(await query(replica.uri, 'select count(*)::int as n from kept')).toEqual([{ n: 100_000 }])
  expect((await shop.record()).current_state).toBe('idle')

  await query(shop.uri, 'insert into kept values (0)')
  await until('the awake replica follows the primary to its new port', async () => {
    const [{ n }] = await query(replica.uri, 'select count(*)::int as n from kept')
    return n === 100_001
  })
})

test('a replica made while the primary sleeps has its data, roles of the API included', async () => {
  const local = await quickLocal({ behaviour: { patchWakesIdle: false } })
  const shop = await shopOf(local)
  await query(shop.uri, 'create table kept as select 7 as n')
  await suspend(local, shop)
  const roles = `/projects/${shop.projectId}/branches/${shop.branchId}/roles`
  const made = await call(local, `POST ${roles}`, { body: { role: { name: 'reader' } } })
  expect(made.status).toBe(201)
  const replica = await replicaOf(local, shop)
  const { uri } = (
    await call(
      local,
      `GET /projects/${shop.projectId}/connection_uri?database_name=app&role_name=reader&endpoint_id=${replica.endpointId}`,
    )
  ).body
  expect(await query(uri, 'select current_user::text as me')).toEqual([{ me: 'reader' }])
  expect(await query(replica.uri, 'select n from kept')).toEqual([{ n: 7 }])
  expect(shop.truth().wakes).toHaveLength(1)
})

test('a primary with an awake replica falls asleep, and so does a replica whose primary sleeps', async () => {
  const local = await quickLocal({ projects: [{ name: 'shop', suspendTimeoutSeconds: 1 }] })
  const shop = await shopOf(local)
  const replica = await replicaOf(local, shop, { suspend_timeout_seconds: 3 })
  await shop.settled('idle')
  expect(replica.truth().suspends).toBe(0)
  await replica.settled('idle')
  expect(shop.truth().wakes).toHaveLength(1)
  expect(replica.truth().wakes).toHaveLength(1)
})

test('a replica has the connection limit of its own size; its primary may have a higher one', async () => {
  const local = await quickLocal()
  const shop = await shopOf(local)
  const replica = await replicaOf(local, shop)
  await connected(replica.uri)
  await call(local, `PATCH ${shop.path}`, {
    body: { endpoint: { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 } },
  })
  await shop.settled('active')
  await replica.settled('idle')
  expect(replica.truth().stops).toMatchObject([{ why: 'config', open: 1 }])
  expect(await query(replica.uri, 'show max_connections')).toEqual([{ max_connections: '225' }])
  const clients = await Promise.all(Array.from({ length: 112 }, () => connected(replica.uri)))
  await expect(query(replica.uri, 'select 1')).rejects.toThrow(/too many/)
  await Promise.all(clients.map((client) => client.end()))
  expect(await query(shop.uri, 'show max_connections')).toEqual([{ max_connections: '225' }])
})

test('a deleted replica leaves neither data nor slot, whether its primary is awake or not', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await shopOf(local)
  const [first, second] = [await replicaOf(local, shop), await replicaOf(local, shop)]
  expect(await query(shop.uri, SLOTS)).toHaveLength(2)
  const answer = await call(local, `DELETE ${first.path}`)
  expect(answer.body).toMatchObject({ endpoint: { type: 'read_only' }, operations: [] })
  await until('the slot is gone', async () => (await query(shop.uri, SLOTS)).length === 1)
  await suspend(local, shop)
  await call(local, `DELETE ${second.path}`)
  expect(await query(shop.uri, SLOTS)).toEqual([])
  await until('the data is gone', () =>
    readdirSync(join(folder, 'branches')).every((name) => name === shop.branchId),
  )
})

test('a replica moves to another branch and shows the data of that one', async () => {
  const local = await quickLocal()
  const shop = await shopOf(local)
  await query(shop.uri, `create table kept as select 'old' as branch`)
  const replica = await replicaOf(local, shop)
  const made = await call(local, `POST /projects/${shop.projectId}/branches`, {
    body: { endpoints: [{ type: 'read_write' }, { type: 'read_only' }] },
  })
  expect(made.status).toBe(201)
  const [writer, other] = await Promise.all(made.body.endpoints.map((record) => subjectOf(local, record)))
  if (!writer || !other) throw new Error('two computes were asked for')
  await writer.settled('active')
  await query(writer.uri, `update kept set branch = 'new'`)
  await other.settled('active')
  await call(local, `PATCH ${replica.path}`, { body: { endpoint: { branch_id: writer.branchId } } })
  await replica.settled('active')
  for (const reader of [replica, other])
    await until('the row of the new branch is there', async () => {
      const [{ branch }] = await query(reader.uri, 'select branch from kept')
      return branch === 'new'
    })
  expect(await query(shop.uri, SLOTS)).toEqual([])
  expect(await query(writer.uri, SLOTS)).toHaveLength(2)
})

test('S-07: the free plan refuses a replica', async () => {
  const local = await quickLocal({ plan: 'free' })
  const shop = await shopOf(local)
  const { status, body } = await ask(local, shop)
  expect([status, body.message]).toEqual([403, 'endpoint.type: read replicas need a paid plan'])
})

test('a replica that missed more than its primary keeps is cloned anew', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await shopOf(local)
  const replica = await replicaOf(local, shop)
  await suspend(local, replica)
  await query(shop.uri, `create table kept as select n, repeat('x', 900) from generate_series(1, 150000) n`)
  await suspend(local, shop)
  await query(shop.uri, 'checkpoint').catch(() => undefined)
  await query(shop.uri, `insert into kept select * from kept`)
  await suspend(local, shop)
  expect(existsSync(join(folder, 'branches', replica.endpointId))).toBe(true)
  expect(await query(replica.uri, 'select count(*)::int as n from kept')).toEqual([{ n: 300_000 }])
})

test('after a restart of the service primary and replica wake, and the replica still follows', async () => {
  const folder = freshFolder()
  const first = await startLocal({ folder, ...QUICK })
  onTestFinished(() => first.stop())
  const shop = await shopOf(first)
  await query(shop.uri, 'create table kept as select 1 as n')
  const replica = await replicaOf(first, shop)
  await first.stop()
  const local = await quickLocal({ folder })
  expect(await query(replica.uri, 'select n from kept')).toEqual([{ n: 1 }])
  const again = await subject(local)
  await query(again.uri, 'update kept set n = 2')
  await until('the replica shows the change', async () => {
    const [{ n }] = await query(replica.uri, 'select n from kept')
    return n === 2
  })
})
