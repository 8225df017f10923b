// The service's official client, unchanged, through the life of a project. Every answer is checked against the OpenAPI document.
import { rmSync } from 'node:fs'
import { ConsumptionHistoryGranularity, EndpointType } from '@neondatabase/api-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import { officialClient, operationsDone } from '../official.ts'
import { QUICK, connected, makeFolder, query, subject } from '../support.ts'

const folder = makeFolder()
let local: Local

beforeAll(async () => {
  local = await startQuickly({ folder, ...QUICK })
})

afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a project from its creation to its end', async () => {
  const client = officialClient(local)
  const made = (
    await client.createProject({
      project: {
        name: 'life',
        branch: { name: 'production', database_name: 'store', role_name: 'keeper' },
        default_endpoint_settings: { suspend_timeout_seconds: -1 },
      },
    })
  ).data
  const projectId = made.project.id
  const done = (): Promise<string[]> => operationsDone(client, projectId)
  expect(made).toMatchObject({
    project: { name: 'life', default_endpoint_settings: { suspend_timeout_seconds: -1 } },
    branch: { name: 'production', default: true, current_state: 'ready' },
    endpoints: [{ type: 'read_write', current_state: 'init', pending_state: 'active' }],
    databases: [{ name: 'store', owner_name: 'keeper' }],
    roles: [{ name: 'keeper', password: expect.any(String) }, { name: 'dormouse' }],
    operations: [{ action: 'start_compute', status: 'running' }],
  })
  await done()
  const parentUri = made.connection_uris[0]?.connection_uri ?? ''
  await query(parentUri, `create table goods as select n from generate_series(1, 1000) n`)
  expect(await query(parentUri, `select datname from pg_database where datname = 'app'`)).toEqual([])

  const branched = (
    await client.createProjectBranch(projectId, {
      branch: { name: 'feature' },
      endpoints: [{ type: EndpointType.ReadWrite }],
    })
  ).data
  const branchId = branched.branch.id
  const endpointId = branched.endpoints[0]?.id ?? ''
  expect(branched.branch).toMatchObject({ parent_id: made.branch.id, current_state: 'init' })
  expect(branched.operations.map(({ action, status }) => `${action} ${status}`)).toEqual([
    'create_branch running',
    'start_compute scheduling',
  ])
  await done()
  expect((await client.getProjectBranch(projectId, branchId)).data.branch.current_state).toBe('ready')

  const role = (
    await client.createProjectBranchRole(projectId, branchId, { role: { name: 'Ann "A" O\'Hara' } })
  ).data.role
  await done()
  await client.createProjectBranchDatabase(projectId, branchId, {
    database: { name: 'a b', owner_name: role.name },
  })
  await done()
  expect((await client.getProjectBranchRolePassword(projectId, branchId, role.name)).data).toEqual({
    password: role.password,
  })
  const { uri } = (
    await client.getConnectionUri({
      projectId,
      branch_id: branchId,
      database_name: 'a b',
      role_name: role.name,
    })
  ).data
  await query(uri, 'create table mine as select 1')
  expect(await query(uri, 'select current_user as me')).toEqual([{ me: role.name }])
  const shared = (
    await client.getConnectionUri({
      projectId,
      branch_id: branchId,
      database_name: 'store',
      role_name: 'keeper',
    })
  ).data.uri
  expect(await query(shared, 'delete from goods returning 1')).toHaveLength(1000)
  expect(await query(parentUri, 'select count(*)::int as n from goods')).toEqual([{ n: 1000 }])

  await client.updateProjectEndpoint(projectId, endpointId, {
    endpoint: {
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 1,
      settings: { pg_settings: { work_mem: '9MB', 'my.text': "it's \\ here" } },
    },
  })
  await done()
  expect(await query(uri, 'show work_mem')).toEqual([{ work_mem: '9MB' }])
  expect(await query(uri, 'show my.text')).toEqual([{ 'my.text': "it's \\ here" }])
  await client.restartProjectEndpoint(projectId, endpointId)
  await done()
  await client.suspendProjectEndpoint(projectId, endpointId)
  await done()
  await client.startProjectEndpoint(projectId, endpointId)
  expect((await done())[0]).toBe('start_compute finished')

  await client.resetProjectBranchRolePassword(projectId, branchId, role.name)
  await done()
  await expect(query(uri, 'select 1')).rejects.toThrow('password authentication failed')
  await client.deleteProjectBranchDatabase(projectId, branchId, 'a b')
  await done()
  await client.deleteProjectBranchRole(projectId, branchId, role.name)
  await done()
  expect((await client.listProjectBranchDatabases(projectId, branchId)).data.databases).toMatchObject([
    { name: 'store' },
  ])
  expect((await client.listProjectBranchRoles(projectId, branchId)).data.roles).toHaveLength(1)
  expect(await query(shared, `select 1 from pg_roles where rolname like 'Ann%'`)).toEqual([])

  await client.deleteProjectBranch({ projectId, branchId })
  await done()
  expect((await client.deleteProjectBranch({ projectId, branchId })).status).toBe(204)
  await client.updateProject(projectId, { project: { name: 'late life' } })
  const session = await connected(parentUri)
  const ended = new Promise((resolve) => void session.once('end', resolve))
  expect((await client.deleteProject(projectId)).data.project.name).toBe('late life')
  await ended
  await expect(client.getProject(projectId)).rejects.toMatchObject({ response: { status: 404 } })
  await expect(query(parentUri, 'select 1')).rejects.toThrow('endpoint not found')
})

test('the first requests of the public command line: user and organizations', async () => {
  const client = officialClient(local)
  const me = (await client.getCurrentUserInfo()).data
  const { organizations } = (await client.getCurrentUserOrganizations()).data
  const organization = organizations[0]?.id ?? ''
  expect((await client.getOrganization(organization)).data).toEqual(organizations[0])
  expect((await client.getAuthDetails()).data).toEqual({ account_id: me.id, auth_method: 'api_key_user' })
  expect((await client.listSharedProjects({})).data.projects).toEqual([])
  const { projects } = (await client.listProjects({ org_id: organization })).data
  expect(new Set(projects.map(({ org_id: of }) => of))).toEqual(new Set([organization]))
  await expect(client.listProjects({ org_id: 'org-none' })).rejects.toMatchObject({
    response: { status: 404 },
  })
})

test('a spending limit is kept and cleared', async () => {
  const client = officialClient(local)
  const organization = (await client.getCurrentUserOrganizations()).data.organizations[0]?.id ?? ''
  const limit = async (): Promise<unknown> =>
    (await client.getOrganizationSpendingLimit(organization)).data.spending_limit_cents
  expect(await limit()).toBeNull()
  await client.setOrganizationSpendingLimit(organization, { spending_limit_cents: 5000 })
  expect(await limit()).toBe(5000)
  await client.deleteOrganizationSpendingLimit(organization)
  expect(await limit()).toBeNull()
})

test('consumption history equals the meter, per project and per branch', async () => {
  const client = officialClient(local)
  const shop = await subject(local)
  await shop.settled('active')
  const org_id = (await client.getCurrentUserOrganizations()).data.organizations[0]?.id ?? ''
  const hour = 3_600_000
  const usageQuery = {
    org_id,
    from: new Date(Date.now() - 2 * hour).toISOString(),
    to: new Date(Date.now() + hour).toISOString(),
    granularity: ConsumptionHistoryGranularity.Hourly,
    metrics: ['compute_unit_seconds', 'extra_branches_month'],
  }
  const { projects } = (await client.getConsumptionHistoryPerProjectV2(usageQuery)).data
  const mine = projects.find(({ project_id: id }) => id === shop.projectId)
  const pieces = mine?.periods.flatMap(({ consumption }) => consumption) ?? []
  const reported = pieces
    .flatMap(({ metrics }) => metrics?.[0]?.value ?? 0)
    .reduce((sum, value) => sum + value, 0)
  expect(Math.abs(reported - shop.truth().cuSeconds)).toBeLessThanOrEqual(2)
  const { branches } = (
    await client.getConsumptionHistoryPerBranchV2({
      ...usageQuery,
      project_ids: [shop.projectId],
      metrics: ['compute_unit_seconds'],
    })
  ).data
  expect(branches).toMatchObject([{ branch_id: shop.branchId, periods: expect.any(Array) }])
})

test('create, read, change, suspend, start, restart and delete a compute', async () => {
  const client = officialClient(local)
  const { projectId } = await subject(local)
  const [first] = (await client.listProjectEndpoints(projectId)).data.endpoints
  const endpointId = first?.id ?? ''
  const branchId = first?.branch_id ?? ''
  const done = (): Promise<string[]> => operationsDone(client, projectId)
  await done()

  expect((await client.getProjectEndpoint(projectId, endpointId)).data.endpoint).toMatchObject({
    current_state: 'active',
    type: 'read_write',
    autoscaling_limit_min_cu: 0.25,
    last_active: expect.any(String),
  })
  await client.deleteProjectEndpoint(projectId, endpointId)
  expect((await client.listProjectEndpoints(projectId)).data.endpoints).toEqual([])
  expect((await client.deleteProjectEndpoint(projectId, endpointId)).status).toBe(204)

  const created = await client.createProjectEndpoint(projectId, {
    endpoint: { branch_id: branchId, type: EndpointType.ReadWrite, name: 'second' },
  })
  expect(created.status).toBe(201)
  expect(created.data.endpoint).toMatchObject({
    current_state: 'init',
    pending_state: 'active',
    name: 'second',
  })
  expect(created.data.endpoint).not.toHaveProperty('last_active')
  expect(created.data.operations).toMatchObject([
    { action: 'start_compute', status: 'running', failures_count: 0 },
  ])
  const second = created.data.endpoint.id
  await done()

  const { uri } = (await client.getConnectionUri({ projectId, database_name: 'app', role_name: 'app_owner' }))
    .data
  expect(await query(uri, 'select current_user as me, current_database() as at')).toEqual([
    { me: 'app_owner', at: 'app' },
  ])

  await client.updateProjectEndpoint(projectId, second, { endpoint: { suspend_timeout_seconds: 120 } })
  await done()
  await client.suspendProjectEndpoint(projectId, second)
  await done()
  expect((await client.getProjectEndpoint(projectId, second)).data.endpoint.current_state).toBe('idle')
  await client.startProjectEndpoint(projectId, second)
  await done()
  await client.restartProjectEndpoint(projectId, second)
  expect(await done()).toEqual([
    'start_compute finished',
    'suspend_compute finished',
    'start_compute finished',
    'suspend_compute finished',
    'suspend_compute skipped',
    'apply_config finished',
    'start_compute finished',
    'start_compute finished',
  ])
  const { operations } = (await client.listProjectOperations({ projectId, limit: 1 })).data
  const single = await client.getProjectOperation(projectId, operations[0]?.id ?? '')
  expect(single.data.operation).toEqual(operations[0])
  await client.listProjectBranches({ projectId })
  await client.getProjectBranch(projectId, branchId)
  await client.listProjectBranchEndpoints(projectId, branchId)
  await client.getProject(projectId)
  await client.getCurrentUserInfo()
  await expect(client.getProject('project-none')).rejects.toMatchObject({ response: { status: 404 } })
})
