// Lists in pages, explicit projects and routes that are not there. What each method sends and returns: contract.test.ts.
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../support/fake-clock.ts'
import { answers, faultyServer, type Fault } from './faulty-server.ts'
import { operation, project } from './records.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { failed, ok } from '../../src/std/result.ts'
import { instant, seconds } from '../../src/model/units.ts'
import { eagerClock } from './eager-clock.ts'
import { serviceOf } from './service-of.ts'
import { running } from './client-of.ts'
import { longTest } from '../support/tiers.ts'

const named = (projectId: string) => ({ ...project, id: projectId })
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => named(`p-${from + index}`))

/** Answers `GET …?cursor=c` with `pages[c]`, the first page under the empty text. */
const pagesOf =
  (pages: Readonly<Record<string, unknown>>): Fault =>
  (response, request) => {
    const cursor = new URL(request.url, 'http://x').searchParams.get('cursor') ?? ''
    answers(200, pages[cursor] ?? { projects: [] })(response)
  }

describe('the project list ends', () => {
  test.each([
    ['without a pagination object', { '': { projects: many(0, 400) } }, 1, 400],
    [
      'behind a page that is shorter than asked',
      {
        '': { projects: many(0, 100), pagination: { cursor: 'a' } },
        a: { projects: many(100, 100), pagination: { cursor: 'b' } },
        b: { projects: many(200, 50) },
      },
      3,
      250,
    ],
    [
      'on an empty page',
      { '': { projects: many(0, 400), pagination: { cursor: 'a' } }, a: { projects: [] } },
      2,
      400,
    ],
    [
      'after its last page, each project once',
      {
        '': { projects: many(0, 400), pagination: { cursor: 'a' } },
        a: { projects: many(399, 400), pagination: { cursor: 'b c' } },
        'b c': { projects: many(799, 2), pagination: { cursor: 'd' } },
        d: { projects: [], pagination: { cursor: 'e' } },
      },
      4,
      801,
    ],
    [
      'behind a page of projects that the service can say nothing of',
      {
        '': { projects: [], pagination: { cursor: 'a' }, unavailable_project_ids: ['p-0', 'p-1'] },
        a: { projects: many(2, 3), pagination: { cursor: 'b' } },
        b: { projects: [] },
      },
      3,
      3,
    ],
    [
      'behind a page that says unreadably of which projects it can say nothing',
      {
        '': { projects: [], pagination: { cursor: 'a' }, unavailable_project_ids: ['p 0'] },
        a: { projects: many(2, 3) },
      },
      2,
      3,
    ],
  ])('%s', async (_, pages, requests, projects) => {
    await using server = await faultyServer(pagesOf(pages))
    const listed = await serviceOf(server.baseUrl).listProjects(running)
    expect(listed.ok && listed.value.items.length).toBe(projects)
    expect(server.requests).toHaveLength(requests)
  })

  test('when a cursor repeats, as a fault of the service', async () => {
    await using server = await faultyServer(
      answers(200, { projects: many(0, 400), pagination: { cursor: 'a' } }),
    )
    expect(await serviceOf(server.baseUrl).listProjects(running)).toEqual(
      failed({ kind: 'malformed', problems: ['pagination.cursor: a comes twice'] }),
    )
    expect(server.requests).toHaveLength(2)
  })

  longTest('after 500 pages, as a fault of the service', async () => {
    const page = many(0, 400).map(({ id, updated_at }) => ({ id, updated_at }))
    await using server = await faultyServer((response, _request, count) => {
      answers(200, { projects: page, pagination: { cursor: String(count) } })(response)
    })
    expect(await serviceOf(server.baseUrl).listProjects(running)).toEqual(
      failed({ kind: 'malformed', problems: ['pagination: no end after 500 pages'] }),
    )
    expect(server.requests).toHaveLength(500)
  })
})

test('a page with bad records is no empty one', async () => {
  const bad = many(0, 400).map((record, index) => (index === 7 ? { ...record, id: 7 } : record))
  await using server = await faultyServer(
    pagesOf({
      '': { projects: bad, pagination: { cursor: 'a' } },
      a: { projects: many(400, 1) },
    }),
  )
  const listed = await serviceOf(server.baseUrl, { orgId: 'org-a&b' }).listProjects(running)
  expect(listed).toMatchObject({
    ok: true,
    value: { problems: ['projects[7].id: Invalid input: expected string, received number'] },
  })
  expect(server.requests).toEqual([
    'GET /api/v2/projects?limit=400&org_id=org-a%26b',
    'GET /api/v2/projects?limit=400&org_id=org-a%26b&cursor=a',
  ])
})

const created = (second: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, second)).toISOString()
const at = (second: number) => ({ ...operation, id: `op-${second}`, created_at: created(second) })
const since = (milliseconds: number) => instant(Date.UTC(2026, 0, 5, 10, 0, 0) + milliseconds)

const page = (from: number) => Array.from({ length: 100 }, (_, index) => at(from - index))

describe('operations', () => {
  test('are read newest first until one is older than asked for, to the whole second', async () => {
    await using server = await faultyServer(
      pagesOf({
        '': { operations: page(1000), pagination: { cursor: 'a' } },
        a: { operations: page(901), pagination: { cursor: 'b' } },
        b: { operations: page(801), pagination: { cursor: 'c' } },
      }),
    )
    // two hours later: pages of 100 reach back
    const clock = { ...eagerClock(), now: () => since(7_200_000) }
    const service = serviceOf(server.baseUrl, { clock })
    const listed = await service.listOperations('quiet-1', since(850_700), running)
    expect(listed.ok && listed.value.items.map(({ operationId }) => operationId)).toEqual(
      Array.from({ length: 151 }, (_, index) => `op-${1000 - index}`),
    )
    expect(server.requests).toEqual([
      'GET /api/v2/projects/quiet-1/operations?limit=100',
      'GET /api/v2/projects/quiet-1/operations?limit=100&cursor=a',
    ])
  })

  test.each([
    { reach: 59, before: [], limit: 20 },
    { reach: 61, before: [], limit: 100 },
    { reach: 25 * 60, before: [], limit: 1000 },
    { reach: 5, before: [19], limit: 20 },
    { reach: 5, before: [20], limit: 100 },
    { reach: 5, before: [100], limit: 1000 },
    { reach: 25 * 60, before: [20], limit: 1000 },
    { reach: 5, before: [150, 3], limit: 20 },
  ])(
    '$reach minutes back, where reads before brought $before, come in pages of $limit',
    async ({ reach, before, limit }) => {
      const clock = { ...eagerClock(), now: () => since(0) }
      let count = 0
      await using server = await faultyServer((response, { url }) => {
        const query = new URL(url, 'http://x').searchParams
        const from = Number(query.get('cursor') ?? 0)
        const to = Math.min(count, from + Number(query.get('limit')))
        const operations = Array.from({ length: to - from }, (_, index) => ({
          ...at(0),
          id: `op-${from + index}`,
        }))
        answers(200, { operations, pagination: to < count ? { cursor: String(to) } : null })(response)
      })
      const service = serviceOf(server.baseUrl, { clock })
      for (count of [...before, 0]) {
        // oxlint-disable-next-line no-await-in-loop -- each read follows the one before
        const listed = await service.listOperations('quiet-1', since(-60_000 * reach), running)
        expect(listed.ok && listed.value.items.length).toBe(count)
      }
      expect(server.requests.at(-1)).toBe(`GET /api/v2/projects/quiet-1/operations?limit=${limit}`)
    },
  )

  test('with a page that cannot be read are not known', async () => {
    await using server = await faultyServer(
      pagesOf({ '': { operations: page(1000), pagination: { cursor: 'a' } }, a: 'no JSON' }),
    )
    const listed = await serviceOf(server.baseUrl).listOperations('quiet-1', since(0), running)
    expect(listed).toMatchObject({ ok: false, error: { kind: 'malformed' } })
  })

  test('that do not fit are told of as far as they may be recent', async () => {
    const misfit = (second: number) => ({ ...at(second), status: 7 })
    const timeless = { ...at(0), id: 'op-x', created_at: 7 }
    await using server = await faultyServer(
      pagesOf({
        '': { operations: [at(9), misfit(8), misfit(2)], pagination: { cursor: 'a' } },
        a: { operations: [timeless, at(1), timeless], pagination: null },
      }),
    )
    const listed = await serviceOf(server.baseUrl).listOperations('quiet-1', since(5000), running)
    expect(listed.ok && listed.value.lost).toHaveLength(2)
  })

  test.each([404, 405, 501])('are none where the service answers %s', async (status) => {
    await using server = await faultyServer(answers(status))
    expect(await serviceOf(server.baseUrl).listOperations('p', since(0), running)).toEqual(
      ok({ items: [], problems: [], isAbsent: true }),
    )
  })

  test.each([404, 405, 501])(
    'are an error where a later page answers %s: the list is there',
    async (status) => {
      await using server = await faultyServer((response, { url }) => {
        const isFirst = !new URL(url, 'http://x').searchParams.has('cursor')
        const fault = isFirst
          ? answers(200, { operations: page(1000), pagination: { cursor: 'a' } })
          : answers(status)
        fault(response)
      })
      const listed = await serviceOf(server.baseUrl).listOperations('quiet-1', since(0), running)
      expect(listed).toMatchObject({ ok: false })
    },
  )

  test('that cannot be read now are an error', async () => {
    await using server = await faultyServer(answers(403))
    expect(await serviceOf(server.baseUrl).listOperations('p', since(0), running)).toMatchObject({
      ok: false,
    })
  })
})

const ask = (one: Service): Promise<unknown> => one.listComputes('p', running)

test('whoever asks more urgently goes first on one request budget', async () => {
  const clock = fakeClock()
  const reports: string[] = []
  await using server = await faultyServer(answers(200, { endpoints: [] }))
  const service = serviceOf(server.baseUrl, {
    clock,
    requestsPerMinute: 60,
    onRequest: ({ priority, waited }) => reports.push(`${priority} ${waited}`),
  })
  await Promise.all(Array.from({ length: 10 }, () => ask(service)))
  reports.length = 0
  const [report, poll] = [ask(service.at('report')), ask(service)]
  const [verify, apply] = [ask(service.at('verify')), ask(service.at('apply'))]
  for (const next of [verify, apply, poll, report]) {
    await clock.advance(seconds(1))
    await next
  }
  expect(reports).toEqual(['verify 1', 'apply 2', 'poll 3', 'report 4'])
})

test('a key that was refused to one is sent for nobody', async () => {
  await using server = await faultyServer(answers(401))
  const service = serviceOf(server.baseUrl)
  const priorities = ['report', 'poll', 'apply', 'verify'] as const
  const all = priorities.map((priority) => service.at(priority))
  await ask(service)
  const unauthorized = failed({ kind: 'unauthorized' })
  expect(await Promise.all(all.map(ask))).toEqual(all.map(() => unauthorized))
  expect(server.requests).toHaveLength(1)
})
