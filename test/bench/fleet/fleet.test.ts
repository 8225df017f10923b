import { readFileSync } from 'node:fs'
import { onTestFinished, expect, test } from 'vitest'
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import { createRandom } from '../../../src/local/random.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { type FleetOptions, type FleetService, startFleetService } from './start.ts'
import { type FleetShape, fleetProjects, fleetTraffic } from './traffic.ts'
import { ALLOCATOR, V8_FLAGS } from '../launched.ts'
import { longTest } from '../../support/tiers.ts'

const SHAPE: FleetOptions = { projects: 500, awakeShare: 0.02, awakeSeconds: 1200, seed: 1, scale: 1 }

async function fleet(changes: Partial<FleetOptions> = {}): Promise<FleetService> {
  const service = await startFleetService({ ...SHAPE, ...changes })
  onTestFinished(() => service.stop())
  return service
}

type Listed = {
  readonly id: string
  readonly updated_at: string
  readonly created_at: string
  readonly cpu_used_sec: number
  readonly compute_last_active_at?: string
}

async function listOf({ baseUrl, apiKey }: FleetService): Promise<readonly Listed[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const page = async (after: string): Promise<readonly Listed[]> => {
    const answer = await fetch(`${baseUrl}/projects?limit=400${after}`, { headers })
    return ((await answer.json()) as { readonly projects: readonly Listed[] }).projects
  }
  const first = await page('')
  return [...first, ...(await page(`&cursor=${first.at(-1)?.id}`))]
}

test('the fleet has its past when it begins to answer, and the list tells it late', async () => {
  const service = await fleet()
  const listed = await listOf(service)
  expect(listed).toHaveLength(500)
  const { now, computes } = await service.truth()
  const awake = computes.filter(({ intervals }) => intervals.at(-1)?.to === null)
  expect(awake.length).toBeGreaterThan(2)
  expect(awake.length).toBeLessThan(25)
  expect(listed.filter(({ updated_at, created_at }) => updated_at !== created_at)).toEqual([])
  const newest = listed.map((one) => Date.parse(one.compute_last_active_at ?? one.created_at))
  expect(Math.max(...newest)).toBeLessThanOrEqual(Date.parse(now) - 60_000)
  const counted = listed.reduce((sum, { cpu_used_sec }) => sum + cpu_used_sec, 0)
  const earlier = await service.truth(Date.parse(now) - 900_000)
  const used = earlier.computes.reduce((sum, { cuSeconds }) => sum + cuSeconds, 0)
  expect(counted).toBeGreaterThan(used - 500) // whole seconds of each project
  expect(counted).toBeLessThan(used + 60)
})

longTest('who asks too much is told so, and it is counted', async () => {
  const service = await fleet({ projects: 10 })
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const ask = async (): Promise<number> => {
    const answer = await fetch(`${service.baseUrl}/projects/local-000001/endpoints`, { headers })
    await answer.text()
    return answer.status
  }
  const statuses = await Promise.all(Array.from({ length: 200 }, ask))
  const limited = statuses.filter((status) => status === 429).length
  expect(limited).toBeGreaterThan(0)
  expect(await service.requests()).toEqual({
    answered: 200,
    limited,
    routes: { 'GET /api/v2/projects/:id/endpoints': { 200: 200 - limited, 429: limited } },
  })
})

longTest('its clock may run faster than the machine’s, and is known here too', async () => {
  const service = await fleet({ projects: 10, scale: 1000 })
  const before = service.clock.now()
  const { now } = await service.truth()
  const after = service.clock.now()
  expect(before).toBeGreaterThan(Date.now())
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(now)).toBeLessThanOrEqual(after)
})

test('a fleet that cannot be is an error that says why', async () => {
  await expect(startFleetService({ ...SHAPE, awakeSeconds: 100 })).rejects.toThrow(
    /awakeSeconds: expected 1200 to 86400, got 100/,
  )
})

longTest('its share is awake, for about as long as the shape says', async () => {
  const shape = { projects: 500, awakeShare: 0.04, awakeSeconds: 1200 }
  const [since, to] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 7)]
  const service = await startSimulated({
    projects: fleetProjects(shape),
    scripts: [fleetTraffic(shape, since, createRandom(1))],
    since,
    clock: { now: () => to, after: () => () => undefined, sleep: () => Promise.resolve() },
  })
  onTestFinished(() => service.stop())
  const { computes } = service.truth()
  const awake = computes.reduce((sum, { awakeSeconds }) => sum + awakeSeconds, 0)
  const wakes = computes.reduce((sum, compute) => sum + compute.wakes.length, 0)
  expect(awake / wakes / shape.awakeSeconds).toBeCloseTo(1, 1)
  expect((1000 * awake) / (to - since) / shape.projects / shape.awakeShare).toBeCloseTo(1, 1)
})

/** What the clients of a small fleet do in `hours` hours. */
function happenings(shape: FleetShape, seed: number, hours: number): readonly SimulatedEvent[] {
  const found: SimulatedEvent[] = []
  for (const happening of fleetTraffic(shape, 0, createRandom(seed))) {
    if (happening.at > hours * 3_600_000) return found
    found.push(happening)
  }
  return found
}

test('clients do the same with the same seed, in order of time, and something else with another', () => {
  const first = happenings(SHAPE, 1, 5)
  expect(happenings(SHAPE, 1, 5)).toEqual(first)
  expect(happenings(SHAPE, 2, 5)).not.toEqual(first)
  expect(first.toSorted((a, b) => a.at - b.at)).toEqual(first)
  expect(first.length).toBeGreaterThan(1000)
})

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('the daemon of the benchmark is started as users start it', () => {
  expect(read('src/main.ts').match(/'--[a-z-]+(=\d+)?'/g)).toEqual(V8_FLAGS.map((flag) => `'${flag}'`))
  const variables = Object.entries(ALLOCATOR).map(([name, value]) => `${name}=${value}`)
  expect(read('package.json')).toContain(`"start": "${variables.join(' ')} node src/dormouse.mjs run"`)
})
