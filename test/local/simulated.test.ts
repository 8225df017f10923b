// The API over simulated computes: the rules of the service without Postgres, for any number of projects.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EndpointType } from '@neondatabase/api-client'
import { onTestFinished, expect, test } from 'vitest'
import { type Simulated, type SimulatedOptions, startSimulated } from '../support/simulated-service.ts'
import type { BehaviourChange } from '../../src/local/engine/behaviour-switches.ts'
import { set as setSwitches } from './conformance/service.ts'
import { officialClient } from './official.ts'

const START = Date.UTC(2026, 0, 5)
const MINUTE = 60_000

/** A service on a clock that the test sets. */
async function simulated(
  options: Omit<SimulatedOptions, 'clock'>,
): Promise<{ readonly service: Simulated; readonly set: (minutes: number) => void }> {
  let at = START
  const clock = { now: () => at, after: () => () => undefined, sleep: () => Promise.resolve() }
  const service = await startSimulated({ ...options, clock })
  onTestFinished(() => service.stop())
  return { service, set: (minutes) => (at = START + minutes * MINUTE) }
}

const control = (service: Simulated, faults: BehaviourChange['faults']): Promise<unknown> =>
  setSwitches(service, { faults })

test('a day of one project in an instant: what clients do wakes it, and the records and the meter agree', async () => {
  const { service, set } = await simulated({
    projects: [{ name: 'shop', activity: [START + 10 * MINUTE, START + 600 * MINUTE] }],
  })
  const client = officialClient(service)
  set(24 * 60)
  const { operations } = (await client.listProjectOperations({ projectId: 'local-000000' })).data
  expect(operations.map(({ action, status }) => `${action} ${status}`)).toEqual([
    'suspend_compute finished',
    'start_compute finished',
    'suspend_compute finished',
    'start_compute finished',
  ])
  const [compute] = service.truth().computes
  expect(compute?.awakeSeconds).toBeCloseTo(2 * 300.1, 3)
  const { project } = (await client.getProject('local-000000')).data
  expect(project.active_time_seconds).toBe(600)
})

test('the Date header shows the clock of the service, on errors too', async () => {
  const { service, set } = await simulated({ projects: [] })
  set(90)
  for (const key of [service.apiKey, 'wrong']) {
    const answer = await fetch(`${service.baseUrl}/projects`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.headers.get('date')).toBe('Mon, 05 Jan 2026 01:30:00 GMT')
  }
})

test('requests see the state at their instant and take effect as time passes', async () => {
  const { service, set } = await simulated({ projects: [{ name: 'shop', suspendTimeoutSeconds: -1 }] })
  const client = officialClient(service)
  const [projectId, endpointId] = ['local-000000', 'ep-000000']
  await client.startProjectEndpoint(projectId, endpointId)
  await expect(client.restartProjectEndpoint(projectId, endpointId)).rejects.toMatchObject({
    response: { status: 423 },
  })
  set(1)
  expect((await client.getProjectEndpoint(projectId, endpointId)).data.endpoint.current_state).toBe('active')
  const made = (await client.createProject({ project: { name: 'second' } })).data
  set(2)
  const [endpoint] = (await client.listProjectEndpoints(made.project.id)).data.endpoints
  expect(endpoint?.current_state).toBe('active')
  await client.deleteProject(made.project.id)
  expect((await client.listProjects({ limit: 10 })).data.projects).toHaveLength(1)
})

test('stuck operations continue when released, and failing ones are retried', async () => {
  const { service, set } = await simulated({ projects: [{ name: 'shop' }] })
  const client = officialClient(service)
  const [projectId, endpointId] = ['local-000000', 'ep-000000']
  const newest = async (): Promise<unknown> =>
    (await client.listProjectOperations({ projectId, limit: 1 })).data.operations[0]
  await control(service, { stuckOperations: true })
  await client.startProjectEndpoint(projectId, endpointId)
  set(1)
  expect(await newest()).toMatchObject({ status: 'running' })
  await control(service, { stuckOperations: false, failingOperations: { next: 1, retryIn: 30 } })
  set(1.2)
  expect(await newest()).toMatchObject({ status: 'failed', failures_count: 1, retry_at: expect.any(String) })
  set(2)
  expect(await newest()).toMatchObject({ status: 'finished', failures_count: 1 })
})

test('deleting a branch with its compute: the removal of the data fails and is retried, the suspension does not fail', async () => {
  const { service, set } = await simulated({ projects: [{ name: 'shop' }] })
  const client = officialClient(service)
  const projectId = 'local-000000'
  const { branch } = (
    await client.createProjectBranch(projectId, { endpoints: [{ type: EndpointType.ReadWrite }] })
  ).data
  set(1)
  await control(service, { failingOperations: { next: 1, retryIn: 30 } })
  await client.deleteProjectBranch({ projectId, branchId: branch.id })
  set(1.2)
  const newest = async (): Promise<unknown> =>
    (await client.listProjectOperations({ projectId, limit: 1 })).data.operations[0]
  expect(await newest()).toMatchObject({ action: 'delete_timeline', status: 'failed' })
  set(2)
  expect(await newest()).toMatchObject({ status: 'finished', failures_count: 1 })
})

test('availability checks begin when they are switched on', async () => {
  const { service, set } = await simulated({ projects: [{ name: 'shop' }] })
  await setSwitches(service, { availabilityCheck: { first: 600, growth: 2 } })
  set(60)
  expect(service.truth().computes[0]?.wakes.map(({ cause }) => cause)).toEqual(['check', 'check'])
})

const run = promisify(execFile)

type Measured = {
  readonly listed: number
  readonly rssMiB: number
  readonly pageMs: number
  readonly endpointsMs: number
}

async function measured(projects: number): Promise<Measured> {
  const program = fileURLToPath(import.meta.resolve('./simulate.ts'))
  return JSON.parse((await run(process.execPath, [program, String(projects)])).stdout)
}

test('ten thousand projects fit in 300 MB, and one page costs no more than with one thousand', async () => {
  const [few, many] = [await measured(1000), await measured(10_000)]
  console.log('simulated service', { few, many })
  expect([few.listed, many.listed]).toEqual([1000, 10_000])
  expect(many.rssMiB).toBeLessThan(300)
  expect(many.pageMs).toBeLessThan(4 * few.pageMs)
})
