// The generated history of a folder, continued with real Postgres.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { freePort } from '../../../src/local/proxy/listen.ts'
import type { LocalEvent } from '../../../src/local/log.ts'
import { type Local, type LocalOptions, startLocal } from '../../../src/local/start.ts'
import { killed, spawnLocal } from '../child.ts'
import { QUICK, call, freshFolder, query, subjectOf, until } from '../support.ts'
import { DAY } from './build.ts'

const PAST = { span: (14 * DAY) / 1000, projects: 7, seed: 7 }

type Started = { readonly local: Local; readonly events: readonly LocalEvent[] }

/** Starts the service on a folder and collects its events. */
async function started(folder: string, options: Partial<LocalOptions> = {}): Promise<Started> {
  const events: LocalEvent[] = []
  const local = await startLocal({
    folder,
    ...QUICK,
    projects: [],
    log: (event) => events.push(event),
    ...options,
  })
  onTestFinished(() => local.stop())
  return { local, events: events.filter(({ kind }) => kind === 'past-made' || kind === 'past-refused') }
}

test('a history outlasts restarts, and its computes run on real Postgres', async () => {
  const folder = freshFolder()
  const first = await started(folder, { past: PAST })
  expect(first.events).toEqual([
    expect.objectContaining({ kind: 'past-made', past: expect.objectContaining({ projects: 7, seed: 7 }) }),
  ])
  const { projects } = (await call(first.local, 'GET /projects?limit=400')).body
  expect(projects).toHaveLength(7)
  const operations = await operationsOf(
    first.local,
    projects.map(({ id }) => id),
  )
  expect(operations.length).toBeGreaterThan(100)
  expect(Math.min(...operations.map(({ created_at }) => Date.parse(created_at)))).toBeLessThan(
    Date.now() - 13 * DAY,
  )
  const { now, computes } = first.local.truth()
  expect(computes.flatMap(({ intervals }) => intervals).filter(({ to }) => to === null)).toEqual([])
  await first.local.stop()

  // another port: fetch would try the connections of the first
  const second = await started(folder, { past: PAST, port: await freePort() })
  expect(second.events).toEqual([
    { kind: 'past-refused', folder, kept: expect.objectContaining({ projects: 7, seed: 7 }) },
  ])
  const counted = (local: Local): unknown =>
    local.truth(now).computes.map((compute) => ({ ...compute, port: null }))
  expect(counted(second.local)).toEqual(computes.map((compute) => ({ ...compute, port: null })))
  expect(
    await operationsOf(
      second.local,
      projects.map(({ id }) => id),
    ),
  ).toEqual(operations)

  const [project] = projects
  const [endpoint] = (await call(second.local, `GET /projects/${project?.id}/endpoints`)).body.endpoints
  if (!endpoint) throw new Error('the first project has no compute')
  const compute = await subjectOf(second.local, endpoint)
  const before = compute.truth()
  expect(await query(compute.uri, 'select current_database() as name')).toEqual([{ name: 'app' }])
  const after = compute.truth()
  expect(after.wakes.slice(0, -1)).toEqual(before.wakes)
  expect(after.wakes.at(-1)).toMatchObject({ cause: 'client', applicationName: 'test' })
  expect(after.intervals).toHaveLength(before.intervals.length + 1)
})

const operationsOf = async (
  local: Local,
  projectIds: readonly string[],
): Promise<{ readonly created_at: string }[]> =>
  (
    await Promise.all(
      projectIds.map(
        async (id) => (await call(local, `GET /projects/${id}/operations?limit=1000`)).body.operations,
      ),
    )
  ).flat()

test('a folder that was first used without a history gets none later', async () => {
  const folder = freshFolder()
  const first = await started(folder, { projects: [{ name: 'shop' }] })
  await first.local.stop()
  const second = await started(folder, { past: PAST })
  expect(second.events).toEqual([{ kind: 'past-refused', folder, kept: undefined }])
  expect((await call(second.local, 'GET /projects')).body.projects.map(({ name }) => name)).toEqual(['shop'])
})

test('without a seed a random one is used and logged', async () => {
  const { span } = PAST
  const seeds = await Promise.all(
    [1, 2].map(async () => {
      const { events } = await started(freshFolder(), { past: { span, projects: 1 } })
      return events.map((event) => (event.kind === 'past-made' ? event.past.seed : undefined))
    }),
  )
  expect(seeds.flat().every((seed) => Number.isInteger(seed))).toBe(true)
  expect(seeds[0]).not.toEqual(seeds[1])
})

test('after a kill during generation there is no history, and the next start generates all of it', async () => {
  const folder = freshFolder()
  const child = spawnLocal(folder, { span: (60 * DAY) / 1000, projects: 100_000, seed: 1 })
  const log = join(folder, 'state.sqlite-wal')
  await until('some of it is written', () => existsSync(log) && statSync(log).size > 5_000_000)
  await killed({ child })
  const { local, events } = await started(folder, { past: PAST })
  expect(events).toEqual([expect.objectContaining({ kind: 'past-made' })])
  expect((await call(local, 'GET /projects?limit=400')).body.projects).toHaveLength(7)
})
