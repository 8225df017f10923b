// Every method of the client against the local service over loopback: two independent readings of one interface text.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryFolder } from '../support/folder.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { createRandom } from '../../src/daemon/random.ts'
import type { Local } from '../../src/local/start.ts'
import { startQuickly } from '../support/start-quickly.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import type { Service } from '../../src/model/ports/service.ts'
import { ok, type Result } from '../../src/std/result.ts'
import type { ServiceError } from '../../src/model/service/service-error.ts'
import { cu, instant, seconds } from '../../src/model/units.ts'
import { createService, type ServiceOptions } from '../../src/service/service.ts'

const running = new AbortController().signal
const clock = createClock()
const EVER = instant(0)

let folder = ''
let local: Local
let service: Service
let shop = ''
let still = ''

beforeAll(async () => {
  folder = memoryFolder('dormouse-contract-')
  local = await startQuickly({
    folder,
    allowShortDelays: true,
    wakeLatency: { min: 0, max: 0 },
    projects: [{ name: 'shop', cu: 0.5, suspendTimeoutSeconds: -1 }, { name: 'still' }],
  })
  service = serviceWith({})
  const projects = value(await service.listProjects(running)).items
  ;[shop = '', still = ''] = ['shop', 'still'].map(
    (name) => projects.find((project) => project.name === name)?.projectId ?? '',
  )
})

afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

const serviceWith = (more: Partial<ServiceOptions>): Service =>
  createService({
    baseUrl: local.baseUrl,
    readKey: () => ok(local.apiKey),
    clock,
    random: createRandom(),
    requestsPerMinute: 60_000,
    projects: 'discover',
    ...more,
  })

function value<Value>(result: Result<Value, ServiceError>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

/** The only compute of the project, once no state change and no operation is under way. */
async function settled(projectId: string): Promise<Compute> {
  for (;;) {
    const { items, problems } = value(await service.listComputes(projectId, running))
    expect(problems).toEqual([])
    const operations = value(await service.listOperations(projectId, EVER, running))
    const open = operations.items.some(({ status }) => status === 'running' || status === 'scheduling')
    const [compute] = items
    if (compute && compute.pendingState === undefined && compute.state !== 'init' && !open) return compute
    await clock.sleep(seconds(0.02), running)
  }
}

describe('projects', () => {
  test('are listed with what the account pays for (S-20, S-21, S-78)', async () => {
    const { items, problems } = value(await service.listProjects(running))
    expect(problems).toEqual([])
    expect(items.map(({ name }) => name).toSorted()).toEqual(['shop', 'still'])
    expect(items[0]).toMatchObject({ pgVersion: expect.any(Number), regionId: expect.stringMatching(/./) })
  })

  test('are read one by one where their ids are given', async () => {
    const named = serviceWith({ projects: [still, shop] })
    expect(value(await named.listProjects(running)).items.map(({ projectId }) => projectId)).toEqual([
      still,
      shop,
    ])
  })
})

describe('computes', () => {
  test('are listed and read alike (S-25, S-27, S-31, S-80)', async () => {
    const compute = await settled(shop)
    expect(compute).toMatchObject({
      projectId: shop,
      type: 'read_write',
      sizing: { fixed: 0.5 },
      autosuspendDelay: 'never',
      state: 'active',
    })
    expect(value(await service.getCompute(shop, compute.endpointId, running))).toEqual(compute)
    expect((await settled(still)).autosuspendDelay).toBeUndefined()
  })

  test('get a delay without a restart, and the default back (S-37, S-68)', async () => {
    const { endpointId, startedAt } = await settled(shop)
    const changed = value(
      await service.updateCompute(shop, endpointId, { autosuspendDelay: seconds(600) }, running),
    )
    expect(changed.compute.autosuspendDelay).toBe(600)
    expect(changed.operations.map(({ action }) => action)).toEqual(['apply_config', 'suspend_compute'])
    expect(await settled(shop)).toMatchObject({ autosuspendDelay: 600, startedAt })
    value(await service.updateCompute(shop, endpointId, { autosuspendDelay: seconds(0) }, running))
    expect((await settled(shop)).autosuspendDelay).toBeUndefined()
    value(await service.updateCompute(shop, endpointId, { autosuspendDelay: 'never' }, running))
    expect((await settled(shop)).autosuspendDelay).toBe('never')
  })

  test('get another fixed size, which restarts them (S-08, S-64, S-89)', async () => {
    const { endpointId } = await settled(shop)
    const sizing = { fixed: cu(1) }
    const changed = value(await service.updateCompute(shop, endpointId, { sizing }, running))
    expect(changed.compute.sizing).toEqual(sizing)
    expect(changed.operations.map(({ action }) => action)).toContain('apply_config')
    expect(await settled(shop)).toMatchObject({ sizing, state: 'active' })
  })

  test('are restarted (S-59, S-83)', async () => {
    const { endpointId } = await settled(shop)
    const since = instant(clock.now() - 1000)
    value(await service.restartCompute(shop, endpointId, running))
    expect(await settled(shop)).toMatchObject({ state: 'active' })
    const { items } = value(await service.listOperations(shop, since, running))
    expect(items.map(({ action, status }) => `${action} ${status}`)).toContain('start_compute finished')
  })

  test('are disabled and enabled', async () => {
    const { endpointId } = await settled(shop)
    value(await service.updateCompute(shop, endpointId, { disabled: true }, running))
    expect(await settled(shop)).toMatchObject({ disabled: true, state: 'idle' })
    value(await service.updateCompute(shop, endpointId, { disabled: false }, running))
    expect((await settled(shop)).disabled).toBe(false)
  })

  test('are busy while a change runs (423)', async () => {
    const { endpointId } = await settled(shop)
    value(await service.updateCompute(shop, endpointId, { sizing: { fixed: cu(2) } }, running))
    expect(await service.updateCompute(shop, endpointId, { sizing: { fixed: cu(1) } }, running)).toEqual({
      ok: false,
      error: { kind: 'busy' },
    })
    await settled(shop)
  })

  test('are deleted for good, and made anew on their branch (S-48, S-62, S-63)', async () => {
    const { endpointId, branchId } = await settled(still)
    expect(value(await service.deleteCompute(still, endpointId, running))?.endpointId).toBe(endpointId)
    expect(value(await service.listComputes(still, running)).items).toEqual([])
    expect(await service.getCompute(still, endpointId, running)).toMatchObject({ error: { kind: 'gone' } })
    const made = value(
      await service.createCompute(
        still,
        branchId,
        { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(5) },
        running,
      ),
    )
    expect(made.compute).toMatchObject({
      branchId,
      state: 'init',
      pendingState: 'active',
      sizing: { fixed: 1 },
      autosuspendDelay: 5,
    })
    expect(made.operations).toMatchObject([{ action: 'start_compute', status: 'running' }])
    expect(await settled(still)).toMatchObject({ endpointId: made.compute.endpointId })
  })

  test('that the service does not want are refused with its reason', async () => {
    const { endpointId, branchId } = await settled(shop)
    const answers = [
      await service.updateCompute(shop, endpointId, { sizing: { fixed: cu(0.3) } }, running),
      await service.updateCompute(shop, endpointId, { autosuspendDelay: seconds(604_801) }, running),
      await service.createCompute(shop, branchId, {}, running),
    ]
    expect(answers).toMatchObject([
      { error: { kind: 'refused', status: 400, message: expect.stringMatching(/./) } },
      { error: { kind: 'refused', status: 400, message: expect.stringMatching(/./) } },
      { error: { kind: 'refused', status: 409, message: expect.stringMatching(/./) } },
    ])
    expect(await service.updateCompute(shop, 'ep-none', {}, running)).toMatchObject({
      error: { kind: 'gone' },
    })
    expect(await service.listComputes('none', running)).toMatchObject({ error: { kind: 'gone' } })
  })
})

describe('operations', () => {
  test('are told newest first, from a time on (S-38 to S-41, S-97)', async () => {
    const { items, problems } = value(await service.listOperations(shop, EVER, running))
    expect(problems).toEqual([])
    const times = items.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    const since = times.at(-1) ?? EVER
    expect(value(await service.listOperations(shop, since, running)).items).toHaveLength(items.length)
    const later = instant(clock.now() + 60_000)
    expect(value(await service.listOperations(shop, later, running)).items).toEqual([])
  })

  test('are told page by page, each once', async () => {
    const { items } = value(await service.listOperations(shop, EVER, running))
    const page = value(await service.listOperationsPage(shop, undefined, running))
    expect(page).toMatchObject({ items, problems: [] })
    const last = value(await service.listOperationsPage(shop, page.next, running))
    expect(last).toEqual({ items: [], problems: [], next: undefined })
  })

  test('of a project that is not there are none', async () => {
    const listed = value(await service.listOperations('none', EVER, running))
    expect(listed).toEqual({ items: [], problems: [], isAbsent: true })
  })
})

describe('what the service counts', () => {
  test('is in the detail of a project', async () => {
    const detail = value(await service.getProjectDetail(shop, running))
    expect(detail).toMatchObject({
      project: { projectId: shop, name: 'shop' },
      orgId: expect.stringMatching(/./),
      subscription: 'scale_v3',
      counters: { activeTime: expect.any(Number), computeTime: expect.any(Number) },
      quota: { computeTime: undefined },
    })
    expect(detail.period?.from).toBeLessThan(clock.now())
    expect(await service.getProjectDetail('none', running)).toMatchObject({ error: { kind: 'gone' } })
  })

  test.each(['hourly', 'daily', 'monthly'] as const)('is told %s', async (granularity) => {
    const { orgId = '' } = value(await service.getProjectDetail(shop, running))
    const range = { from: instant(clock.now() - 3_600_000), to: clock.now(), granularity }
    const page = await service.listConsumption(
      { ...range, metrics: ['compute_unit_seconds'], orgId },
      undefined,
      running,
    )
    expect(page).toMatchObject({ ok: true, value: { kind: 'page', problems: [] } })
    const items = page.ok && page.value.kind === 'page' ? page.value.items : []
    const amounts = items.filter(({ projectId }) => projectId === shop).map((item) => item.amounts)
    expect(amounts).toContainEqual({ compute_unit_seconds: expect.any(Number) })
  })

  test('is absent for an organisation nobody knows, and refused for too long a range', async () => {
    const { orgId = '' } = value(await service.getProjectDetail(shop, running))
    const range = {
      from: EVER,
      to: clock.now(),
      granularity: 'hourly',
      metrics: ['compute_unit_seconds'],
    } as const
    expect(await service.listConsumption({ ...range, orgId: 'org-none' }, undefined, running)).toMatchObject({
      value: { kind: 'none', because: 'absent' },
    })
    expect(await service.listConsumption({ ...range, orgId }, undefined, running)).toMatchObject({
      error: { kind: 'refused', status: 406 },
    })
  })
})

test('a connection string is told where it may be asked for', async () => {
  const { endpointId } = await settled(shop)
  const asked = { endpointId, database: 'app', role: 'app_owner' }
  expect(await service.getConnectionUri(shop, asked, running)).toEqual(ok(undefined))
  const allowed = serviceWith({ useConnectionUri: true })
  const uri = value(await allowed.getConnectionUri(shop, asked, running))
  expect(uri?.reveal()).toMatch(/^postgresql:\/\/app_owner:/)
  expect(await allowed.getConnectionUri(shop, { ...asked, role: 'nobody' }, running)).toMatchObject({
    error: { kind: 'gone' },
  })
})

describe('API keys', () => {
  test('are made, listed, used and revoked (S-12, S-93, S-96)', async () => {
    const { keyId, key } = value(await service.createKey('ci', running))
    const mine = serviceWith({ readKey: () => ok(key) })
    const { items, problems } = value(await mine.listKeys(running))
    expect(problems).toEqual([])
    expect(items.find((item) => item.keyId === keyId)).toMatchObject({ name: 'ci', revoked: false })
    expect(JSON.stringify(items)).not.toContain(key)

    expect(value(await service.revokeKey(keyId, running))).toMatchObject({ keyId, name: 'ci', revoked: true })
    expect(await mine.listProjects(running)).toEqual({ ok: false, error: { kind: 'unauthorized' } })
    expect(await service.revokeKey(keyId, running)).toMatchObject({ error: { kind: 'gone' } })
  })

  test('that are wrong are refused (S-94, S-95)', async () => {
    const stranger = serviceWith({ readKey: () => ok('wrong') })
    expect(await stranger.listKeys(running)).toEqual({ ok: false, error: { kind: 'unauthorized' } })
  })
})
