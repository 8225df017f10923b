// Compute sizes and the limits that follow from them, on a server of each size.
import { beforeAll, expect, test } from 'vitest'
import { createSimulation } from '../../../src/local/control/simulation/simulation.ts'
import { step } from '../../../src/local/control/step.ts'
import { START, compute, context, project, settings } from '../control/build.ts'
import { type Subject, call, query, quickLocal, subject } from '../support.ts'
import { ended, serviceFor, set } from './service.ts'

const local = serviceFor({ projects: [{ name: 'shop', cu: 0.25, suspendTimeoutSeconds: -1 }] })

const SIZES = [0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

type Measured = { readonly connections: number; readonly cacheMiB: number; readonly buffers: string }

/** Values shown by a server of each size. */
const measured = new Map<number, Measured>()
let shop: Subject

const resize = (min: number, max = min): ReturnType<typeof call> =>
  call(local(), `PATCH ${shop.path}`, {
    body: { endpoint: { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } },
  })

async function measure(uri = shop.uri): Promise<Measured> {
  const [row] = await query(
    uri,
    `select current_setting('max_connections')::int as connections, current_setting('shared_buffers') as buffers,
      (pg_size_bytes(current_setting('neon.file_cache_size_limit')) / 1048576)::int as "cacheMiB"`,
  )
  return row
}

beforeAll(async () => {
  shop = await subject(local())
  for (const cu of SIZES) {
    await ended(local(), shop.projectId)
    await resize(cu)
    await ended(local(), shop.projectId)
    measured.set(cu, await measure())
  }
})

const connections = (...sizes: readonly number[]): unknown[] =>
  sizes.map((cu) => measured.get(cu)?.connections)

/** Gigabytes of file cache, to the accuracy of the table. */
const caches = (...sizes: readonly number[]): unknown[] =>
  sizes.map((cu) => Math.round((10 * (measured.get(cu)?.cacheMiB ?? 0)) / 1024) / 10)

test('S-08 a compute has a fixed size or an autoscaling range', async () => {
  expect((await resize(2)).body.endpoint).toMatchObject({
    autoscaling_limit_min_cu: 2,
    autoscaling_limit_max_cu: 2,
  })
  await ended(local(), shop.projectId)
  expect((await resize(1, 4)).body.endpoint).toMatchObject({
    autoscaling_limit_min_cu: 1,
    autoscaling_limit_max_cu: 4,
  })
  await ended(local(), shop.projectId)
})

test('S-44 one CU is 4 GB of RAM: the file cache of every size is 80 % of that', () => {
  for (const cu of SIZES) expect(measured.get(cu)?.cacheMiB).toBe(Math.floor(0.8 * 4096 * cu))
})

test.each([
  ['S-45 sizes 0.25, 0.5 and 1 CU exist with 1, 2 and 4 GB', [0.25, 0.5, 1], [1, 2, 4]],
  ['S-46 sizes 2 to 6 CU exist with 8 to 24 GB', [2, 3, 4, 5, 6], [8, 12, 16, 20, 24]],
])('%s', (_, sizes, ram) => {
  expect(sizes.map((cu) => Math.round((measured.get(cu)?.cacheMiB ?? 0) / 819.2))).toEqual(ram)
})

test('S-47 sizes 7 to 10 CU exist with 28 to 40 GB, and no other size is supported', async () => {
  expect([7, 8, 9, 10].map((cu) => Math.round((measured.get(cu)?.cacheMiB ?? 0) / 819.2))).toEqual([
    28, 32, 36, 40,
  ])
  for (const cu of [0, 0.1, 0.75, 1.5, 2.5, 10.5, 11, 16, 56]) expect((await resize(cu)).status).toBe(400)
})

test('S-99 shared_buffers is 128 MB at every size', () => {
  expect(SIZES.map((cu) => measured.get(cu)?.buffers)).toEqual(SIZES.map(() => '128MB'))
})

test('S-100 the file cache is at most 80 % of RAM', () => {
  for (const cu of SIZES) expect(measured.get(cu)?.cacheMiB).toBeLessThanOrEqual(0.8 * 4096 * cu)
})

test('S-103 max_connections follows the minimum size of a range', async () => {
  await resize(0.5, 8)
  await ended(local(), shop.projectId)
  expect((await measure()).connections).toBe(225)
})

test('S-105 max_connections is 112, 225 and 450 at 0.25, 0.5 and 1 CU', () => {
  expect(connections(0.25, 0.5, 1)).toEqual([112, 225, 450])
})

test('S-106 max_connections at 2 to 8 CU', () => {
  expect(connections(2, 3, 4, 5, 6, 7, 8)).toEqual([901, 1351, 1802, 2253, 2703, 3154, 3604])
})

test('S-107 max_connections is 4000 at 9 and 10 CU', () => {
  expect(connections(9, 10)).toEqual([4000, 4000])
})

test('S-108 the file cache is 0.8 to 12.8 GB at 0.25 to 4 CU', () => {
  expect(caches(0.25, 0.5, 1, 2, 3, 4)).toEqual([0.8, 1.6, 3.2, 6.4, 9.6, 12.8])
})

test('S-109 the file cache is 16 to 32 GB at 5 to 10 CU', () => {
  expect(caches(5, 6, 7, 8, 9, 10)).toEqual([16, 19.2, 22.4, 25.6, 28.8, 32])
})

test('S-37 a size and an autosuspend delay are settable per compute', async () => {
  const body = {
    endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 1234 },
  }
  const changed = await call(local(), `PATCH ${shop.path}`, { body })
  expect(changed.body.endpoint).toMatchObject(body.endpoint)
  await ended(local(), shop.projectId)
  await resize(0.5, 2)
  await ended(local(), shop.projectId)
  expect(await shop.record()).toMatchObject({ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 })
})

/** The state of the only compute, `seconds` after START, without a client. */
function stateAfter(seconds: number, suspendTimeout?: number): unknown {
  const config = suspendTimeout === undefined ? {} : { suspendTimeout }
  const simulation = createSimulation({
    projects: [project([compute({}, config)])],
    from: START,
    settings: () => settings(),
    latencies: { start: 0, stop: 0, configure: 0 },
    activity: new Map(),
  })
  simulation.advance(START + 1000 * seconds)
  return simulation.project('project-one')?.computes[0]?.state
}

test('S-49 an active compute becomes idle after its delay without activity', () => {
  expect([stateAfter(59, 60), stateAfter(60, 60)]).toEqual(['active', 'idle'])
})

test('S-50 the default autosuspend delay is 5 minutes', () => {
  expect([stateAfter(299), stateAfter(300)]).toEqual(['active', 'idle'])
})

test('S-51 the maximum autosuspend delay is 7 days', async () => {
  const week = 604_800
  expect([stateAfter(week - 1, week), stateAfter(week, week)]).toEqual(['active', 'idle'])
  const delay = (seconds: number): ReturnType<typeof call> =>
    call(local(), `PATCH ${shop.path}`, { body: { endpoint: { suspend_timeout_seconds: seconds } } })
  expect((await delay(week + 1)).status).toBe(400)
  expect((await delay(week)).status).toBe(200)
  await ended(local(), shop.projectId)
})

test('S-52 with autosuspend disabled inactivity never suspends', () => {
  expect(stateAfter(366 * 86_400, -1)).toBe('active')
})

test('S-69 with autosuspend disabled a service update is picked up by a manual restart only', () => {
  const simulation = createSimulation({
    projects: [
      project([
        compute(
          { state: 'idle', meter: { open: undefined, awakeMs: 0, cuMs: 0, suspends: 0 } },
          { suspendTimeout: -1 },
        ),
      ]),
    ],
    from: START,
    settings: () => settings(),
    latencies: { start: 0, stop: 0, configure: 0 },
    activity: new Map([['ep-one', [START]]]),
  })
  const release = (): unknown => simulation.project('project-one')?.computes[0]?.release
  simulation.advance(START + 1000)
  const first = release()
  simulation.advance(START + 15 * 86_400_000)
  expect(release()).toBe(first)
  simulation.request('project-one', { kind: 'restart', endpointId: 'ep-one' })
  simulation.advance(simulation.now() + 1000)
  expect(release()).toBe(Number(first) + 2)
})

/** The result of a change of size on a plan. */
function update(plan: 'free' | 'scale', minCu: number, maxCu: number): unknown {
  const request = { kind: 'update', endpointId: 'ep-one', changes: { minCu, maxCu } } as const
  const { answer } = step(project(), request, context(0, { plan }))
  return answer?.ok ? 'taken' : answer?.refusal.status
}

test('S-10 the free plan gives 0.25 CU, fixed; larger sizes and autoscaling need a paid plan', () => {
  expect([update('free', 0.25, 0.25), update('free', 0.5, 0.5), update('free', 0.25, 1)]).toEqual([
    'taken',
    403,
    403,
  ])
  expect([update('scale', 0.5, 0.5), update('scale', 0.25, 1)]).toEqual(['taken', 'taken'])
})

test('S-56 waking takes its latency, and the client that woke it is served after it', async () => {
  await set(local(), { wakeLatency: { min: 0.25, max: 0.25 } })
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
  const before = Date.now()
  expect(await query(shop.uri, 'select 1 as served')).toEqual([{ served: 1 }])
  expect(Date.now() - before).toBeGreaterThanOrEqual(250)
  expect(settings().wakeLatency).toEqual({ min: 1, max: 3 })
})

test('by the documents, connections and file cache of a range are others', async () => {
  const documented = await quickLocal({ preset: '2026-03' })
  const ranged = await subject(documented)
  const { uri, path, projectId } = ranged
  await ranged.settled('active')
  expect(await measure(uri)).toMatchObject({ connections: 104, cacheMiB: 698 })
  const endpoint = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 8 }
  await call(documented, `PATCH ${path}`, { body: { endpoint } })
  await ended(documented, projectId)
  expect(await measure(uri)).toMatchObject({ connections: 1678, cacheMiB: 1536 })
})
