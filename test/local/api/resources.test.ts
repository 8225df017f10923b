// Projects, branches, roles, databases and consumption: refusals, and the data of branches.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startQuickly } from '../../support/start-quickly.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { ended, freshBranch, serviceFor } from '../conformance/service.ts'
import {
  QUICK,
  type Answered,
  type Service,
  type Subject,
  call,
  connected,
  freshFolder,
  query,
  subject,
} from '../support.ts'

const local = serviceFor()
let shop: Subject
let project: string
let branch: string

beforeAll(async () => {
  shop = await subject(local())
  project = `/projects/${shop.projectId}`
  branch = `${project}/branches/${shop.branchId}`
})

beforeEach(() => ended(local(), shop.projectId))

const ask = (route: string, body?: unknown): Promise<Answered> =>
  call(local(), route, body === undefined ? {} : { body })

test('settings that a server refuses are refused wherever they are sent', async () => {
  const pgSettings = { pg_settings: { work_mem: 'x' } }
  const endpoint = { type: 'read_write', settings: pgSettings }
  const answers = [
    await ask(`POST ${project}/branches`, { endpoints: [endpoint] }),
    await ask(`POST ${project}/endpoints`, { endpoint: { ...endpoint, branch_id: shop.branchId } }),
    await ask(`PATCH ${project}`, { project: { default_endpoint_settings: pgSettings } }),
    await ask('POST /projects', { project: { default_endpoint_settings: pgSettings } }),
  ]
  for (const { status, body } of answers)
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('pg_settings.work_mem: invalid value'),
    ])
})

test('roles and databases created or deleted while the compute sleeps are in place when it wakes', async () => {
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
  await ask(`POST ${branch}/roles`, { role: { name: 'sleeper' } })
  await ended(local(), shop.projectId)
  expect((await shop.record()).current_state).toBe('idle')
  await ask(`POST ${branch}/databases`, { database: { name: 'dreams', owner_name: 'sleeper' } })
  await ended(local(), shop.projectId)
  const { uri } = (await ask(`GET ${project}/connection_uri?database_name=dreams&role_name=sleeper`)).body
  await query(uri, 'create table dream as select 1 as n')
  expect(await query(uri, 'select count(*)::int as n from neon_stat_file_cache')).toEqual([{ n: 1 }])
  await ended(local(), shop.projectId)
  await query(shop.uri, 'create table kept as select 2 as n')
  await ask(`DELETE ${branch}/databases/dreams`)
  await ended(local(), shop.projectId)
  await ask(`DELETE ${branch}/roles/sleeper`)
  await ended(local(), shop.projectId)
  expect(await query(shop.uri, `select 1 from pg_roles where rolname = 'sleeper'`)).toEqual([])
  expect(await query(shop.uri, 'select n from kept')).toEqual([{ n: 2 }])
})

test('roles of the API create databases in SQL and pass row security, the reader for monitoring does not', async () => {
  await ask(`POST ${branch}/roles`, { role: { name: 'maker' } })
  await ended(local(), shop.projectId)
  const { uri } = (await ask(`GET ${project}/connection_uri?database_name=app&role_name=maker`)).body
  for (const [at, owner] of [shop.uri, uri].entries()) await query(owner, `create database shadow_${at}`)
  const [{ version }] = await query(uri, `select current_setting('server_version_num')::int as version`)
  const roles = `select rolname, rolcreatedb and rolbypassrls as makes, rolcreaterole as roles from pg_roles`
  expect(await query(uri, `${roles} where rolname in ('app_owner', 'maker', 'dormouse') order by 1`)).toEqual(
    ['app_owner', 'dormouse', 'maker'].map((rolname) => ({
      rolname,
      makes: rolname !== 'dormouse',
      roles: rolname !== 'dormouse' && version >= 160_000,
    })),
  )
  await ask(`DELETE ${branch}/roles/maker`)
  await ended(local(), shop.projectId)
  expect(await query(shop.uri, `select 1 from pg_roles where rolname = 'maker'`)).toEqual([])
})

test.each(['asleep', 'awake and writing'])(
  'a branch of a parent that is %s has all that was committed',
  async (parent) => {
    await query(shop.uri, 'drop table if exists ledger')
    await query(shop.uri, 'create table ledger (n int primary key)')
    await query(shop.uri, 'insert into ledger select generate_series(1, 5000)')
    if (parent === 'asleep') await call(local(), `POST ${shop.path}/suspend`)
    await ended(local(), shop.projectId)
    const writing = parent === 'asleep' ? [] : [1, 2, 3].map((n) => writes(n * 10_000))
    const created = await ask(`POST ${project}/branches`, { endpoints: [{ type: 'read_write' }] })
    expect(created.status).toBe(201)
    await Promise.all(writing)
    await ended(local(), shop.projectId)
    const branchId = created.body.branch.id
    const { uri } = (
      await ask(`GET ${project}/connection_uri?database_name=app&role_name=app_owner&branch_id=${branchId}`)
    ).body
    const [copied] = await query(
      uri,
      'select count(*)::int as n, count(*) filter (where n <= 5000)::int as first from ledger',
    )
    expect(copied.first).toBe(5000)
    const [original] = await query(shop.uri, 'select count(*)::int as n from ledger')
    expect(copied.n).toBeLessThanOrEqual(original.n)
    await query(uri, 'delete from ledger')
    expect(await query(shop.uri, 'select count(*)::int as n from ledger')).toEqual([original])
  },
)

/** Twenty rows, one by one, in a session. */
async function writes(from: number): Promise<void> {
  const session = await connected(shop.uri)
  for (let n = 0; n < 20; n += 1) await session.query(`insert into ledger values (${from + n})`)
  await session.end()
}

test('a branch with a child or protection is not deleted, any other is', async () => {
  const parent = await freshBranch(local(), shop.projectId)
  const child = (await ask(`POST ${project}/branches`, { branch: { parent_id: parent } })).body.branch.id
  await ended(local(), shop.projectId)
  expect((await ask(`DELETE ${project}/branches/${parent}`)).body.message).toContain(child)
  await ask(`PATCH ${project}/branches/${child}`, { branch: { name: 'kept', protected: true } })
  expect((await ask(`DELETE ${project}/branches/${child}`)).status).toBe(422)
  await ask(`PATCH ${project}/branches/${child}`, { branch: { protected: false } })
  expect((await ask(`DELETE ${project}/branches/${child}`)).body.branch.name).toBe('kept')
  await ended(local(), shop.projectId)
  expect((await ask(`DELETE ${project}/branches/${parent}`)).status).toBe(200)
})

test('branches come sorted as asked, in pages that miss none', async () => {
  for (const name of ['b1', 'b2', 'b3']) {
    await ask(`POST ${project}/branches`, { branch: { name } })
    await ended(local(), shop.projectId)
  }
  const path = `GET ${project}/branches?search=b&sort_by=name&sort_order=asc&limit=2`
  const names: string[] = []
  for (let cursor = ''; ;) {
    const { branches, pagination } = (await ask(`${path}${cursor}`)).body as Answered['body'] & {
      readonly pagination?: { readonly next: string }
    }
    names.push(...branches.map(({ name }) => name))
    if (branches.length < 2) break
    cursor = `&cursor=${pagination?.next}`
  }
  expect(names).toEqual(names.toSorted())
  expect(names).toEqual(expect.arrayContaining(['b1', 'b2', 'b3']))
})

test('passwords that are not stored are shown once', async () => {
  const made = (await ask('POST /projects', { project: { name: 'secretive', store_passwords: false } })).body
  expect(made.roles[0]?.password).toEqual(expect.any(String))
  const path = `/projects/${made.project.id}/branches/${made.branch.id}/roles/app_owner`
  expect((await ask(`GET ${path}/reveal_password`)).status).toBe(412)
  const uri = `/projects/${made.project.id}/connection_uri?database_name=app&role_name=app_owner`
  expect((await ask(`GET ${uri}`)).status).toBe(412)
  await ended(local(), made.project.id)
  expect((await ask(`POST ${path}/reset_password`)).body.role.password).toEqual(expect.any(String))
})

test('defaults of a project: size and settings for new computes, the delay for computes with delay 0', async () => {
  const defaults = {
    autoscaling_limit_min_cu: 0.5,
    suspend_timeout_seconds: 900,
    pg_settings: { work_mem: '6MB' },
  }
  const made = (await ask('POST /projects', { project: { default_endpoint_settings: defaults } })).body
  expect(made.endpoints[0]).toMatchObject({
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 0.5,
    suspend_timeout_seconds: 0,
    settings: { pg_settings: { work_mem: '6MB' } },
  })
  await ended(local(), made.project.id)
  const patched = await ask(`PATCH /projects/${made.project.id}`, {
    project: { default_endpoint_settings: { suspend_timeout_seconds: 1 } },
  })
  expect(patched.body.project).toMatchObject({
    default_endpoint_settings: { ...defaults, suspend_timeout_seconds: 1 },
  })
  const created = { ...shop, path: `/projects/${made.project.id}/endpoints/${made.endpoints[0]?.id}` }
  await ended(local(), made.project.id)
  expect((await call(local(), `GET ${created.path}`)).status).toBe(200)
})

test('an exceeded quota suspends the compute and refuses clients with the reason, until the quota is raised', async () => {
  const used = Math.ceil(shop.truth().awakeSeconds)
  await query(shop.uri, 'select 1')
  await ask(`PATCH ${project}`, {
    project: { settings: { quota: { active_time_seconds: Math.max(1, used - 1) } } },
  })
  await shop.settled('idle')
  await expect(query(shop.uri, 'select 1')).rejects.toThrow('settings.quota.active_time_seconds')
  await ended(local(), shop.projectId)
  expect((await ask(`POST ${shop.path}/start`)).status).toBe(422)
  await ask(`PATCH ${project}`, { project: { settings: { quota: { active_time_seconds: 0 } } } })
  expect(await query(shop.uri, 'select 1 as again')).toEqual([{ again: 1 }])
})

test('consumption history: each granularity has its reach; another organization is refused', async () => {
  const { id } = (await ask('GET /users/me/organizations')).body.organizations[0] ?? { id: '' }
  const day = 86_400_000
  const consumption = (granularity: string, days: number, more = ''): Promise<Answered> => {
    const [from, to] = [Date.now() - days * day, Date.now()].map((at) => new Date(at).toISOString())
    return ask(
      `GET /consumption_history/v2/projects?org_id=${id}&from=${from}&to=${to}&granularity=${granularity}&metrics=compute_unit_seconds${more}`,
    )
  }
  const within = [consumption('hourly', 6), consumption('daily', 59), consumption('monthly', 360)]
  expect((await Promise.all(within)).map(({ status }) => status)).toEqual([200, 200, 200])
  const beyond = [
    consumption('hourly', 8),
    consumption('daily', 62),
    consumption('monthly', 400),
    consumption('daily', -1),
  ]
  expect((await Promise.all(beyond)).map(({ status }) => status)).toEqual([406, 406, 406, 406])
  expect((await consumption('daily', 1, '&org_id=x')).status).toBe(404)
  expect((await consumption('yearly', 1)).status).toBe(400)
})

test('on the free plan: its size only, no replicas, no consumption history', async () => {
  const free = await startSimulated({ projects: [{ name: 'shop' }], plan: 'free' })
  const service: Service = { ...free, truth: () => free.truth() }
  const endpoint = { branch_id: 'br-000000', type: 'read_only' }
  const path = '/projects/local-000000/endpoints'
  const answers = [
    await call(service, `POST ${path}`, { body: { endpoint } }),
    await call(service, `PATCH ${path}/ep-000000`, { body: { endpoint: { autoscaling_limit_max_cu: 1 } } }),
    await call(service, 'POST /projects', { body: { project: { autoscaling_limit_max_cu: 2 } } }),
    await call(service, 'GET /consumption_history/v2/projects'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  await free.stop()
})

test('the next start finishes work that was accepted before a stop', async () => {
  const folder = freshFolder()
  const first = await startQuickly({ folder, ...QUICK })
  const compute = await subject(first)
  await ended(first, compute.projectId)
  await query(compute.uri, 'create table kept as select 7 as n')
  const made = await call(first, `POST /projects/${compute.projectId}/branches`, {
    body: { endpoints: [{ type: 'read_write' }] },
  })
  await first.stop()
  const second = await startQuickly({ folder, ...QUICK })
  await ended(second, compute.projectId)
  const { branch: copied } = (
    await call(second, `GET /projects/${compute.projectId}/branches/${made.body.branch.id}`)
  ).body
  expect(copied.current_state).toBe('ready')
  const { uri } = (
    await call(
      second,
      `GET /projects/${compute.projectId}/connection_uri?database_name=app&role_name=app_owner&branch_id=${copied.id}`,
    )
  ).body
  expect(await query(uri, 'select n from kept')).toEqual([{ n: 7 }])
  await call(second, `DELETE /projects/${compute.projectId}`)
  await second.stop()
  const third = await startQuickly({ folder, ...QUICK })
  expect((await call(third, 'GET /projects')).body.projects).toEqual([])
  expect(existsSync(join(folder, 'branches', compute.branchId))).toBe(false)
  await third.stop()
})
