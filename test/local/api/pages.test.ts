// Lists in pages, and keys, as the official client sees them.
import { rmSync } from 'node:fs'
import { ConsumptionHistoryGranularity } from '@neondatabase/api-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { officialClient, operationsDone } from '../official.ts'
import { QUICK, call, makeFolder, subject } from '../support.ts'
import { longTest } from '../../support/tiers.ts'

const folder = makeFolder()
let local: Local

beforeAll(async () => {
  local = await startQuickly({ folder, ...QUICK })
})

afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

longTest('a page of operations ends where the next begins', async () => {
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/restart`)
  await operationsDone(officialClient(local), shop.projectId)
  const path = `/projects/${shop.projectId}/operations`
  const all = (await call(local, `GET ${path}`)).body.operations
  const paged: unknown[] = []
  for (let cursor = ''; ;) {
    const { operations, pagination } = (await call(local, `GET ${path}?limit=1${cursor}`)).body
    if (operations.length === 0) break
    paged.push(...operations)
    cursor = `&cursor=${encodeURIComponent(pagination.cursor)}`
  }
  expect(all.length).toBe(3)
  expect(paged).toEqual(all)
})

longTest('the project list comes in pages, and the last page is short', async () => {
  const names = ['page-a', 'page-b', 'page-c']
  for (const name of names) await call(local, 'POST /projects', { body: { project: { name } } })
  const path = 'GET /projects?search=page-&limit=2'
  const first = (await call(local, path)).body
  const rest = (await call(local, `${path}&cursor=${first.pagination.cursor}`)).body
  const none = (await call(local, `${path}&cursor=${rest.pagination.cursor}`)).body
  expect([first.projects.length, rest.projects.length, none.projects.length]).toEqual([2, 1, 0])
  expect(none).not.toHaveProperty('pagination')
  expect(
    [...first.projects, ...rest.projects].map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(names)
})

test('the consumption of branches has each branch once, by project and branch, page by page', async () => {
  const service = await startSimulated({ projects: [{ name: 'a' }, { name: 'b' }] })
  onTestFinished(() => service.stop())
  const client = officialClient(service)
  const projectIds = (await client.listProjects({})).data.projects.map(({ id }) => id)
  for (const projectId of projectIds) await client.createProjectBranch(projectId, {})
  const ofProjects = projectIds.map(async (projectId) =>
    (await client.listProjectBranches({ projectId })).data.branches.map(({ id }) => id).toSorted(),
  )
  const query = {
    org_id: (await client.getCurrentUserOrganizations()).data.organizations[0]?.id ?? '',
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date().toISOString(),
    granularity: ConsumptionHistoryGranularity.Hourly,
    metrics: ['compute_unit_seconds' as const],
    project_ids: [...projectIds, ...projectIds].toReversed(),
  }
  const all = (await client.getConsumptionHistoryPerBranchV2(query)).data.branches
  expect(all.map(({ branch_id: id }) => id)).toEqual((await Promise.all(ofProjects)).flat())
  const paged: typeof all = []
  for (let cursor: string | undefined; ;) {
    const page = { ...query, limit: 1, ...(cursor !== undefined && { cursor }) }
    const { branches, pagination } = (await client.getConsumptionHistoryPerBranchV2(page)).data
    if (branches.length === 0) break
    paged.push(...branches)
    cursor = pagination?.cursor
  }
  expect(paged.map(({ branch_id: id }) => id)).toEqual(all.map(({ branch_id: id }) => id))
})

const idsOf = async (query: string): Promise<readonly string[]> =>
  (await call(local, `GET /projects${query}`)).body.projects.map(({ id }: { id: string }) => id)

test('there are no deleted projects to restore', async () => {
  const living = await idsOf('')
  expect(living).not.toEqual([])
  expect(await idsOf('?recoverable=false')).toEqual(living)
  expect(await idsOf('?recoverable=true')).toEqual([])
})

test('keys: shown once, usable at once, listed without value, revoked for good', async () => {
  const created = (await call(local, 'POST /api_keys', { body: { key_name: 'ci' } })).body
  const other = { ...local, apiKey: created.key }
  expect((await call(other, 'GET /projects')).status).toBe(200)
  const listed = (await officialClient(local).listApiKeys()).data
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
