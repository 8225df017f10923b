// The service of a simulation: the local service's control plane without processes, behind the daemon's own decoders.
import { endpointWire, operationWire, optional, timestamp, type View } from '../../src/local/api/wire.ts'
import { publishedActivity, type Project } from '../../src/local/control/project.ts'
import { createSimulation, type Simulation } from '../../src/local/control/simulated.ts'
import type { Reading } from '../../src/model/observation.ts'
import type { Clock, Random, Readings, Service } from '../../src/model/ports.ts'
import { failed, ok, type Result } from '../../src/model/result.ts'
import type { ServiceError } from '../../src/model/service-error.ts'
import { bytes, instant, seconds } from '../../src/model/units.ts'
import { decodeComputes, decodeOperations, decodeProjects } from '../../src/service/decode.ts'
import { project, settings, sleeping, START } from '../local/control/build.ts'
import { UNASKED } from '../support/unasked.ts'

/** How one simulated compute is used: instants of activity in ms after the start, ascending. */
export type Use = {
  readonly endpointId: string
  readonly delay: number
  readonly activity: readonly number[]
}

export type World = {
  readonly service: Service
  readonly readings: Readings
  readonly simulation: Simulation
  /** Until this instant the service answers nothing. */
  breakUntil(at: number): void
  /** Connects to a compute that no look of the second before them had shown to be awake. */
  readonly blind: readonly string[]
}

const LAG = 5000
/** A look a second old, and the answer of another request in between. */
const LOOK = 1200
/** More than a project has in the time that is asked for. */
const OPERATIONS = 1000

/** The list's record of a project with one compute. */
const projectRecord = (
  { id, name, createdAt, updatedAt, computes }: Project,
  { now, lag }: View,
): Record<string, unknown> => ({
  id,
  name,
  platform_id: 'local',
  region_id: 'local',
  provisioner: 'k8s-neonvm',
  pg_version: 17,
  cpu_used_sec: 0,
  ...optional('compute_last_active_at', computes[0] && publishedActivity(computes[0].activity, now, lag)),
  created_at: timestamp(createdAt),
  updated_at: timestamp(updatedAt),
})

export function createWorld(uses: readonly Use[], clock: Clock, random: Random): World {
  const simulation = createSimulation({
    projects: uses.map(({ endpointId, delay }) => ({
      ...project([{ ...sleeping({ suspendTimeout: delay }), id: endpointId }]),
      id: `project-${endpointId}`,
    })),
    from: START,
    settings,
    latencies: { start: 1500, stop: 300, configure: 100 },
    activity: new Map(uses.map(({ endpointId, activity }) => [endpointId, activity.map((at) => START + at)])),
  })
  let brokenUntil = 0
  const blind: string[] = []
  // endpoint id → when it was last seen awake, by the service's clock
  const seenAwake = new Map<string, number>()
  const ids = uses.map(({ endpointId }) => `project-${endpointId}`)

  /** A request takes a moment; what it answers was true somewhere in between. */
  async function asked<Value>(
    signal: AbortSignal,
    answer: () => Result<Value, unknown>,
  ): Promise<Result<Value, ServiceError>> {
    await clock.sleep(seconds(0.01 + 0.05 * random.unit()), signal)
    simulation.advance(Math.max(simulation.now(), clock.now()))
    if (clock.now() < brokenUntil) return failed({ kind: 'unavailable', message: 'broken for now' })
    const value = answer()
    const decoded = value.ok
      ? ok(value.value)
      : failed<ServiceError>({ kind: 'malformed', problems: [String(value.error)] })
    await clock.sleep(seconds(0.05 * random.unit()), signal)
    return decoded
  }
  const view = (): View => ({ now: simulation.now(), lag: LAG, suffix: 'localhost', loopback: false })
  const known = (projectId: string): NonNullable<ReturnType<Simulation['project']>> => {
    const found = simulation.project(projectId)
    if (!found) throw new Error(`no project ${projectId} in the simulation`)
    return found
  }
  return {
    simulation,
    blind,
    breakUntil: (at) => {
      brokenUntil = at
    },
    service: {
      ...UNASKED,
      listProjectsPage: (_, signal) =>
        asked(signal, () => {
          const decoded = decodeProjects({ projects: ids.map((id) => projectRecord(known(id), view())) })
          return decoded.ok ? ok({ ...decoded.value, next: undefined }) : decoded
        }),
      listComputes: (projectId, signal) =>
        asked(signal, () => {
          const { computes } = known(projectId)
          for (const { id, state } of computes)
            if (state === 'active') seenAwake.set(id, simulation.now())
            else seenAwake.delete(id)
          return decodeComputes({ endpoints: computes.map((one) => endpointWire(projectId, one, view())) })
        }),
      listOperations: (projectId, since, signal) =>
        asked(signal, () => {
          const recent = simulation
            .operations(projectId, OPERATIONS, undefined)
            ?.filter(({ createdAt }) => createdAt >= since - 1000)
          return decodeOperations({ operations: (recent ?? []).map(operationWire) })
        }),
    },
    readings: {
      readable: () => true,
      read: async ({ endpointId }, kind, signal) => {
        simulation.advance(Math.max(simulation.now(), clock.now()))
        if (simulation.now() - (seenAwake.get(endpointId) ?? 0) > LOOK) blind.push(endpointId)
        // A full reading is a client session like any other; whether a light one is seen is chance.
        if (kind === 'full' || random.unit() < 0.1) {
          simulation.connect(endpointId, { kind: 'client', applicationName: 'dormouse', user: 'dormouse' })
        }
        await clock.sleep(seconds(0.05), signal)
        simulation.advance(Math.max(simulation.now(), clock.now()))
        const compute = known(`project-${endpointId}`).computes.find(({ id }) => id === endpointId)
        return { kind: 'read', reading: readingOf(kind, compute?.startedAt ?? START, simulation.now()) }
      },
    },
  }
}

const readingOf = (kind: Reading['kind'], startedAt: number, now: number): Reading => ({
  kind,
  postmasterStartedAt: instant(startedAt),
  serverTime: instant(now),
  maxConnections: 112,
  reservedConnections: 3,
  cacheLimit: bytes(858_783_744),
  connections: { active: 0, idle: 1, idleInTransaction: 0, other: 0 },
  causes: {
    working: 0,
    idleInTransaction: 0,
    replication: 0,
    subscriptions: 0,
    autovacuum: 0,
    prepared: 0,
    lastForeignStatement: undefined,
    longestTransaction: undefined,
  },
  clients: [],
  use: { missing: 'not simulated' },
  cache: { hits: 990, misses: 10, used: bytes(2 ** 20), writes: 10 },
  workingSet: { missing: 'not simulated' },
})
