import { openGate } from '../open-gate.ts'
import { describe, expect, test } from 'vitest'
import type { Project } from '../../../src/model/service/compute.ts'
import type { ListProgress } from '../../../src/model/observation.ts'
import type { ListPage } from '../../../src/model/ports/service.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { failed, ok, type Result } from '../../../src/std/result.ts'
import type { ServiceError } from '../../../src/model/service/service-error.ts'
import { lastListed, readProjectList, type ListResult } from '../../../src/observe/polling/project-list.ts'
import { seconds } from '../../../src/model/units.ts'
import { NO_LIST } from '../../../src/observe/sweep.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { POLL } from '../../support/poll.ts'
import { UNASKED } from '../../support/unasked.ts'

type Answer = Result<ListPage<Project>, ServiceError>

const page = (ids: readonly string[], next?: string): Answer =>
  ok({ items: ids.map((projectId) => project({ projectId })), problems: [], next })

/** Answers by cursor; `asked` collects them. */
function servicePages(pages: Readonly<Record<string, Answer>>, asked: string[] = []): Ports['service'] {
  const listProjectsPage: Ports['service']['listProjectsPage'] = (cursor = 'first') => {
    asked.push(cursor)
    return Promise.resolve(pages[cursor] ?? failed({ kind: 'gone', message: `no page ${cursor}` }))
  }
  return { ...UNASKED, listProjectsPage }
}

const read = (
  service: Ports['service'],
  over: {
    readonly progress?: ListProgress
    readonly most?: number
    readonly known?: ReturnType<typeof ledger>
  } = {},
): Promise<ListResult> => {
  const clock = fakeClock()
  return readProjectList(
    { clock, service },
    {
      ledger: over.known ?? ledger(),
      progress: over.progress ?? NO_LIST,
      most: over.most ?? 100,
      listLag: POLL.listLag,
      interval: POLL.interval,
    },
    openGate(clock),
  )
}

const three = { first: page(['a'], 'one'), one: page(['b'], 'two'), two: page(['c']) }

test('a list is read page by page to its end', async () => {
  const { changed, progress, pages } = await read(servicePages(three))
  expect([...changed.keys()]).toEqual(['a', 'b', 'c'])
  expect(progress).toMatchObject({ inProgress: undefined, finished: { pages: 3, readAt: { size: 3 } } })
  expect(pages).toBe(3)
})

test('a list that is not finished tells of the projects of its pages, the one before of the others', async () => {
  const { progress } = await read(servicePages(three))
  const { clock, service } = { clock: fakeClock('2026-01-05T01:00:00Z'), service: servicePages(three) }
  const begun = await readProjectList(
    { clock, service },
    { ledger: ledger(), progress, most: 2, listLag: POLL.listLag, interval: POLL.interval },
    openGate(clock),
  )
  const told = lastListed(begun.progress)
  expect(['a', 'b', 'c', 'd'].map((projectId) => told.get(projectId))).toEqual([
    at(3600),
    at(3600),
    at(0),
    undefined,
  ])
})

test('a list longer than one sweep affords goes on where it was left', async () => {
  const asked: string[] = []
  const begun = await read(servicePages(three, asked), { most: 2 })
  expect(begun).toMatchObject({ pages: 2, progress: { inProgress: { cursor: 'two' }, finished: undefined } })
  const ended = await read(servicePages(three, asked), { most: 2, progress: begun.progress })
  expect(ended.progress).toMatchObject({ inProgress: undefined, finished: { pages: 3, readAt: { size: 3 } } })
  expect(asked).toEqual(['first', 'one', 'two'])
})

test('a cursor that comes again ends the list with a word', async () => {
  const { problems, progress } = await read(
    servicePages({ first: page(['a'], 'one'), one: page(['b'], 'one') }),
  )
  expect(problems).toEqual([{ where: 'projects', message: 'pagination.cursor: one comes twice' }])
  expect(progress).toMatchObject({ inProgress: undefined, finished: undefined })
})

test.each<[ServiceError, { readonly goesOnAt: string | undefined }]>([
  [{ kind: 'unavailable', message: 'down' }, { goesOnAt: 'one' }],
  [{ kind: 'limited', until: at(30) }, { goesOnAt: 'one' }],
  [{ kind: 'malformed', problems: ['body: not JSON'] }, { goesOnAt: undefined }],
  [{ kind: 'gone', message: '' }, { goesOnAt: undefined }],
  [{ kind: 'refused', status: 400, message: 'cursor' }, { goesOnAt: undefined }],
])('a page that fails ends the sweep, and what was listed stands: %j', async (error, { goesOnAt }) => {
  const broken = await read(servicePages({ first: page(['a'], 'one'), one: failed(error) }))
  expect([...broken.changed.keys()]).toEqual(['a'])
  expect(broken.problems).toHaveLength(1)
  expect(broken.stopped).toEqual(error)
  expect(broken.lost).toEqual([])
  expect(broken.progress.inProgress?.cursor).toBe(goesOnAt)
})

test.each([
  [1, ['one']],
  [10, ['first', 'one', 'two']],
])('a list that was interrupted %d minutes ago goes on at %j', async (minutes, pages) => {
  const down = failed<ServiceError>({ kind: 'unavailable', message: 'down' })
  const interrupted = await read(servicePages({ first: page(['a'], 'one'), one: down }))
  const asked: string[] = []
  const clock = fakeClock(new Date(at(60 * minutes)).toISOString())
  await readProjectList(
    { clock, service: servicePages({ ...three, one: pages.length === 1 ? page(['b']) : three.one }, asked) },
    {
      ledger: ledger(),
      progress: interrupted.progress,
      most: 100,
      listLag: POLL.listLag,
      interval: POLL.interval,
    },
    openGate(clock),
  )
  expect(asked).toEqual(pages)
})

const known = accounted(
  ledger(),
  sweep(0, {
    projects: [project({ projectId: 'a' }), project({ projectId: 'b' })],
    looks: [look(0, { projectId: 'a' }), look(0, { projectId: 'b' })],
    listedComputes: ['a', 'b'].map((projectId) => ({
      projectId,
      answeredAt: at(0),
      endpointIds: ['ep-one'],
    })),
  }),
  { prices, overhead: 0.01, now: at(0) },
).ledger

test('a project that the list has lost is told once', async () => {
  const first = await read(servicePages({ first: page(['a']) }), { known })
  expect(first.lost).toEqual(['b'])
  const again = await read(servicePages({ first: page(['a']) }), { known, progress: first.progress })
  expect(again.lost).toEqual([])
})

test('records that stayed as they were are not passed on; one that shows activity nobody knows of is restless', async () => {
  const active = project({ projectId: 'b', computeLastActiveAt: at(-30) })
  const service = servicePages({
    first: ok({ items: [project({ projectId: 'a' }), active], problems: [], next: undefined }),
  })
  const { changed, progress } = await read(service, { known })
  expect([...changed.values()]).toEqual([active])
  expect([...progress.unexplainedActivity.keys()]).toEqual(['b'])
})

/** Reads the list twice; `b` is active before the second, and a request takes a second. */
async function twice(troubles: readonly [readonly number[], readonly number[]]): Promise<{
  readonly asked: readonly number[]
  readonly quiet: number | undefined
}> {
  const clock = fakeClock()
  const asked: number[] = []
  let progress = NO_LIST
  for (const [turn, waits] of troubles.entries()) {
    const active = turn === 0 ? {} : { computeLastActiveAt: at(-30) }
    const b = ok({ items: [project({ projectId: 'b', ...active })], problems: [], next: undefined })
    const left = [...waits]
    const listProjectsPage: Ports['service']['listProjectsPage'] = async (cursor) => {
      const askedAt = clock.now()
      await clock.advance(seconds(1))
      if (cursor !== 'one') return page(['a'], 'one')
      asked.push(askedAt)
      const wait = left.shift()
      if (wait === undefined) return b
      await clock.advance(seconds(wait))
      return failed({ kind: 'unavailable', message: 'down' })
    }
    do {
      const ports = { clock, service: { ...UNASKED, listProjectsPage } }
      // oxlint-disable-next-line no-await-in-loop -- one sweep after the other
      const answer = await readProjectList(
        ports,
        { ledger: known, progress, most: 1, listLag: POLL.listLag, interval: POLL.interval },
        openGate(clock),
      )
      progress = answer.progress
    } while (progress.inProgress !== undefined)
  }
  return { asked, quiet: progress.unexplainedActivity.get('b') }
}

describe('a project that turns restless was quiet when its page was asked for the last time', () => {
  test.each<[string, readonly [readonly number[], readonly number[]], number]>([
    ['without trouble', [[], []], 0],
    ['when the second list had to wait', [[], [600]], 0],
    ['when the first list had to wait', [[600, 30], []], 2],
  ])('%s', async (_, waits, answered) => {
    const { asked, quiet } = await twice(waits)
    expect(quiet).toBe(asked[answered])
  })
})

test('of a project whose record could not be read the last time, nobody knows since when it is not quiet', async () => {
  const before = await read(servicePages({ first: page(['a']) }), { known })
  const active = project({ projectId: 'b', computeLastActiveAt: at(-30) })
  const { progress } = await read(
    servicePages({ first: ok({ items: [active], problems: [], next: undefined }) }),
    { known, progress: before.progress },
  )
  expect([...progress.unexplainedActivity]).toEqual([['b', undefined]])
})

test('a project whose record does not fit is not lost', async () => {
  const service = servicePages({
    first: ok({
      items: [project({ projectId: 'a' })],
      problems: ['projects[1]: …'],
      unread: ['b'],
      next: undefined,
    }),
  })
  expect((await read(service, { known })).lost).toEqual([])
})

/** Pages of 400 new projects each, from the page `first` on. */
const endless = (first: number): Ports['service'] => {
  let count = first
  return servicePages(
    new Proxy(
      {},
      {
        get: () => {
          count += 1
          return page(
            Array.from({ length: 400 }, (_, index) => `p-${count}-${index}`),
            `c${count}`,
          )
        },
      },
    ),
  )
}
describe('a list without end', () => {
  const WAITING = expect.stringMatching(/^new projects wait for the next list/)

  test('adds 10,000 projects, and ends as a fault of the service', async () => {
    const { changed, progress, pages, problems } = await read(endless(0), { most: 1000 })
    expect([changed.size, pages, progress.inProgress, progress.added]).toEqual([
      10_000,
      500,
      undefined,
      10_000,
    ])
    const ended = 'pagination: no end after 500 pages'
    expect(problems.map(({ message }) => message)).toEqual([ended, WAITING])
  })

  test('adds none when it is read again', async () => {
    const { progress } = await read(endless(0), { most: 30 })
    const again = await read(endless(30), { progress, most: 30 })
    expect([again.changed.size, again.problems.length]).toEqual([0, 1])
  })
})

test('a long list adds its other projects when it is read again', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 30 }, (_, page30) => {
      const ids = Array.from({ length: 400 }, (_id, index) => `p-${page30}-${index}`)
      return [
        page30 === 0 ? 'first' : String(page30),
        page(ids, page30 === 29 ? undefined : String(page30 + 1)),
      ]
    }),
  )
  const { changed, progress } = await read(servicePages(pages))
  expect([changed.size, progress.added]).toEqual([10_000, undefined])
  const added = ledger({
    projects: new Map([...changed].map(([id, one]) => [id, { project: one, listed: undefined }])),
  })
  const again = await read(servicePages(pages), { progress, known: added })
  expect([again.changed.size, again.problems]).toEqual([2000, []])
})
