// History page by page, details and connection strings: what is asked for, and what an answer comes to.
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eagerClock } from './eager-clock.ts'
import { answers, faultyServer, type Fault } from './faulty-server.ts'
import { operation, operationModel, project } from './records.ts'
import { failed, ok } from '../../src/std/result.ts'
import { instant } from '../../src/model/units.ts'
import { createService, type ServiceOptions } from '../../src/service/service.ts'

const running = new AbortController().signal

const serviceOf = (baseUrl: string, more: Partial<ServiceOptions> = {}) =>
  createService({
    baseUrl,
    readKey: () => ok('secret-key'),
    clock: eagerClock(),
    random: { unit: () => 0.5, uuid: () => '' },
    requestsPerMinute: 60_000,
    projects: 'discover',
    ...more,
  })

const operations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...operation, id: `op-${index}` }))

describe('a page of operations', () => {
  test.each([
    ['names the next one', operations(1000), { cursor: 'b c' }, 'b c'],
    ['may be shorter than asked', operations(999), { cursor: 'b' }, 'b'],
    ['is the last when it is empty', [], { cursor: 'b' }, undefined],
    ['is the last when there is no cursor', operations(1000), undefined, undefined],
    ['counts records that do not fit', [...operations(999), {}], { cursor: 'b' }, 'b'],
  ])('%s', async (_, listed, pagination, next) => {
    await using server = await faultyServer(answers(200, { operations: listed, pagination }))
    const page = await serviceOf(server.baseUrl).listOperationsPage('p', 'a&b', running)
    expect(page.ok && page.value.next).toBe(next)
    expect(server.requests).toEqual(['GET /api/v2/projects/p/operations?limit=1000&cursor=a%26b'])
  })

  test('tells what it holds, and what does not fit', async () => {
    await using server = await faultyServer(answers(200, { operations: [operation, { id: 7 }] }))
    expect(await serviceOf(server.baseUrl).listOperationsPage('quiet-1', undefined, running)).toEqual(
      ok({
        items: [operationModel],
        problems: [expect.stringMatching(/^operations\[1\]\.id: /)],
        next: undefined,
      }),
    )
    expect(server.requests).toEqual(['GET /api/v2/projects/quiet-1/operations?limit=1000'])
  })

  test('that names itself as the next is a fault of the service', async () => {
    await using server = await faultyServer(
      answers(200, { operations: operations(1000), pagination: { cursor: 'a' } }),
    )
    expect(await serviceOf(server.baseUrl).listOperationsPage('p', 'a', running)).toEqual(
      failed({ kind: 'malformed', problems: ['pagination.cursor: a comes twice'] }),
    )
  })

  test.each([404, 405, 501])('is empty where the service answers %s', async (status) => {
    await using server = await faultyServer(answers(status))
    expect(await serviceOf(server.baseUrl).listOperationsPage('p', undefined, running)).toEqual(
      ok({ items: [], problems: [], next: undefined }),
    )
  })
})

const hour = { from: instant(Date.UTC(2026, 0, 5)), to: instant(Date.UTC(2026, 0, 5, 1)) } as const
const query = { ...hour, granularity: 'hourly', metrics: ['compute_unit_seconds'] } as const
const history = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ project_id: `p-${index}`, periods: [] }))

describe('consumption', () => {
  test('is asked for as the caller says', async () => {
    await using server = await faultyServer(answers(200, { projects: [] }))
    const service = serviceOf(server.baseUrl, { orgId: 'org-ours' })
    await service.listConsumption(query, undefined, running)
    await service.listConsumption({ ...query, orgId: 'org-b', projectIds: ['a', 'b'] }, 'c', running)
    const asked = server.requests.map((line) => new URL(line.split(' ')[1] ?? '', 'http://x').searchParams)
    const common = {
      from: '2026-01-05T00:00:00Z',
      to: '2026-01-05T01:00:00Z',
      granularity: 'hourly',
      metrics: 'compute_unit_seconds',
      limit: '100',
    }
    expect(asked.map((each) => Object.fromEntries(each))).toEqual([
      { ...common, org_id: 'org-ours' },
      { ...common, org_id: 'org-b', project_ids: 'a,b', cursor: 'c' },
    ])
  })

  test.each([
    [100, { cursor: 'x' }, 'x'],
    [99, { cursor: 'x' }, 'x'],
    [0, { cursor: 'x' }, undefined],
    [100, undefined, undefined],
  ])('of %i projects on a page with %j goes on at %s', async (count, pagination, next) => {
    await using server = await faultyServer(answers(200, { projects: history(count), pagination }))
    expect(await serviceOf(server.baseUrl).listConsumption(query, undefined, running)).toEqual(
      ok({ kind: 'page', items: [], problems: [], next }),
    )
  })

  test.each([
    [403, ok({ kind: 'none', because: 'plan', message: 'no' })],
    [404, ok({ kind: 'none', because: 'absent', message: 'not there: no' })],
    [405, ok({ kind: 'none', because: 'absent', message: 'refused (405): no' })],
    [406, failed({ kind: 'refused', status: 406, message: 'no' })],
    [401, failed({ kind: 'unauthorized' })],
    [503, failed({ kind: 'unavailable', message: '503 no' })],
  ])('answered %i', async (status, expected) => {
    await using server = await faultyServer(answers(status, { message: 'no' }))
    expect(await serviceOf(server.baseUrl).listConsumption(query, undefined, running)).toEqual(expected)
  })

  test.each([403, 404, 405])('answered %i behind a first page is no service without it', async (status) => {
    await using server = await faultyServer(answers(status, { message: 'no' }))
    expect(await serviceOf(server.baseUrl).listConsumption(query, 'x', running)).toMatchObject({ ok: false })
  })
})

test('the detail of a project is asked for by its id', async () => {
  await using server = await faultyServer(answers(200, { project: { ...project, org_id: 'org-a' } }))
  const detail = await serviceOf(server.baseUrl).getProjectDetail('a b', running)
  expect(detail).toMatchObject({ ok: true, value: { orgId: 'org-a', project: { projectId: 'quiet-1' } } })
  expect(server.requests).toEqual(['GET /api/v2/projects/a%20b'])
})

describe('a connection string', () => {
  const asked = { endpointId: 'ep-x', database: 'app', role: 'app owner' }
  const secret = 'postgresql://app:s3cr3t@ep-x.example.test/app'

  test('is not asked for where the configuration does not allow it', async () => {
    await using server = await faultyServer(answers(200, { uri: secret }))
    expect(await serviceOf(server.baseUrl).getConnectionUri('p', asked, running)).toEqual(ok(undefined))
    expect(server.requests).toEqual([])
  })

  test('is for one compute, database and role, on the direct host', async () => {
    await using server = await faultyServer(answers(200, { uri: secret }))
    const service = serviceOf(server.baseUrl, { useConnectionUri: true })
    const answer = await service.getConnectionUri('p', asked, running)
    expect(answer.ok && answer.value?.reveal()).toBe(secret)
    expect(server.requests).toEqual([
      'GET /api/v2/projects/p/connection_uri?endpoint_id=ep-x&database_name=app&role_name=app+owner&pooled=false',
    ])
  })

  const faults: [string, Fault][] = [
    ['does not fit', answers(200, { uri: [secret] })],
    ['is no JSON', answers(200, `{"uri": "${secret}"`)],
  ]
  test.each(faults)('whose answer %s is in no text', async (_, fault) => {
    await using server = await faultyServer(fault)
    const service = serviceOf(server.baseUrl, { useConnectionUri: true })
    const answer = await service.getConnectionUri('p', asked, running)
    expect(answer.ok).toBe(false)
    expect(inspect(answer, { depth: 9 })).not.toContain('s3cr3t')
  })
})

test.each(['startCompute', 'suspendCompute', 'restartCompute'] as const)('%s has a route', async (method) => {
  await using server = await faultyServer(answers(200))
  expect(await serviceOf(server.baseUrl)[method]('p', 'ep-x', running)).toEqual(ok(undefined))
  expect(server.requests).toEqual([`POST /api/v2/projects/p/endpoints/ep-x/${method.replace('Compute', '')}`])
})
