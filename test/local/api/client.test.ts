// The service's official client, unchanged, through a compute's life; every answer held against the OpenAPI document.
import { type Api, EndpointType, createApiClient } from '@neondatabase/api-client'
import { expect, test } from 'vitest'
import { problemsOf } from '../openapi.ts'
import { call, query, quickLocal, subject, until } from '../support.ts'

/** The client, failing on any answer that does not fit the document. */
function officialClient(baseURL: string, apiKey: string): Api<unknown> {
  const client = createApiClient({ apiKey, baseURL })
  client.instance.interceptors.response.use((response) => {
    const path = new URL(response.config.url ?? '', 'http://local').pathname
    const body: unknown = response.data === '' ? undefined : response.data
    const method = (response.config.method ?? 'get').toUpperCase()
    expect(problemsOf({ method, path, status: response.status, body })).toEqual([])
    return response
  })
  return client
}

test('create, read, change, suspend, start, restart, delete', async () => {
  const local = await quickLocal()
  const client = officialClient(local.baseUrl, local.apiKey)
  const { projects } = (await client.listProjects({ limit: 10 })).data
  const projectId = projects[0]?.id ?? ''
  const [first] = (await client.listProjectEndpoints(projectId)).data.endpoints
  const endpointId = first?.id ?? ''
  const branchId = first?.branch_id ?? ''
  const done = async (): Promise<string[]> =>
    until('all operations have ended', async () => {
      const { operations } = (await client.listProjectOperations({ projectId })).data
      const statuses = operations.map(({ action, status }) => `${action} ${status}`)
      return !statuses.some((text) => /running|scheduling/.test(text)) && statuses
    })
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
  const one = await client.getProjectOperation(projectId, operations[0]?.id ?? '')
  expect(one.data.operation).toEqual(operations[0])
  await client.listProjectBranches({ projectId })
  await client.getProjectBranch(projectId, branchId)
  await client.listProjectBranchEndpoints(projectId, branchId)
  await client.getProject(projectId)
  await client.getCurrentUserInfo()
  await expect(client.getProject('project-none')).rejects.toMatchObject({ response: { status: 404 } })
})

test('a page of operations ends where the next begins', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/restart`)
  await shop.settled('active')
  const path = `/projects/${shop.projectId}/operations`
  const all = (await call(local, `GET ${path}`)).body.operations
  const seen: unknown[] = []
  for (let cursor = ''; ;) {
    const { operations, pagination } = (await call(local, `GET ${path}?limit=1${cursor}`)).body
    if (operations.length === 0) break
    seen.push(...operations)
    cursor = `&cursor=${encodeURIComponent(pagination.cursor)}`
  }
  expect(all).toHaveLength(3)
  expect(seen).toEqual(all)
})

test('the project list comes in pages, and the last page is short', async () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name, suspendTimeoutSeconds: -1 }))
  const local = await quickLocal({ projects: names })
  const first = (await call(local, 'GET /projects?limit=2')).body
  const rest = (await call(local, `GET /projects?limit=2&cursor=${first.pagination.cursor}`)).body
  const none = (await call(local, `GET /projects?limit=2&cursor=${rest.pagination.cursor}`)).body
  expect([first.projects.length, rest.projects.length, none.projects.length]).toEqual([2, 1, 0])
  expect(none).not.toHaveProperty('pagination')
  expect(
    [...first.projects, ...rest.projects].map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(['a', 'b', 'c'])
})

test('keys: shown once, usable at once, listed without value, revoked for good', async () => {
  const local = await quickLocal({ projects: [] })
  const created = (await call(local, 'POST /api_keys', { body: { key_name: 'ci' } })).body
  const other = { ...local, apiKey: created.key }
  expect((await call(other, 'GET /projects')).status).toBe(200)
  const listed = (await officialClient(local.baseUrl, local.apiKey).listApiKeys()).data
  const mine = listed.find(({ id }) => id === created.id)
  expect(mine).toMatchObject({
    name: 'ci',
    last_used_at: expect.any(String),
    last_used_from_addr: '127.0.0.1',
  })
  expect(JSON.stringify(listed)).not.toContain(created.key)
  const revoked = await call(local, `DELETE /api_keys/${created.id}`)
  expect(revoked.body).toMatchObject({
    id: created.id,
    name: 'ci',
    revoked: true,
    last_used_from_addr: '127.0.0.1',
  })
  expect((await call(other, 'GET /projects')).status).toBe(401)
  expect((await call(local, `DELETE /api_keys/${created.id}`)).status).toBe(404)
})
