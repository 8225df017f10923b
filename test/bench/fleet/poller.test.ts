// Service, clock and judge together, with the plainest of clients: one that asks for everything, again and again.
import { onTestFinished, expect, test } from 'vitest'
import { type Account, type Dated, type Known, createListAges, delaysOf, ledgerErrorOf } from './judge.ts'
import { type FleetService, startFleetService } from './start.ts'
import { fleetProjects } from './traffic.ts'

/** What is read of an operation. */
type Operation = Readonly<Record<'action' | 'status' | 'endpoint_id' | 'updated_at', string>>

const SHAPE = { projects: 200, awakeShare: 0.3, awakeSeconds: 1200 }

/** Half an hour passes in a second. */
const SCALE = 2000

const TOURS = 8

test('who asks for everything knows every transition within a tour, and an account that holds the truth', async () => {
  const service = await startFleetService({ ...SHAPE, seed: 1, scale: SCALE, behaviour: { rates: false } })
  onTestFinished(() => service.stop())
  const ages = createListAges()
  const known: Known[] = []
  const from = service.clock.now()
  let operations = new Map<string, readonly Operation[]>()
  let [before, to, longest] = [from, from, 0]
  for (let tour = 0; tour < TOURS; tour += 1) {
    ;[before, to] = [to, service.clock.now()]
    operations = await operationsOf(service, (projectId) => ages.note(projectId, to))
    const knownAt = service.clock.now()
    longest = Math.max(longest, (knownAt - before) / 1000)
    for (const list of operations.values()) known.push(...edgesOf(list).map((edge) => ({ ...edge, knownAt })))
  }
  const truth = await service.truth(to)
  const delays = delaysOf(truth, known, { from, to: service.clock.now() })
  expect(delays.edges).toBeGreaterThan(20)
  expect(delays.unknown).toBe(0)
  // what happens just after its project was asked for is seen by the next tour
  expect(delays.worst).toBeLessThanOrEqual(longest)
  expect(ages.figures(to)).toMatchObject({ projects: SHAPE.projects })

  const accounts = fleetProjects(SHAPE).map(({ cu = 0.25, maxCu = cu }, number): Account => {
    const id = String(number).padStart(6, '0')
    const span = awakeIn(edgesOf(operations.get(`local-${id}`) ?? []), to)
    return {
      endpointId: `ep-${id}`,
      low: span.low * cu,
      likely: span.likely * cu,
      high: span.high * maxCu,
      since: service.since,
    }
  })
  const ledger = ledgerErrorOf(truth, accounts, { from: service.since, to })
  expect(ledger).toMatchObject({ contains: true, outside: [] })
  expect(ledger.truth).toBeGreaterThan(10_000)
})

/** Project → its operations, newest first. */
async function operationsOf(
  service: FleetService,
  listed: (projectId: string) => void,
): Promise<Map<string, readonly Operation[]>> {
  const { projects } = await ask<{ projects: readonly { readonly id: string }[] }>(
    service,
    '/projects?limit=400',
  )
  const found = new Map<string, readonly Operation[]>()
  for (const { id } of projects) {
    listed(id)
    const path = `/projects/${id}/operations?limit=1000`
    found.set(id, (await ask<{ operations: readonly Operation[] }>(service, path)).operations)
  }
  return found
}

async function ask<Answer>({ baseUrl, apiKey }: FleetService, path: string): Promise<Answer> {
  const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
  return (await answer.json()) as Answer
}

/** Starts and suspensions, oldest first; each happened within the second of its record. */
const edgesOf = (operations: readonly Operation[]): Dated[] =>
  operations
    .filter(({ status, action }) => status === 'finished' && /^(?:start|suspend)_compute$/.test(action))
    .map(({ action, endpoint_id: endpointId, updated_at }): Dated => {
      const earliest = Date.parse(updated_at)
      const kind = action === 'start_compute' ? 'wake' : 'suspension'
      return { endpointId, kind, earliest, latest: earliest + 1000 }
    })
    .toReversed()

/** Seconds awake until `to`, as far as edges dated to the second tell. */
function awakeIn(edges: readonly Dated[], to: number): { low: number; likely: number; high: number } {
  let [low, high] = [0, 0]
  for (const [at, { kind, earliest, latest }] of edges.entries()) {
    if (kind === 'suspension' || earliest >= to) continue
    const end = edges[at + 1] ?? { earliest: to, latest: to }
    low += Math.max(0, Math.min(end.earliest, to) - Math.min(latest, to)) / 1000
    high += (Math.min(end.latest, to) - earliest) / 1000
  }
  return { low, likely: (low + high) / 2, high }
}
