// The generated history over HTTP, without Postgres, on a clock that stands at its end.
import { ConsumptionHistoryGranularity } from '@neondatabase/api-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Simulated, startSimulated } from '../../support/simulated-service.ts'
import type { ComputeTruth } from '../../../src/local/engine/truth.ts'
import { officialClient } from '../official.ts'
import { DAY, NOW } from './build.ts'
import { longTest } from '../../support/tiers.ts'

const HOUR = DAY / 24
const LAG = HOUR / 4

let now = NOW

/** Two months of fourteen projects. */
const lived = (plan: 'free' | 'scale' = 'scale'): Promise<Simulated> =>
  startSimulated({
    projects: [],
    past: { span: (60 * DAY) / 1000, projects: 14, seed: 7 },
    clock: { now: () => now, after: () => () => undefined, sleep: () => Promise.resolve() },
    plan,
  })

let service: Simulated

beforeAll(async () => {
  service = await lived()
})

afterAll(() => service.stop())

/** CU-seconds of some computes within `[from, to)`, ms. */
const usedWithin = (computes: readonly ComputeTruth[], from: number, to: number): number =>
  computes
    .flatMap(({ intervals }) => intervals)
    .reduce((sum, interval) => {
      const end = Math.min(to, interval.to === null ? to : Date.parse(interval.to))
      return sum + (Math.max(0, end - Math.max(from, Date.parse(interval.from))) * interval.cu) / 1000
    }, 0)

const iso = (at: number): string => new Date(at).toISOString()

longTest('months of operations come page by page, newest first, each once', async () => {
  const client = officialClient(service)
  const { projects } = (await client.listProjects({ limit: 400 })).data
  for (const { id: projectId } of projects.slice(0, 4)) {
    const all = (await client.listProjectOperations({ projectId, limit: 1000 })).data.operations
    const paged: typeof all = []
    for (let cursor: string | undefined; ;) {
      const query = { projectId, limit: 37, ...(cursor !== undefined && { cursor }) }
      const { operations, pagination } = (await client.listProjectOperations(query)).data
      paged.push(...operations)
      cursor = pagination?.cursor
      if (operations.length < 37) break
    }
    expect(paged.slice(0, 1000)).toEqual(all)
    expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length)
    const times = paged.map(({ created_at }) => Date.parse(created_at))
    expect(times.toSorted((a, b) => b - a)).toEqual(times)
    expect(times.at(-1)).toBeLessThan(NOW - 20 * DAY)
  }
})

test.each([
  ['hourly', HOUR, 168 * HOUR],
  ['daily', DAY, 60 * DAY],
] as const)(
  'the %s consumption is the truth of a quarter of an hour ago',
  async (granularity, piece, reach) => {
    const client = officialClient(service)
    const [{ id: organization } = { id: '' }] = (await client.getCurrentUserOrganizations()).data
      .organizations
    const query = {
      org_id: organization,
      from: iso(NOW - reach),
      to: iso(NOW),
      granularity: ConsumptionHistoryGranularity[granularity === 'hourly' ? 'Hourly' : 'Daily'],
      metrics: ['compute_unit_seconds' as const],
      limit: 100,
    }
    const { projects } = (await client.getConsumptionHistoryPerProjectV2(query)).data
    const { computes } = service.truth()
    for (const { project_id: projectId, periods } of projects) {
      const ofProject = computes.filter((compute) => compute.projectId === projectId)
      for (const { consumption } of periods)
        for (const { timeframe_start, metrics } of consumption) {
          const from = Date.parse(timeframe_start ?? '')
          const used = usedWithin(ofProject, from, Math.min(from + piece, NOW - LAG))
          expect(metrics).toEqual([{ metric_name: 'compute_unit_seconds', value: Math.floor(used) }])
        }
    }
    const total = projects
      .flatMap(({ periods }) => periods)
      .flatMap(({ consumption }) => consumption)
      .reduce((sum, { metrics }) => sum + (metrics?.[0]?.value ?? 0), 0)
    expect(total).toBeGreaterThan(1000)
  },
)

test('counters of a project are the truth of a quarter of an hour ago', async () => {
  const client = officialClient(service)
  const { computes } = service.truth(NOW - LAG)
  const month = Date.UTC(2026, 2, 1)
  for (const listed of (await client.listProjects({ limit: 400 })).data.projects) {
    const ofProject = computes.filter(({ projectId }) => projectId === listed.id)
    const used = ofProject.reduce((sum, { cuSeconds }) => sum + cuSeconds, 0)
    expect(listed.cpu_used_sec).toBe(Math.floor(used))
    const { project } = (await client.getProject(listed.id)).data
    expect(project.cpu_used_sec).toBe(listed.cpu_used_sec)
    expect(project.compute_time_seconds).toBe(Math.floor(usedWithin(ofProject, month, NOW - LAG)))
    const { branches } = (await client.listProjectBranches({ projectId: listed.id })).data
    const ofBranches = branches.reduce((sum, { cpu_used_sec }) => sum + cpu_used_sec, 0)
    expect(ofBranches).toBeLessThanOrEqual(listed.cpu_used_sec) // branches that are gone are in no list
  }
})

longTest('there is no consumption history on the free plan', async () => {
  const free = await lived('free')
  onTestFinished(() => free.stop())
  const query = `org_id=x&from=${iso(NOW - DAY)}&to=${iso(NOW)}&granularity=daily&metrics=compute_unit_seconds`
  const answer = await free.fetch(
    new Request(`${free.baseUrl}/consumption_history/v2/projects?${query}`, {
      headers: { authorization: `Bearer ${free.apiKey}` },
    }),
  )
  expect(answer.status).toBe(403)
})

const wakes = (): number => service.truth().computes.reduce((sum, compute) => sum + compute.wakes.length, 0)

test('the simulated clients continue after the history', () => {
  const before = wakes()
  now += 2 * DAY
  expect(wakes()).toBeGreaterThan(before + 50)
})
