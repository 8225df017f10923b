// Projects that the configuration names.
import { describe, expect, test } from 'vitest'
import { failed, ok } from '../../src/std/result.ts'
import { running } from './client-of.ts'
import { answers, faultyServer, type Fault } from './faulty-server.ts'
import { project } from './records.ts'
import { serviceOf } from './service-of.ts'

const named = (projectId: string) => ({ ...project, id: projectId })

/** Answers `GET …/projects/x` with the project, or with the status of `x`. */
const byPath =
  (statuses: Readonly<Record<string, number>>): Fault =>
  (response, request) => {
    const projectId = request.url.split('/').at(-1) ?? ''
    const status = statuses[projectId] ?? 200
    const body = status === 200 ? { project: named(projectId) } : { message: 'no' }
    answers(status, body)(response)
  }

const pageOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `p${String(first + index).padStart(2, '0')}`)

describe('projects named by id', () => {
  test('are asked for one by one, and the list is not', async () => {
    await using server = await faultyServer(byPath({}))
    const listed = await serviceOf(server.baseUrl, { projects: ['a', 'b'] }).listProjects(running)
    expect(listed.ok && listed.value.items.map(({ projectId }) => projectId)).toEqual(['a', 'b'])
    expect(server.requests.toSorted()).toEqual(['GET /api/v2/projects/a', 'GET /api/v2/projects/b'])
  })

  test.each([404, 405, 501])('are known by their id alone where that answers %s', async (status) => {
    await using server = await faultyServer(byPath({ a: status }))
    const listed = await serviceOf(server.baseUrl, { projects: ['a'] }).listProjects(running)
    expect(listed).toMatchObject({
      ok: true,
      value: { items: [{ projectId: 'a', name: 'a' }], problems: [] },
    })
  })

  test('fail alone, and together only when none is left', async () => {
    await using server = await faultyServer(byPath({ b: 403, c: 500 }))
    const some = await serviceOf(server.baseUrl, { projects: ['a', 'b', 'c'] }).listProjects(running)
    expect(some).toMatchObject({
      ok: true,
      value: {
        items: [{ projectId: 'a' }],
        problems: ['project b: refused (403): no', 'project c: the service cannot be reached: 500 no'],
      },
    })
    expect(await serviceOf(server.baseUrl, { projects: ['b', 'c'] }).listProjects(running)).toMatchObject(
      failed({ kind: 'refused', status: 403 }),
    )
  })

  test('are not known by their id alone where another one is answered, also later', async () => {
    const there = Promise.withResolvers<void>()
    await using server = await faultyServer((response, request, count) => {
      if (request.url.endsWith('/gone')) {
        response.on('finish', there.resolve)
        byPath({ gone: 404 })(response, request, count)
      } else void there.promise.then(() => byPath({})(response, request, count))
    })
    const service = serviceOf(server.baseUrl, { projects: ['gone', 'there'] })
    expect(await service.listProjectsPage(undefined, running)).toMatchObject(
      ok({ items: [{ projectId: 'there' }], unread: ['gone'], problems: ['project gone: not there: no'] }),
    )
  })

  test('a page whose projects are all deleted ends no list, unless no other page was answered', async () => {
    const [first, last] = [pageOf(0, 11), pageOf(11, 10)]
    const statuses: Record<string, number> = {}
    await using server = await faultyServer((...received) => byPath(statuses)(...received))
    const service = serviceOf(server.baseUrl, { projects: [...first, ...last] })
    const listed = async (gone: readonly string[]) => {
      for (const each of [...first, ...last]) statuses[each] = gone.includes(each) ? 404 : 200
      const beginning = await service.listProjectsPage(undefined, running)
      const end = await service.listProjectsPage('p11', running)
      return [beginning, end].map((page) => (page.ok ? page.value.items.length : page.error.kind))
    }
    expect(await listed([])).toEqual([11, 10])
    expect(await listed(first)).toEqual([0, 10])
    expect(await listed(last)).toEqual([11, 0])
    expect(await listed([...first, ...last])).toEqual([0, 'gone'])
    expect(await listed([])).toEqual([11, 10])
  })

  test('fail with the key', async () => {
    await using server = await faultyServer(byPath({ b: 401 }))
    const listed = await serviceOf(server.baseUrl, { projects: ['a', 'b'] }).listProjects(running)
    expect(listed).toEqual(failed({ kind: 'unauthorized' }))
  })
})
